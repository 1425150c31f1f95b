"""Code for interpreters, lowered to effects. GROWS: a language is one file, its cases beside it, and a line in this table."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib import import_module

from toolgate.model.effect import Interpret, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import NO_SOURCES, Hole, HoleKind, Word, glob_hole, known_word

Reader = Callable[[Interpret, str, ExecutionContext], Iterator[ReportedEffect]]
"""Reads the text of some code; reports unreadable parts as Opaque if they may hide harm."""

UNKNOWN_PART = "unknown_part_of_the_text"
"""Placeholder for an unknown part of a text: a valid name, also within a string, in every language."""
_UNKNOWN_PART_MARK = re.compile(UNKNOWN_PART + r"(?:_(?P<like>[0-9a-f]+)_(?P<why>[0-9a-f]*)_(?P<kind>\d+)_(?P<src>(?:\d+x)*)q)?")
"""A placeholder with known properties of the part: its glob and its name in hexadecimal, its kind, and its source commands."""
_KINDS = tuple(HoleKind)


def mark_unknown_parts(code: Word) -> str | None:
    """Returns partly known code with a name for each unknown part; None if nothing of it is known."""
    if not any(isinstance(part, str) and part.strip() for part in code.parts):
        return None if code.parts else ""
    src = "".join(f"{number}x" for number in sorted(code.src))
    return "".join(_escape_marks(part) if isinstance(part, str) else _encode_hole(part, src) for part in code.parts)


def decode_text(language: str, text: str) -> str:
    """Decodes code as its program does. In `text`, a byte that is not valid UTF-8 is a lone surrogate
    (model.world.World.read)."""
    if text.isascii():
        return text
    if language == "javascript":
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace") if _has_only_byte_surrogates(text) else text
    if language == "powershell" and text.startswith(_UTF_16):
        return text.encode("utf-8", "surrogateescape").decode("utf-16", "replace") if _has_only_byte_surrogates(text) else text
    return text


def _has_only_byte_surrogates(text: str) -> bool:
    """Returns whether every surrogate in it is a byte."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


_UTF_16 = ("\udcff\udcfe", "\udcfe\udcff")


def _escape_marks(text: str) -> str:
    """Changes placeholders that were in the text itself, so that they carry no information."""
    return text.replace(f"{UNKNOWN_PART}_", f"{UNKNOWN_PART}__") if UNKNOWN_PART in text else text


def _encode_hole(hole: Hole, src: str) -> str:
    return (
        f"{UNKNOWN_PART}_{_encode_hex(hole.like)}_{_encode_hex(hole.why)}_{_KINDS.index(hole.kind)}_{src}q"
        if hole.like
        else UNKNOWN_PART
    )


def _decode_hole(mark: re.Match[str]) -> Hole:
    return Hole(_decode_hex(mark["like"]), _decode_hex(mark["why"]), kind=_KINDS[int(mark["kind"])])


def _encode_hex(text: str) -> str:
    return text.encode("utf-8", "surrogatepass").hex()


def _decode_hex(digits: str) -> str:
    return bytes.fromhex(digits).decode("utf-8", "surrogatepass")


def word_from_text(text: str, src: frozenset[int] = NO_SOURCES) -> Word:
    """Converts a text from such code back to a word: each unknown part gets its original properties."""
    if UNKNOWN_PART not in text:
        return known_word(text, src)
    parts: list[str | Hole] = []
    sources, at = set(src), 0
    for mark in _UNKNOWN_PART_MARK.finditer(text):
        parts += [text[at : mark.start()], _decode_hole(mark) if mark["like"] else Hole()]
        sources.update(int(number) for number in (mark["src"] or "").split("x")[:-1])
        at = mark.end()
    parts.append(text[at:])
    return Word(tuple(part for part in parts if part != ""), src=frozenset(sources))


def glob_word(pattern: Word) -> Word:
    """Converts a glob given as text to a word for the files it matches."""
    text = pattern.text
    if text is None:
        return pattern
    parts = tuple(glob_hole(part) if part[0] in "*?[" else part for part in re.split(r"(\*+|\?|\[[^\]]*\])", text) if part)
    return Word(parts, src=pattern.src)


def glob_words(pattern: Word) -> list[Word]:
    """Converts a glob with alternatives in braces (`*.{csv,tsv}`) to a word for each."""
    text = pattern.text
    if text is None or "{" not in text:
        return [glob_word(pattern)]
    waiting, found = [text], list[str]()
    while waiting and len(waiting) + len(found) < _MAX_ALTERNATIVES:
        each = waiting.pop(0)
        if (braces := _BRACES.search(each)) is None:
            found.append(each)
        else:
            waiting += [f"{each[: braces.start()]}{part}{each[braces.end() :]}" for part in braces[1].split(",")]
    return [glob_word(known_word(each, pattern.src)) for each in (*found, *waiting)]


_BRACES = re.compile(r"\{([^{}]*)\}")
_MAX_ALTERNATIVES = 32

LANGUAGE_MODULES: dict[str, str] = {
    "python": "python",
    "sed": "sed",
    "awk": "awk",
    "perl": "perl",
    "ruby": "ruby",
    "php": "php",
    "lua": "lua",
    "go": "go",
    "javascript": "javascript",
    **dict.fromkeys(("tcl", "applescript", "lisp", "r", "julia", "beam", "jvm", "c", "rust"), "literal"),
    **dict.fromkeys(("ocaml", "octave", "gnuplot", "swift", "raku"), "literal"),
    **dict.fromkeys(("gradle", "nim", "zig", "dart", "d", "v", "haskell", "dotnet"), "literal"),
    **dict.fromkeys(
        (
            "gdb kak expect tmux screenrc tape transcript bats shellspec markdown org tex package-script"
            " bitbake rpm snapcraft nix packer packer-settings rockspec snakemake nextflow starlark earthly"
            " earthly-local waf tup jam qmake gyp autoconf latexmk lein procmail muttrc salt puppet chef"
            " pyinfra stata sas ghci calculator"
        ).split(),
        "embedded",
    ),
    "notebook": "notebook",
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
    "expect": "expect",
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
    **{name: name for name in ("nim", "zig", "d", "haskell", "swift", "ocaml")},
}


@lru_cache(64)
def reader_for_language(language: str) -> Reader | None:
    """Returns the reader of a language; None if there is none."""
    module = LANGUAGE_MODULES.get(language)
    if module is None:
        return None
    found: Reader = import_module(f"{__name__}.{module}").read
    return found


def language_of_interpreter(name: str) -> str | None:
    """Returns the language of the program in a script's first line; None if it is unknown."""
    return _INTERPRETERS.get(name) or _INTERPRETERS.get(name.rstrip("0123456789."))
