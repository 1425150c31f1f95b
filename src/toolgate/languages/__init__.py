"""Code handed to an interpreter -> effects. GROWS: a language is one file, its cases beside it, and a line in this table."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib import import_module

from toolgate.model.effect import Interpret, Reported
from toolgate.model.seen import Seen
from toolgate.model.word import NOTHING, Hole, Word, known

Reader = Callable[[Interpret, str, Seen], Iterator[Reported]]
"""Reads the text of some code; what it cannot see it reports as Opaque where that may hide harm."""

PART = "unknown_part_of_the_text"
"""Stands in a text for a part that is not known: a name, or inside a string, in every language."""
_MARK = re.compile(PART + r"(?:_(?P<like>[0-9a-f]+)_(?P<why>[0-9a-f]*)_(?P<src>(?:\d+x)*)q)?")
"""With what is known of the part: the bytes of its glob and of its name in hexadecimal, and the commands it comes from."""


def spelled(code: Word) -> str | None:
    """Half known code with a name for each unknown part; None where nothing of it is known."""
    if not any(isinstance(part, str) and part.strip() for part in code.parts):
        return None if code.parts else ""
    src = "".join(f"{number}x" for number in sorted(code.src))
    return "".join(_own(part) if isinstance(part, str) else _marked(part, src) for part in code.parts)


def decode(language: str, text: str) -> str:
    """Some code as its program decodes it. In `text`, a byte that is not UTF-8 is a lone surrogate (model.world.World.read)."""
    if text.isascii():
        return text
    if language == "javascript":
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace") if _is_of_bytes(text) else text
    if language == "powershell" and text.startswith(_UTF_16):
        return text.encode("utf-8", "surrogateescape").decode("utf-16", "replace") if _is_of_bytes(text) else text
    return text


def _is_of_bytes(text: str) -> bool:
    """Is every surrogate in it a byte?"""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


_UTF_16 = ("\udcff\udcfe", "\udcfe\udcff")


def _own(text: str) -> str:
    """A mark in the text itself tells nothing."""
    return text.replace(f"{PART}_", f"{PART}__") if PART in text else text


def _marked(hole: Hole, src: str) -> str:
    return f"{PART}_{_hex(hole.like)}_{_hex(hole.why)}_{src}q" if hole.like else PART


def _hex(text: str) -> str:
    return text.encode("utf-8", "surrogatepass").hex()


def _text(digits: str) -> str:
    return bytes.fromhex(digits).decode("utf-8", "surrogatepass")


def word(text: str, src: frozenset[int] = NOTHING) -> Word:
    """A text out of such code as a word again: each unknown part is like it was where the code was put together."""
    if PART not in text:
        return known(text, src)
    parts: list[str | Hole] = []
    sources, at = set(src), 0
    for mark in _MARK.finditer(text):
        parts += [text[at : mark.start()], Hole(_text(mark["like"]), _text(mark["why"])) if mark["like"] else Hole()]
        sources.update(int(number) for number in (mark["src"] or "").split("x")[:-1])
        at = mark.end()
    parts.append(text[at:])
    return Word(tuple(part for part in parts if part != ""), src=frozenset(sources))


def globbed(pattern: Word) -> Word:
    """A glob given as text, as the files it matches."""
    text = pattern.text
    if text is None:
        return pattern
    parts = tuple(Hole(part, part) if part[0] in "*?[" else part for part in re.split(r"(\*+|\?|\[[^\]]*\])", text) if part)
    return Word(parts, src=pattern.src)


LANGUAGES: dict[str, str] = {
    "python": "python",
    "sed": "sed",
    "awk": "awk",
    "perl": "perl",
    "ruby": "ruby",
    "php": "php",
    "lua": "lua",
    "javascript": "javascript",
    **dict.fromkeys(("tcl", "applescript", "lisp", "r", "julia", "beam", "jvm", "go", "c", "rust"), "literal"),
    **dict.fromkeys(("ocaml", "octave", "gnuplot", "swift", "raku"), "literal"),
    "sql": "sql",
    "mongo": "mongo",
    "powershell": "powershell",
    "cmd": "cmd",
    "vim": "vim",
}
_INTERPRETERS = {
    "sh": "shell",
    "bash": "shell",
    "dash": "shell",
    "ash": "shell",
    "ksh": "shell",
    "mksh": "shell",
    "zsh": "shell",
    "python": "python",
    "pypy": "python",
    "perl": "perl",
    "ruby": "ruby",
    "php": "php",
    "node": "javascript",
    "nodejs": "javascript",
    "bun": "javascript",
    "deno": "javascript",
    "lua": "lua",
    "luajit": "lua",
    "tclsh": "tcl",
    "wish": "tcl",
    "expect": "tcl",
    "osascript": "applescript",
    "Rscript": "r",
    "julia": "julia",
    "elixir": "beam",
    "escript": "beam",
    "groovy": "jvm",
    "fish": "shell",
    "csh": "shell",
    "tcsh": "shell",
    "awk": "awk",
    "gawk": "awk",
    "sed": "sed",
    "pwsh": "powershell",
    "c": "c",
    "rust": "rust",
    "go": "go",
}


@lru_cache(64)
def reader(language: str) -> Reader | None:
    """What reads a language; None: nobody does."""
    module = LANGUAGES.get(language)
    if module is None:
        return None
    found: Reader = import_module(f"{__name__}.{module}").read
    return found


def of_interpreter(name: str) -> str | None:
    """The language of a program that a script's first line names; None for one that is not known."""
    return _INTERPRETERS.get(name) or _INTERPRETERS.get(name.rstrip("0123456789."))
