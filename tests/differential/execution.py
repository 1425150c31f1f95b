"""Runs programs, and checks whether the effects read from their text cover what really ran.

A program runs in an empty scratch folder, with no environment but HOME and a PATH that holds stubs and a few harmless tools.
"""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from differential.programs import FILES, LINKS, MARKERS
from toolgate.machine.world import MachineWorld
from toolgate.model.action import RunShell
from toolgate.model.effect import Effects, Interpret, Opaque, Run
from toolgate.model.event import Caller, Scene
from toolgate.model.word import Hole, HoleKind, Word
from toolgate.understand import understand

TOOLS = (
    "env",
    "xargs",
    "find",
    "sh",
    "bash",
    "dash",
    "cat",
    "nice",
    "nohup",
    "timeout",
    "basename",
    "printf",
    "echo",
    "true",
    "false",
)

# One subshell a program, started in a folder of its own. Descriptor 9 is where the markers write.
_DRIVER = r"""
while [ "$#" -gt 1 ]; do
    ( ulimit -t 2 -f 2000; cd "$1"; unset OLDPWD; text=$2
      set --; eval "unset text; $text" ) 9>>"$1.log" 2>/dev/null >/dev/null </dev/null
    shift 2
done
"""
_STUB = '#!/bin/dash\nprintf \'%s\\0\' "${0##*/}" "$(pwd -P)" "$#" "$@" >&9 2>/dev/null\n'

Ran = tuple[str, str, tuple[str, ...]]  # name, directory, arguments


@dataclass
class Scratch:
    """A place to run programs in: `bin` holds the stubs, and each program has a folder."""

    root: Path
    count: int = 0
    bin: Path = field(init=False)

    def __post_init__(self) -> None:
        self.root = Path(os.path.realpath(self.root))
        self.bin = self.root / "bin"
        self.bin.mkdir()
        for name, prints in MARKERS.items():
            stub = self.bin / name
            stub.write_text(_STUB + prints + "\n")
            stub.chmod(0o755)
        (self.root / "home" / "q").mkdir(parents=True)
        for tool in TOOLS:
            if found := shutil.which(tool):
                (self.bin / tool).symlink_to(found)

    def folder(self) -> Path:
        self.count += 1
        folder = self.root / "run" / str(self.count) / "w"
        self.fill(folder)
        return folder

    def fill(self, folder: Path) -> None:
        """Restores the folder to its state before anything ran in it."""
        shutil.rmtree(folder.parent, ignore_errors=True)
        for name, content in FILES.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content)
        for name, target in LINKS.items():
            (folder / name).symlink_to(target)

    def environ(self) -> dict[str, str]:
        return {"PATH": str(self.bin), "HOME": str(self.root / "home"), "LC_ALL": "C.UTF-8", "SHELL": "/bin/sh"}

    def read_text(self, text: str, folder: Path, **more: str) -> Effects:
        environ = {**self.environ(), **more}
        scene = Scene(Caller("test"), str(folder), str(folder), environ["HOME"], {**environ, "PWD": str(folder)}, "u")
        return understand(RunShell(text), scene, MachineWorld())


# zsh as it is when it stands in for sh: by itself it does not split values, and counts `$#name`.
OPTIONS = {"bash": ["--norc", "--noprofile"], "dash": [], "zsh": ["--emulate", "sh"]}


def run(shell: str, programs: list[tuple[str, Path]], scratch: Scratch) -> list[list[Ran] | None]:
    """Returns what ran in each program; None for a program that did not end."""
    arguments = [part for text, folder in programs for part in (str(folder), text)]
    options = OPTIONS[Path(shell).name]
    process = subprocess.Popen(
        [shell, *options, "-c", _DRIVER, "driver", *arguments],
        env=scratch.environ(),
        cwd=scratch.root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    ended = True
    try:
        process.wait(timeout=20 if len(programs) > 1 else 5)
    except subprocess.TimeoutExpired:
        ended = False
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)  # whatever a program left behind
        except ProcessLookupError:
            pass
        process.wait()
    if ended:
        return [read_log(Path(f"{folder}.log")) for _, folder in programs]
    if len(programs) == 1:
        return [None]
    middle = len(programs) // 2
    for _, folder in programs:
        scratch.fill(folder)
    return run(shell, programs[:middle], scratch) + run(shell, programs[middle:], scratch)


class Source(Protocol):
    def program(self) -> list[str]: ...


@dataclass
class Compared:
    """`ended`: the number of programs that ended; `commands`: the commands that ran in them; `unread`: the programs that could
    not be read; `misses`: the lines of those in which a command ran that was not read."""

    ended: int = 0
    commands: int = 0
    unread: int = 0
    misses: list[list[str]] = field(default_factory=list)


def compare_programs(shell: str, source: Source, count: int, scratch: Scratch, batch: int = 25) -> Compared:
    """Runs and reads `count` programs."""
    found = Compared()
    for _ in range(0, count, batch):
        programs = [source.program() for _ in range(batch)]
        texts = [("\n".join(lines), scratch.folder()) for lines in programs]
        read = [scratch.read_text(text, folder) for text, folder in texts]
        for lines, effects, ran in zip(programs, read, run(shell, texts, scratch), strict=True):
            if ran is None:
                continue
            found.ended, found.commands = found.ended + 1, found.commands + len(ran)
            if is_unread(effects):
                found.unread += 1
            elif find_missed(ran, effects):
                found.misses.append(lines)
    return found


def read_log(log: Path) -> list[Ran]:
    fields = log.read_bytes().decode("utf-8", "surrogateescape").split("\0") if log.exists() else []
    ran: list[Ran] = []
    at = 0
    while at + 2 < len(fields):
        count = int(fields[at + 2])
        ran.append((fields[at], fields[at + 1], tuple(fields[at + 3 : at + 3 + count])))
        at += 3 + count
    return ran


# ---- does what was read cover what ran?


def is_unread(effects: Effects) -> bool:
    """Returns whether the effects say that something could not be read."""
    return any(
        isinstance(effect, Opaque) or (isinstance(effect, Interpret) and effect.language == "shell" and not effect.followed)
        for effect in effects.all
    )


def find_missed(ran: list[Ran], effects: Effects) -> list[Ran]:
    """Returns what ran and is in none of the effects."""
    runs = [effect for effect in effects.all if isinstance(effect, Run)]
    return [each for each in dict.fromkeys(ran) if not any(_includes(effect, each) for effect in runs)]


def _includes(effect: Run, ran: Ran) -> bool:
    name, cwd, arguments = ran
    return _is_there(effect.cwd, cwd) and _match(effect.argv, (name, *arguments))


def _is_there(word: Word | None, cwd: str) -> bool:
    if word is None:
        return False
    text = word.text
    if text is not None:
        return os.path.realpath(text) == cwd
    return any(_expression(word).fullmatch(each) is not None for each in _spellings(cwd))


def _spellings(cwd: str) -> Iterator[str]:
    """Returns the paths of a folder: its own, and the links to it that are beside it."""
    yield cwd
    yield os.path.realpath(cwd)
    beside = os.path.dirname(cwd)
    yield from (
        path for name in os.listdir(beside) if os.path.realpath(path := f"{beside}/{name}") == cwd and os.path.islink(path)
    )


def _match(words: tuple[Word, ...], arguments: tuple[str, ...]) -> bool:
    """Matches word by word; a hole that splits stands for any number of words, a glob for as many as there are files."""
    reached = {0}
    for word in words:
        reached = {end for start in reached for end in _iter_ends(word, arguments, start)}
        if not reached:
            return False
    return len(arguments) in reached


def _iter_ends(word: Word, arguments: tuple[str, ...], start: int) -> Iterator[int]:
    """Yields where the words that this one stands for may end. A glob may match nothing (`nullglob`)."""
    if word.text is not None:
        if arguments[start : start + 1] == (word.text,):
            yield start + 1
        return
    expression, end = _expression(word), start
    several = word.splits or any(isinstance(part, Hole) and part.kind is HoleKind.GLOB for part in word.parts)
    if several:
        yield start
    while end < len(arguments) and expression.fullmatch(arguments[end]):
        end += 1
        yield end
        if not several:
            break
    if word.splits:
        for end in range(start + 2, len(arguments) + 1):
            if expression.fullmatch("\0".join(arguments[start:end])):
                yield end


_ANY_FOLDERS = "(?:.*)"


@lru_cache(4096)
def _expression(word: Word) -> re.Pattern[str]:
    expression = "".join(re.escape(part) if isinstance(part, str) else _hole(part) for part in word.parts)
    return re.compile(expression.replace(f"{_ANY_FOLDERS}/", f"(?:{_ANY_FOLDERS}/)?"), re.DOTALL)


def _hole(hole: Hole) -> str:
    if hole.like.startswith("/dev/fd/"):
        return r"(?:/dev/fd/[0-9]+|/proc/self/fd/[0-9]+|/tmp/zsh\w+)"
    if hole.kind is HoleKind.GLOB:  # several names when it is printed, itself when nothing matches
        return _ANY_FOLDERS if hole.why == "**" else ".*"
    text = ""
    for token in re.findall(r"\*\*/|\*\*|\*|\?|\[!?\]?[^\]]*\]|[^*?\[]+|\[", hole.like):
        if token == "**/":
            text += "(?:.*/)?"
        elif token == "**":
            text += ".*"
        elif token == "*":
            text += "[^/]*"
        elif token == "?":
            text += "."
        elif token[0] == "[" and len(token) > 1:
            text += token.replace("[!", "[^", 1)
        else:
            text += re.escape(token)
    return f"(?:{text})"
