"""Perl, Ruby, PHP and JavaScript by a literal reading: calls that run a command, delete or write a file, with their literal
arguments. Code given inline whose dangerous call has a computed argument is unknown; a file's is left alone."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.model.effect import Delete, Interpret, Opaque, Operation, Read, Reported, Run, Write
from toolgate.model.seen import Seen
from toolgate.model.word import Word, known, unknown

from . import word

_STRING = re.compile(r"""\s*(?:"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|`((?:\\.|[^`\\])*)`)""")
_OPENING = re.compile(r"\s*\[")
_LIST = re.compile(r"\s*,\s*\[?|\s*\[")


@dataclass(frozen=True, slots=True)
class Calls:
    """Patterns that end where the first argument begins."""

    runs: re.Pattern[str]
    deletes: re.Pattern[str]
    deletes_all: re.Pattern[str]
    writes: re.Pattern[str]
    reads: re.Pattern[str]
    backquotes: bool


def _names(*names: str) -> re.Pattern[str]:
    return re.compile(r"(?<![\w$@])(?:" + "|".join(names) + r")\s*\(?(?=\s*[\"'`\[\w$@/~])")


_NEVER = re.compile(r"(?!)")
CALLS: dict[str, Calls] = {
    "perl": Calls(
        _names("system", "exec", "qx", "popen"), _names("unlink", "rmdir"), _names("rmtree", "remove_tree"), _NEVER, _NEVER, True
    ),
    "ruby": Calls(
        _names("system", "exec", "spawn", r"IO\.popen", r"Open3\.\w+"),
        _names(r"File\.delete", r"File\.unlink", r"FileUtils\.rm", r"FileUtils\.rm_f", r"Dir\.rmdir"),
        _names(r"FileUtils\.rm_rf", r"FileUtils\.rm_r", r"FileUtils\.remove_dir", r"FileUtils\.remove_entry\w*"),
        _names(r"File\.write", r"IO\.write"),
        _names(r"File\.read", r"IO\.read"),
        True,
    ),
    "php": Calls(
        _names("system", "exec", "shell_exec", "passthru", "popen", "proc_open"),
        _names("unlink", "rmdir"),
        _NEVER,
        _names("file_put_contents"),
        _names("file_get_contents", "readfile"),
        True,
    ),
    "javascript": Calls(
        _names(r"(?:[\w.()\"']*\.)?(?:execSync|exec|execFileSync|execFile|spawnSync|spawn)"),
        _names(r"(?:[\w.()\"']*\.)?(?:unlinkSync|unlink)"),
        _names(r"(?:[\w.()\"']*\.)?(?:rmSync|rmdirSync|rimrafSync|rimraf)", r"fs\.(?:promises\.)?rm"),
        _names(r"(?:[\w.()\"']*\.)?(?:writeFileSync|writeFile|appendFileSync|appendFile)"),
        _names(r"(?:[\w.()\"']*\.)?(?:readFileSync|readFile)"),
        False,
    ),
}
_BACKQUOTES = re.compile(r"`([^`]*)`|\bqx\s*[{(/]([^})/]*)[})/]|%x\{([^}]*)\}")
_SOCKET = re.compile(r"\b(?:fsockopen|TCPSocket|IO::Socket|Socket;|net\.connect|net\.Socket|createConnection)|\bsocket\s*\(")
_SHELL = re.compile(r"/bin/(?:ba|z|da)?sh|cmd\.exe|powershell")
_FORKS = re.compile(r"\bfork\s+while\s+fork\b|\bwhile\s*\(?\s*1?\s*\)?\s*\{\s*fork|\bloop\s*\{\s*fork|\bfork\s*\(?\)?\s*while\b")


def read(code: Interpret, text: str, seen: Seen) -> Iterator[Reported]:
    calls = CALLS[code.language]
    if not code.file:
        yield from _inline(code, text, calls, seen)
    for match in calls.runs.finditer(text):
        yield from _run(text, match, code, seen)
    for pattern, recursive in ((calls.deletes, False), (calls.deletes_all, True)):
        for match in pattern.finditer(text):
            for target in _arguments(text, match.end(), seen):
                yield Delete(seen.place(target, follow=False), recursive, seen.origin)
    for match in calls.writes.finditer(text):
        for target in _arguments(text, match.end(), seen)[:1]:
            yield Write(seen.place(target), None, None, seen.origin)
    for match in calls.reads.finditer(text):
        for target in _arguments(text, match.end(), seen)[:1]:
            yield Read(seen.place(target), seen.origin)
            seen.read(target)


def _inline(code: Interpret, text: str, calls: Calls, seen: Seen) -> Iterator[Reported]:
    """What is suspicious in a line given on the command line, and common in a file."""
    if any(_is_computed(text, match) for pattern in _harmful(calls) for match in pattern.finditer(text)):
        yield Opaque(f"the argument of a call in this {code.language} code is computed", seen.origin)
    if _SOCKET.search(text) and _SHELL.search(text):
        yield Operation("network.shell", seen.origin)
    if _FORKS.search(text):
        yield Operation("process.replicate", seen.origin)
    if calls.backquotes:
        for match in _BACKQUOTES.finditer(text):
            yield Interpret("shell", word(match[1] or match[2] or match[3] or ""), seen.origin, via=f"{code.language} backquotes")


def _harmful(calls: Calls) -> tuple[re.Pattern[str], ...]:
    return calls.runs, calls.deletes, calls.deletes_all, calls.writes


def _is_computed(text: str, match: re.Match[str]) -> bool:
    """Is the first argument no literal? `/x/.exec(s)` is no call of ours."""
    if match[0].strip(" (").endswith(".exec") and _is_regexp_exec(text):
        return False
    opening = _OPENING.match(text, match.end())
    return _STRING.match(text, opening.end() if opening else match.end()) is None


def _run(text: str, match: re.Match[str], code: Interpret, seen: Seen) -> Iterator[Reported]:
    if code.language == "javascript" and match[0].endswith(("exec(", "exec")) and _is_regexp_exec(text):
        return
    words = _arguments(text, match.end(), seen)
    via = f"{code.language} {match[0].strip(' (')}"
    if len(words) > 1 and words[0].text is not None and " " not in words[0].text:
        yield Run(tuple(words), seen.origin, via)
    elif words:
        yield Interpret("shell", words[0], seen.origin, via=via)


def _is_regexp_exec(text: str) -> bool:
    """`/x/.exec(s)` and `re.exec(s)` look for text; only `child_process` runs something."""
    return "child_process" not in text and "execa" not in text


def _arguments(text: str, at: int, seen: Seen) -> list[Word]:
    """The literal arguments from here on."""
    words: list[Word] = []
    opening = _OPENING.match(text, at)
    at = opening.end() if opening else at
    while len(words) < 16:
        match = _STRING.match(text, at)
        if match is None:
            break
        literal = next(group for group in match.groups() if group is not None)
        words.append(_interpolated(literal, seen))
        separator = _LIST.match(text, match.end())
        if separator is None:
            break
        at = separator.end()
    return words


def _interpolated(literal: str, seen: Seen) -> Word:
    if "${" in literal or "#{" in literal:
        return unknown(literal[:60])
    literal = literal.replace('\\"', '"').replace("\\'", "'").replace("\\n", "\n")
    return known(seen.home + literal[1:]) if literal == "~" or literal.startswith("~/") else word(literal)
