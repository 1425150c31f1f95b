"""cmd.exe: its own deleting commands, and other programs unchanged. Blocks, loops and variables are not read."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Delete, Interpret, Opaque, Prints, Read, Reported, Run, Write
from toolgate.model.seen import Seen
from toolgate.model.word import Word, known, unknown

_JOINTS = re.compile(r'((?:"[^"]*"|[^"&|])*)(?:&&|\|\||[&|]|$)')
_WORDS = re.compile(r'(?:"[^"]*"?|[^\s">])+|>>?')
_NOT_READ = re.compile(
    r"[()^]|%(?!USERPROFILE%|SystemRoot%|SystemDrive%|HOMEDRIVE%|HOMEPATH%|windir%)\w|^\s*(?:if|for|call|goto|setlocal)\b",
    re.IGNORECASE,
)
_FOLDERS = ("rd", "rmdir")
_FILES = ("del", "erase")
_TELLS = "echo dir ver vol cls rem set cd chdir path prompt title pause exit where mkdir md"
_PLACES = {
    "%userprofile%": "~",
    "%homedrive%%homepath%": "~",
    "%systemroot%": "/c/Windows",
    "%windir%": "/c/Windows",
    "%systemdrive%": "/c",
}


def read(_code: Interpret, text: str, seen: Seen) -> Iterator[Reported]:
    if _NOT_READ.search(text):
        yield Opaque("this cmd.exe code cannot be read", seen.origin)
    for part in _JOINTS.findall(text.strip().strip('"') if text.count('"') % 2 == 0 and text.strip()[:1] == '"' else text):
        words = [word.replace('"', "") for word in _WORDS.findall(part)]
        if words:
            yield from _command(words, seen)
    yield Prints(seen.output("cmd"))


def _command(words: list[str], seen: Seen) -> Iterator[Reported]:
    while any(word in (">", ">>") for word in words[:-1]):
        at = next(n for n, word in enumerate(words) if word in (">", ">>"))
        if words[at + 1].lower() != "nul":
            yield Write(seen.place(path(words[at + 1], seen)), None, words[at] == ">>", seen.origin)
        del words[at : at + 2]
    if not words:
        return
    name, switches = words[0].lower().removesuffix(".exe"), [word.lower() for word in words[1:] if word[:1] == "/"]
    operands = [word for word in words[1:] if word[:1] != "/"]
    if name in _FOLDERS or name in _FILES:
        for operand in operands:
            yield Delete(seen.place(path(operand, seen), follow=False), "/s" in switches, seen.origin)
    elif name == "type":
        yield from (Read(seen.place(path(operand, seen)), seen.origin) for operand in operands)
    elif name in ("copy", "xcopy", "robocopy", "move") and len(operands) > 1:
        tool = known("mv" if name == "move" else "cp")
        yield Run((tool, known("-r"), *(path(operand, seen) for operand in operands)), seen.origin, f"cmd {name}")
    elif name not in _TELLS.split():
        yield Run(tuple(known(word) for word in words), seen.origin, "cmd /c")


def path(text: str, seen: Seen) -> Word:
    r"""Converts `C:\Users\x` to the name in Git Bash and WSL: `/c/Users/x`."""
    for name, place in _PLACES.items():
        if text.lower().startswith(name):
            text = (seen.home if place == "~" else place) + text[len(name) :]
    if "%" in text:
        return unknown(text)
    text = text.replace("\\", "/")
    if text in ("*", "*.*"):
        return known(".")  # with /s everything below, otherwise the files of the folder
    drive = re.match(r"([A-Za-z]):(/|$)", text)
    return known(f"/{drive[1].lower()}/{text[3:]}".rstrip("/").removesuffix("/*.*").removesuffix("/*") if drive else text)
