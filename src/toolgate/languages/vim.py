"""Ex commands of `vim -c` and Vim scripts: file writes, shell commands, and code of other languages."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Carrier, Delete, Interpret, Move, Opaque, Read, ReportedEffect, Write
from toolgate.model.execution_context import ExecutionContext

from . import word_from_text

_COMMAND_PREFIX = re.compile(
    r"(?:\s*:|\s+|sil(?:ent)?!?\s+|kee\w*\s+|noa(?:utocmd)?\s+|%|[0-9,.$;]+|'[<>a-z],?'?[<>a-z]?|(?:arg|buf|win|tab|c|l|cf|lf)do!?\s+"
    r"|(?:g|global|v|vglobal)!?(?P<mark>[^\w\s])(?:\\.|(?!(?P=mark)).)*(?P=mark))*"
)
"""Prefixes of a command: a range, modifiers, `:global` with its pattern."""
_SHELL_COMMAND = re.compile(
    r"(?:r(?:ead)?\s*|w(?:rite)?\s+|ter(?:m(?:inal)?)?\s*)?!(?P<code>.+)|ter(?:m(?:inal)?)?\s+(?P<terminal>.+)", re.DOTALL
)
_WRITE = re.compile(
    r"(?:w(?:rite)?|sav(?:eas)?|up(?:date)?|wq|x(?:it)?|mks(?:ession)?|mk(?:exrc)?|mkv(?:imrc)?)!?"
    r"\s*(?:\+\+\S+\s+|>>\s*)*(?P<file>\S.*)"
)
_SOURCE = re.compile(r"(?:so(?:urce)?|ru(?:ntime)?)!?\s+(?P<file>\S+)")
_FOREIGN_CODE = re.compile(
    r"(?:py(?:thon)?[3x]?|lua|rub(?:y)?|perl?|tcl|mz(?:scheme)?)\s|(?:\w*file|\w*do)\s.*\.(?:py|lua|rb|pl)\b"
    r"|exe(?:cute)?\s|norm(?:al)?!?\s.*[:!]"
)
_CALLS = {
    "system": re.compile(r"\b(?:system(?:list)?|job_start|term_start|termopen|jobstart)\s*\(\s*(?:(['\"])(?P<text>.*?)\1)?"),
    "write": re.compile(r"\bwritefile\s*\(.*,\s*(?:(['\"])(?P<text>.*?)\1|(?P<computed>[\w$&].*?))\s*(?:,[^,]*)?\)"),
    "delete": re.compile(r"\bdelete\s*\(\s*(?:(['\"])(?P<text>.*?)\1)"),
}
_RENAME = re.compile(r"\brename\s*\(\s*(['\"])(?P<old>.*?)\1\s*,\s*(['\"])(?P<new>.*?)\3")


def read(code: Interpret, text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Commands end at a line end, or at a bar unless a shell takes the rest of the line."""
    for line in text.split("\n"):
        rest = line
        while rest.strip() and not rest.lstrip().startswith('"'):
            command = rest[_match_end(_COMMAND_PREFIX.match(rest)) :]
            if (shell := _SHELL_COMMAND.match(command)) is not None:
                yield Interpret(
                    "shell",
                    word_from_text(shell["code"] or shell["terminal"], code.code.src),
                    context.origin,
                    via=Carrier("vim", "!"),
                )
                break
            command, bar, rest = command.partition("|")
            yield from _read_command(command.strip(), context)
            if not bar:
                break


def _match_end(match: re.Match[str] | None) -> int:
    return match.end() if match is not None else 0


def _read_command(command: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    if (write := _WRITE.fullmatch(command)) is not None:
        yield Write(context.resolve_place(word_from_text(_expand_home(write["file"], context))), None, None, context.origin)
    elif (source := _SOURCE.fullmatch(command)) is not None:
        place = word_from_text(_expand_home(source["file"], context))
        yield Read(context.resolve_place(place), context.origin)
        for content in context.read_alternatives(place):
            yield Interpret("vim", content, context.origin, via=Carrier("vim", ":source"), file=source["file"])
    elif _FOREIGN_CODE.match(command):
        yield Opaque("Vim runs code here that this gate does not read", context.origin)
    else:
        yield from _read_calls(command, context)


def _read_calls(command: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    for match in _CALLS["system"].finditer(command):
        if match["text"] is None:
            yield Opaque("Vim has a shell run a computed text", context.origin)
        else:
            yield Interpret("shell", word_from_text(match["text"]), context.origin, via=Carrier("vim", "system()"))
    for match in _CALLS["write"].finditer(command):
        if match["text"] is None:
            yield Opaque("Vim writes to a file whose name is computed", context.origin)
        else:
            yield Write(context.resolve_place(word_from_text(_expand_home(match["text"], context))), None, None, context.origin)
    for match in _CALLS["delete"].finditer(command):
        yield Delete(
            context.resolve_place(word_from_text(_expand_home(match["text"], context)), follow=False),
            "rf" in command,
            context.origin,
        )
    for match in _RENAME.finditer(command):
        old, new = word_from_text(_expand_home(match["old"], context)), word_from_text(_expand_home(match["new"], context))
        yield Move(context.resolve_place(old, follow=False), context.resolve_place(new), context.origin)


def _expand_home(file: str, context: ExecutionContext) -> str:
    """Expands `~` and `$HOME` as Vim does in file names."""
    home = context.home.rstrip("/")
    return re.sub(r"^~(?=/|$)", lambda _: home, file.strip().replace("$HOME", home))
