"""Ex commands of `vim -c` and Vim scripts: file writes, shell commands, and code of other languages."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Carrier, Delete, Interpret, Move, Opaque, Read, ReportedEffect, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import unknown_word

from . import word_from_text
from .embedded.extents import quoted_text

_COMMAND_PREFIX = re.compile(
    r"(?:\s*:|\s+|sil(?:ent)?!?\s+|kee\w*\s+|noa(?:utocmd)?\s+|%|[0-9,.$;]+|'[<>a-z],?'?[<>a-z]?|(?:arg|buf|win|tab|c|l|cf|lf)do!?\s+"
    r"|au(?:tocmd)?\s+\S+\s+\S+\s+(?:\+\+\w+\s+)*|(?:g|global|v|vglobal)!?(?P<mark>[^\w\s])(?:\\.|(?!(?P=mark)).)*(?P=mark))*"
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
_LANGUAGES = {"py": "python", "lu": "lua", "ru": "ruby", "pe": "perl", "tc": "tcl"}
"""Languages by the first letters of the commands that run code in them."""
_FOREIGN_BLOCK = re.compile(
    r"^[ \t:]*(?P<command>py\w*|lua|ruby|perl|tcl)[ \t]*<<[ \t]*(?:trim[ \t]+)?(?P<end>\w+|(?=\n))[ \t]*\n"
    r"(?P<code>.*?)^[ \t]*(?(end)(?P=end)|\.)[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
_FOREIGN_FILE = re.compile(r"(?P<command>py\w*|lua|ruby|perl|tcl)file\s+(?P<file>\S+)")
_FOREIGN_LINE = re.compile(r"(?P<command>py(?:thon)?[3x]?|lua|rub(?:y)?|perl?|tcl)\s+(?P<code>.*)", re.DOTALL)
_EXECUTED_TEXT = re.compile(r"exe(?:cute)?\s+(?:'(?P<single>[^']*)'|\"(?P<double>(?:\\.|[^\"\\])*)\")\s*$")
_EXECUTED_SHELL = re.compile(r"exe(?:cute)?\s+(?P<quote>['\"])(?:\s|:|sil\w*!?\s)*!(?P<code>(?:(?!(?P=quote)).)*)(?P=quote)\s*\.")
_FOREIGN_CODE = re.compile(r"mz(?:scheme)?\s|\w*do\s.*\.(?:py|lua|rb|pl)\b|exe(?:cute)?\s|norm(?:al)?!?\s.*[:!]")
_CALLS = {
    "system": re.compile(r"\b(?:system(?:list)?|job_start|term_start|termopen|jobstart)\s*\(\s*"),
    "write": re.compile(r"\bwritefile\s*\(.*,\s*(?:(['\"])(?P<text>.*?)\1|(?P<computed>[\w$&].*?))\s*(?:,[^,]*)?\)"),
    "delete": re.compile(r"\bdelete\s*\(\s*(?:(['\"])(?P<text>.*?)\1)"),
}
_UP_TO_BAR = re.compile(r"(?:'[^']*'|\"(?:\\.|[^\"\\])*\"|[^|])*?(?=\||$)", re.DOTALL)
_RENAME = re.compile(r"\brename\s*\(\s*(['\"])(?P<old>.*?)\1\s*,\s*(['\"])(?P<new>.*?)\3")


def read(code: Interpret, text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Commands end at a line end, or at a bar unless a shell takes the rest of the line."""
    for block in _FOREIGN_BLOCK.finditer(text):
        yield from _read_foreign(block["command"], block["code"], code, context)
    for line in _FOREIGN_BLOCK.sub("", text).split("\n"):
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
            if (line_of_code := _FOREIGN_LINE.match(command)) is not None:
                yield from _read_foreign(line_of_code["command"], line_of_code["code"], code, context)
                break
            end = _match_end(_UP_TO_BAR.match(command))
            command, bar, rest = command[:end], command[end : end + 1], command[end + 1 :]
            yield from _read_command(command.strip(), code, context)
            if not bar:
                break


def _read_foreign(command: str, text: str, code: Interpret, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the code of another language that a command runs; `lua =x` prints an expression."""
    word = word_from_text(text.lstrip("="), code.code.src)
    yield Interpret(_LANGUAGES[command[:2]], word, context.origin, via=Carrier("vim", command), file=code.file)


def _match_end(match: re.Match[str] | None) -> int:
    return match.end() if match is not None else 0


def _read_command(command: str, code: Interpret, context: ExecutionContext) -> Iterator[ReportedEffect]:
    if (write := _WRITE.fullmatch(command)) is not None:
        yield Write(context.resolve_place(word_from_text(_expand_home(write["file"], context))), None, None, context.origin)
    elif (source := _SOURCE.fullmatch(command)) is not None:
        place = word_from_text(_expand_home(source["file"], context))
        yield Read(context.resolve_place(place), context.origin)
        language = "lua" if source["file"].endswith(".lua") else "vim"
        for content in context.read_alternatives(place):
            yield Interpret(language, content, context.origin, via=Carrier("vim", ":source"), file=source["file"])
    elif (named := _FOREIGN_FILE.fullmatch(command)) is not None:
        file = word_from_text(_expand_home(named["file"], context))
        yield Read(context.resolve_place(file), context.origin)
        for content in context.read_alternatives(file):
            yield Interpret(
                _LANGUAGES[named["command"][:2]], content, context.origin, via=Carrier("vim", "file"), file=named["file"]
            )
    elif (executed := _EXECUTED_TEXT.fullmatch(command)) is not None:
        text = executed["single"] or executed["double"] or ""
        yield Interpret(
            "vim", word_from_text(text, code.code.src), context.origin, via=Carrier("vim", ":execute"), file=code.file
        )
    elif (joined := _EXECUTED_SHELL.match(command)) is not None:
        shell = word_from_text(joined["code"], code.code.src) + unknown_word("a part of it that Vim computes")
        yield Interpret("shell", shell, context.origin, via=Carrier("vim", ":execute"), file=code.file)
    elif _FOREIGN_CODE.match(command) and code.file:
        pass  # common in a script
    elif _FOREIGN_CODE.match(command):
        yield Opaque("Vim runs code here that this gate does not read", context.origin)
    else:
        yield from _read_calls(command, code, context)


def _read_calls(command: str, code: Interpret, context: ExecutionContext) -> Iterator[ReportedEffect]:
    for match in _CALLS["system"].finditer(command):
        if text := quoted_text(command, match.end()):
            yield Interpret("shell", word_from_text(text), context.origin, via=Carrier("vim", "system()"))
        elif not code.file:
            yield Opaque("Vim has a shell run a computed text", context.origin)
    for match in _CALLS["write"].finditer(command):
        if match["text"] is None and code.file:
            continue  # common in a script
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
