"""Code that repeats without end what uses the machine up: it forks or starts processes, takes memory, or appends to a file.

The loops and the functions that call themselves are found by their heads; one that ends, waits or frees what it takes is left
alone."""

import re
from itertools import islice

from .texts import find_closing, find_end_of_body

_FORK = r"(?<![\w$@])(?:pcntl_)?(?:v?fork|fork(?:pty|Process))(?![\w-])(?!\s*(?:=>|[=:]))"
_STARTS_ITSELF = re.compile(
    r"\bcurrent_exe\b|\bnameofexecutable\b|\binfo\s+script\b|\bgetAppFilename\b|\bEnvironment\.ProcessPath\b|\bthisExePath\b"
    r"|\bselfExePath|\bexecutable(?:Path|_name)\b|\bargv\[0\]|\barguments\[0\]|\b__ENV__\.file|\bPlatform\.script\b"
    r"|\bPROGRAM_FILE\b|\bgetExecutablePath\b|\bos\.Args\[0\]"
)
_STARTS = re.compile(r"(?i)spawn|exec|start|run|system|popen|open_process")
_FORKS = re.compile(_FORK)
_RUNS_BESIDE = re.compile(r"\b(?:os\.execute|system|exec|popen|spawn)\s*\(?\s*[\"'][^\"']*&\s*[\"']")
_ENDLESS = re.compile(
    r"\bwhile\s*\(?\s*(?:1|[tT]rue|TRUE|#t|:)?\s*\)?\s*(?=[{;\n(]|do\b|[A-Za-z:])|\bloop\b(?=\s*(?:\{|do\b|\())|\bfor\s*\(\s*;\s*;\s*\)"
    r"|\bfor\s*(?=\{)|\bforever\b\s*\$?|\brepeat\b(?=\s*\{)|\bStream\.(?:cycle|repeatedly)\([^\n]*?(?=,\s*do:|\bdo\b)"
)
_IN_CONDITION = re.compile(
    rf"\bwhile\s*\(?\s*(?:\w+(?:\.|::)){{0,2}}{_FORK}|{_FORK}\s*\(?\s*\)?\s*while\b|\b(?:for|while)\s*\([^)]*\)\s*\{{?\s*{_FORK}"
)
_FUNCTION = re.compile(
    r"\b(?:let\s+rec|fun|func|fn|defp?|sub|proc|function)\s+(\w+)|\b(?:void|int|bool|Unit|static\s+\w+)\s+(\w+)\s*\(|^(\w+)\s*(?:\(\))?\s*=(?![=>])",
    re.MULTILINE,
)
_LEAVES = re.compile(
    r"\b(?:_?[eE]xit\w*|exec[lv]\w*|return|break|last|die|quit|halt|stop|abort|accept\w*|wait\w*|recv\w*|read\w*|sleep\w*|delay|usleep)\b",
)
"""A child that has work of its own, or a loop that waits."""


_LONGEST = 2000  # characters of a body
_MOST = 200
"""Loops and functions of a text that are looked at."""


_STARTS_PROCESS = re.compile(
    r"\bnew\s+ProcessBuilder\b[^;]*\.start\b|\bgetRuntime\(\)\.exec\b|\bProcess\.Start\b|\bCommand::new\b[^;]*\.spawn\b"
)
_TAKES_MEMORY = re.compile(
    r"(?:\.\s*(?:add|push|push_back|append|addLast|emplace_back|<<)|\bpush!?|\bappend)\s*\(\s*[^;\n]{0,80}(?:new\s+\w+\s*\[|vec!\s*\[|zeros|ones"
    r"|make\(\[\]|numeric)|\b(?:malloc|calloc|valloc)\s*\([^;]*(?:<<|[\d_]{6,}|1e\d)|\[\[\s*length\([^\n]*(?:numeric|rnorm|matrix)"
)
_GROWS = re.compile(r"\.=|\[\]\s*=|\bpush\s+@|\+=\s*[\"']")
_GROWS_BEFORE = re.compile(r"(?:\.=|\bpush\b)[^;{}\n]*\bwhile\s+1\b")
_FREES = re.compile(r"\b(?:free|clear|pop\w*|remove\w*|delete|truncate|reset|drop)\b|\bgc\(")
_APPENDS = re.compile(
    r"(?:append|:a\b|\"a[b+]?\"|'a[b+]?'|\bAppend\b)[^\n;]{0,60}|\bFile\.write!?\([^\n]{0,120}:append", re.IGNORECASE
)
_WRITES_FILE = re.compile(
    r"\b(?:File|fopen|Files|open|IO|io|os)\b[^\n]{0,80}\b(?:write\w*|append\w*|put\w*)|\bwrite!?\(", re.IGNORECASE
)


def forks_without_end(text: str) -> bool:
    """Returns whether the code forks, or starts itself or processes, again and again."""
    if _IN_CONDITION.search(text):
        return True
    return any(map(_starts_another, (*_find_loops(text), *_find_recursions(text))))


def takes_memory_without_end(text: str) -> bool:
    """Returns whether an endless loop takes memory that nothing frees."""
    takes = (body for body in _find_loops(text) if _TAKES_MEMORY.search(body) or _GROWS.search(body))
    return _GROWS_BEFORE.search(text) is not None or any(not _FREES.search(body) and not _LEAVES.search(body) for body in takes)


def appends_without_end(text: str) -> bool:
    """Returns whether an endless loop appends to a file."""
    return any(_APPENDS.search(body) and _WRITES_FILE.search(body) and not _LEAVES.search(body) for body in _find_loops(text))


def _starts_another(body: str) -> bool:
    starts = (
        _FORKS.search(body)
        or _STARTS_PROCESS.search(body)
        or _RUNS_BESIDE.search(body)
        or (_STARTS_ITSELF.search(body) and _STARTS.search(body))
    )
    return starts is not None and _LEAVES.search(body) is None


def _find_loops(text: str) -> list[str]:
    heads = islice(_ENDLESS.finditer(text), _MOST)
    return [text[head.end() : min(find_end_of_body(text, head), head.end() + _LONGEST)] for head in heads]


def _find_recursions(text: str) -> list[str]:
    """Returns the bodies of the functions that call themselves."""
    found: list[str] = []
    for head in islice(_FUNCTION.finditer(text), _MOST):
        name = re.escape(head[1] or head[2] or head[3])
        if re.search(
            rf"(?<![\w.]){name}\b", body := text[head.end() : min(_find_end_of_function(text, head.end()), head.end() + _LONGEST)]
        ):
            found.append(body)
    return found


def _find_end_of_function(text: str, start: int) -> int:
    """Returns where a function ends: at its closing brace, or where the next line begins that is not indented."""
    brace = re.compile(r"[^\n{;]*\n?\{").match(text, start)
    if brace is not None:
        return find_closing(text, brace.end() - 1)
    following = re.compile(r";;|\n(?=[^\s|}])").search(text, start)
    return following.start() if following is not None else len(text)
