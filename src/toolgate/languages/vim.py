"""Ex commands of `vim -c` and Vim scripts: file writes, shell commands, and code of other languages."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Delete, Interpret, Move, Opaque, Read, Reported, Write
from toolgate.model.seen import Seen

from . import word

_PREFIX = re.compile(
    r"(?:\s*:|\s+|sil(?:ent)?!?\s+|kee\w*\s+|noa(?:utocmd)?\s+|%|[0-9,.$;]+|'[<>a-z],?'?[<>a-z]?|(?:arg|buf|win|tab|c|l|cf|lf)do!?\s+"
    r"|(?:g|global|v|vglobal)!?(?P<mark>[^\w\s])(?:\\.|(?!(?P=mark)).)*(?P=mark))*"
)
"""Prefixes of a command: a range, modifiers, `:global` with its pattern."""
_SHELL = re.compile(
    r"(?:r(?:ead)?\s*|w(?:rite)?\s+|ter(?:m(?:inal)?)?\s*)?!(?P<code>.+)|ter(?:m(?:inal)?)?\s+(?P<terminal>.+)", re.DOTALL
)
_WRITE = re.compile(
    r"(?:w(?:rite)?|sav(?:eas)?|up(?:date)?|wq|x(?:it)?|mks(?:ession)?|mk(?:exrc)?|mkv(?:imrc)?)!?"
    r"\s*(?:\+\+\S+\s+|>>\s*)*(?P<file>\S.*)"
)
_SOURCE = re.compile(r"(?:so(?:urce)?|ru(?:ntime)?)!?\s+(?P<file>\S+)")
_FOREIGN = re.compile(
    r"(?:py(?:thon)?[3x]?|lua|rub(?:y)?|perl?|tcl|mz(?:scheme)?)\s|(?:\w*file|\w*do)\s.*\.(?:py|lua|rb|pl)\b"
    r"|exe(?:cute)?\s|norm(?:al)?!?\s.*[:!]"
)
_CALLS = {
    "system": re.compile(r"\b(?:system(?:list)?|job_start|term_start|termopen|jobstart)\s*\(\s*(?:(['\"])(?P<text>.*?)\1)?"),
    "write": re.compile(r"\bwritefile\s*\(.*,\s*(?:(['\"])(?P<text>.*?)\1|(?P<computed>[\w$&].*?))\s*(?:,[^,]*)?\)"),
    "delete": re.compile(r"\bdelete\s*\(\s*(?:(['\"])(?P<text>.*?)\1)"),
}
_RENAME = re.compile(r"\brename\s*\(\s*(['\"])(?P<old>.*?)\1\s*,\s*(['\"])(?P<new>.*?)\3")


def read(code: Interpret, text: str, seen: Seen) -> Iterator[Reported]:
    """Commands end at a line end, or at a bar unless a shell takes the rest of the line."""
    for line in text.split("\n"):
        rest = line
        while rest.strip() and not rest.lstrip().startswith('"'):
            command = rest[_end_of(_PREFIX.match(rest)) :]
            if (shell := _SHELL.match(command)) is not None:
                yield Interpret("shell", word(shell["code"] or shell["terminal"], code.code.src), seen.origin, via="vim !")
                break
            command, bar, rest = command.partition("|")
            yield from _command(command.strip(), seen)
            if not bar:
                break


def _end_of(match: re.Match[str] | None) -> int:
    return match.end() if match is not None else 0


def _command(command: str, seen: Seen) -> Iterator[Reported]:
    if (write := _WRITE.fullmatch(command)) is not None:
        yield Write(seen.place(word(_expanded(write["file"], seen))), None, None, seen.origin)
    elif (source := _SOURCE.fullmatch(command)) is not None:
        place = word(_expanded(source["file"], seen))
        yield Read(seen.place(place), seen.origin)
        for content in seen.contents(place):
            yield Interpret("vim", content, seen.origin, via="vim :source", file=source["file"])
    elif _FOREIGN.match(command):
        yield Opaque("Vim runs code here that this gate does not read", seen.origin)
    else:
        yield from _called(command, seen)


def _called(command: str, seen: Seen) -> Iterator[Reported]:
    for match in _CALLS["system"].finditer(command):
        if match["text"] is None:
            yield Opaque("Vim has a shell run a computed text", seen.origin)
        else:
            yield Interpret("shell", word(match["text"]), seen.origin, via="vim system()")
    for match in _CALLS["write"].finditer(command):
        if match["text"] is None:
            yield Opaque("Vim writes to a file whose name is computed", seen.origin)
        else:
            yield Write(seen.place(word(_expanded(match["text"], seen))), None, None, seen.origin)
    for match in _CALLS["delete"].finditer(command):
        yield Delete(seen.place(word(_expanded(match["text"], seen)), follow=False), "rf" in command, seen.origin)
    for match in _RENAME.finditer(command):
        old, new = word(_expanded(match["old"], seen)), word(_expanded(match["new"], seen))
        yield Move(seen.place(old, follow=False), seen.place(new), seen.origin)


def _expanded(file: str, seen: Seen) -> str:
    """Expands `~` and `$HOME` as Vim does in file names."""
    home = seen.home.rstrip("/")
    return re.sub(r"^~(?=/|$)", lambda _: home, file.strip().replace("$HOME", home))
