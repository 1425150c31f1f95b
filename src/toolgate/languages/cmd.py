"""cmd.exe: its own deleting commands, and other programs unchanged. Blocks, loops and variables are not read."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Carrier, Delete, Interpret, Opaque, PrintedOutput, Read, ReportedEffect, Run, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word, unknown_word

_COMMAND_PARTS = re.compile(r'((?:"[^"]*"|[^"&|])*)(?:&&|\|\||[&|]|$)')
_WORDS = re.compile(r'(?:"[^"]*"?|[^\s">])+|>>?')
_UNREADABLE = re.compile(
    r"[()^]|%(?!USERPROFILE%|SystemRoot%|SystemDrive%|HOMEDRIVE%|HOMEPATH%|windir%)\w|^\s*(?:if|for|call|goto|setlocal)\b",
    re.IGNORECASE,
)
_FOLDER_DELETERS = ("rd", "rmdir")
_FILE_DELETERS = ("del", "erase")
_INFORMATIONAL_COMMANDS = "echo dir ver vol cls rem set cd chdir path prompt title pause exit where mkdir md"
_VARIABLE_PATHS = {
    "%userprofile%": "~",
    "%homedrive%%homepath%": "~",
    "%systemroot%": "/c/Windows",
    "%windir%": "/c/Windows",
    "%systemdrive%": "/c",
}


def read(_code: Interpret, text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    if _UNREADABLE.search(text):
        yield Opaque("this cmd.exe code cannot be read", context.origin)
    for part in _COMMAND_PARTS.findall(text.strip().strip('"') if text.count('"') % 2 == 0 and text.strip()[:1] == '"' else text):
        words = [word.replace('"', "") for word in _WORDS.findall(part)]
        if words:
            yield from _read_command(words, context)
    yield PrintedOutput(context.unknown_output("cmd"))


def _read_command(words: list[str], context: ExecutionContext) -> Iterator[ReportedEffect]:
    while any(word in (">", ">>") for word in words[:-1]):
        at = next(n for n, word in enumerate(words) if word in (">", ">>"))
        if words[at + 1].lower() != "nul":
            yield Write(context.resolve_place(convert_path(words[at + 1], context)), None, words[at] == ">>", context.origin)
        del words[at : at + 2]
    if not words:
        return
    name, switches = words[0].lower().removesuffix(".exe"), [word.lower() for word in words[1:] if word[:1] == "/"]
    operands = [word for word in words[1:] if word[:1] != "/"]
    if name in _FOLDER_DELETERS or name in _FILE_DELETERS:
        for operand in operands:
            yield Delete(context.resolve_place(convert_path(operand, context), follow=False), "/s" in switches, context.origin)
    elif name == "type":
        yield from (Read(context.resolve_place(convert_path(operand, context)), context.origin) for operand in operands)
    elif name in ("copy", "xcopy", "move") and len(operands) > 1:
        tool = known_word("mv" if name == "move" else "cp")
        yield Run(
            (tool, known_word("-r"), *(convert_path(operand, context) for operand in operands)),
            context.origin,
            Carrier("cmd", name),
        )
    elif name == "robocopy" and len(operands) > 1:
        yield from _copy_robustly(operands, set(switches), context)
    elif name not in _INFORMATIONAL_COMMANDS.split():
        yield Run(tuple(known_word(word) for word in words), context.origin, Carrier("cmd", "/c"))


def _copy_robustly(folders: list[str], switches: set[str], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """robocopy is the rsync of Windows: `/MIR` deletes what the source does not have, `/L` only lists."""
    if "/l" in switches:
        return
    options = [
        *(["--delete"] if switches & {"/mir", "/purge"} else []),
        *(["--remove-source-files"] if switches & {"/mov", "/move"} else []),
    ]
    source, target = (convert_path(folder, context) for folder in folders[:2])
    words = (*map(known_word, ("rsync", "-r", *options)), source + known_word("/"), target)
    yield Run(words, context.origin, Carrier("cmd", "robocopy"))


def convert_path(text: str, context: ExecutionContext) -> Word:
    r"""Converts `C:\Users\x` to the name in Git Bash and WSL: `/c/Users/x`."""
    for name, place in _VARIABLE_PATHS.items():
        if text.lower().startswith(name):
            text = (context.home if place == "~" else place) + text[len(name) :]
    if "%" in text:
        return unknown_word(text)
    text = text.replace("\\", "/")
    if text in ("*", "*.*"):
        return known_word(".")  # with /s everything below, otherwise the files of the folder
    drive = re.match(r"([A-Za-z]):(/|$)", text)
    return known_word(f"/{drive[1].lower()}/{text[3:]}".rstrip("/").removesuffix("/*.*").removesuffix("/*") if drive else text)
