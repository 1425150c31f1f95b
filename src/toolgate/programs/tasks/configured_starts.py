"""Settings files of git, ssh, editors, terminals and Python with commands that run when their program starts.

GROWS: a kind of file is a line in the table: the path, then what precedes a command in a line.
"""

import re
import tomllib
from collections.abc import Iterator
from typing import Any

from toolgate.model.effect import Carrier, Interpret, ReportedEffect, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word

_LINES: tuple[tuple[str, str, str], ...] = (
    (
        r"/\.git/config$|/\.gitconfig$|/git/config$|/\.gitmodules$",
        r"\s*(?:fsmonitor|sshCommand|gitProxy|pager|editor|askPass|smudge|clean|process|textconv|command|cmd|driver|program|external|update)"
        r"\s*=\s*[\"']?!?|\s*[\w-]+\s*=\s*[\"']?!",
        "shell",
    ),
    (
        r"/\.ssh/config$|/ssh_config(?:\.d/[^/]+)?$",
        r"(?i)\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand)[\s=]+|\s*Match\s.*\bexec\s+",
        "shell",
    ),
    (r"/authorized_keys2?$", r"(?:[^#\"]|\"[^\"]*\")*?\bcommand=\"", "shell"),
    (
        r"/\.?(?:g|n)?(?:vimrc|exrc)$|/nvim/.*\.vim$|/\.vim/.*\.vim$",
        r"(?:\s*au(?:tocmd)?\b.*?)?\s*:?\s*(?:silent!?\s+)*!|.*\bsystem\(\s*",
        "shell",
    ),
    (
        r"/\.?tmux(?:\.conf)?$|/tmux\.conf$",
        r"\s*(?:(?:bind(?:-key)?|set-hook)\b[^\"']*?\s[\"']?)?(?:run-shell|run|if-shell)\s+(?:-b\s+)?|.*?#\(",
        "shell",
    ),
    (r"/kitty\.conf$", r"\s*shell\s+(?!\.\s*$)", "shell"),
    (r"/\.gdbinit$|/\.lldbinit$", r"\s*(?:shell|platform shell|!)\s*", "shell"),
    (r"/(?:init\.el|\.emacs)$", r".*?\((?:async-)?(?:shell-command|call-process-shell-command)(?:-to-string)?\s+", "shell"),
    (r"/\.dir-locals\.el$", r".*?\(eval\s*\.\s*\((?:async-)?shell-command(?:-to-string)?\s+", "shell"),
    (r"\.pth$", r"(?=import[ \t])", "python"),
)
_PATTERNS = tuple((re.compile(path), re.compile(key), language) for path, key, language in _LINES)
_CLOSING = {'"': '"', "'": "'", "`": "`"}


def is_configured_start(path: str) -> bool:
    """Returns whether settings at this path may hold commands."""
    return any(pattern.search(path) for pattern, _, _ in _PATTERNS) or path.endswith("/alacritty.toml")


def read_settings(path: str, content: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the commands in these settings."""
    for pattern, key, language in _PATTERNS:
        for line in content.split_lines() if pattern.search(path) else ():
            found = key.match(line.head)
            if found is not None:
                text = _unquote(line.head, found.end()) if line.text is not None else None
                command = known_word(text, line.src) if text is not None else line.drop_first(found.end())
                yield Interpret(language, command, context.origin, via=Carrier(path.rpartition("/")[2]))
    if path.endswith("/alacritty.toml"):
        yield from _read_alacritty(content.text or "", context)


def _unquote(line: str, start: int) -> str:
    """Returns the command that begins at a position: up to the quote that closes it, if one opens it there or just before."""
    before, first = line[start - 1 : start], line[start : start + 1]
    quote = first if first in _CLOSING else before if before in _CLOSING else line[start - 2 : start - 1] if before == "!" else ""
    if quote not in _CLOSING or not quote:
        inside = line[start - 2 : start] == "#("
        return line[start:].rpartition(")")[0] if inside else line[start:]
    rest = line[start + (first == quote) :]
    end = re.search(rf"(?<!\\){re.escape(quote)}", rest)
    return (rest[: end.start()] if end is not None else rest).replace(f"\\{quote}", quote)


def _read_alacritty(text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    try:
        top = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return
    terminal = top.get("terminal")
    for shell in (top.get("shell"), terminal.get("shell") if isinstance(terminal, dict) else None):
        yield from run_described(shell, "program", context)


def run_described(program: Any, key: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Runs a program from settings that give its path and its arguments."""
    if isinstance(program, dict) and isinstance(program.get(key), str):
        words = program.get("args")
        more = [known_word(word) for word in words if isinstance(word, str)] if isinstance(words, list) else []
        yield Run((known_word(program[key]), *more), context.origin, Carrier("settings", key))
