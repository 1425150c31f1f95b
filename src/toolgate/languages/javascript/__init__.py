"""JavaScript and TypeScript by their own grammars (tree-sitter): calls that touch files, run programs, connect or run code,
wherever they stand in the text and whatever their names are there.

Every path through the code counts. Where the grammars are not installed, and for files longer than is worth it, the literal
reading stands in.
"""

import re
from collections.abc import Iterator

from toolgate.languages import literal
from toolgate.model.effect import Interpret, Opaque, Operation, Prints, Reported, Run
from toolgate.model.seen import Seen
from toolgate.model.unread import unread_code

from . import providers
from .acts import Acts, is_trusted
from .calls import Call, Calls
from .databases import asked
from .grammar import Tree, parse, text
from .names import Names
from .table import SOCKETS
from .values import DECODES

_LONGEST = 200_000
_SHELLS = frozenset(("sh", "bash", "zsh", "dash", "ksh", "cmd.exe", "cmd", "powershell", "powershell.exe", "pwsh"))


def read(code: Interpret, source: str, seen: Seen) -> Iterator[Reported]:
    name = code.file or "this JavaScript"
    if len(source) > _LONGEST:
        yield unread_code(name, f"it is longer than {_LONGEST:,} characters", seen.origin)
        yield from literal.read(code, source, seen)
        return
    try:
        tree = parse(source)
    except ImportError:
        yield from literal.read(code, source, seen)
        return
    if tree.root.has_error:
        yield unread_code(name, "it does not parse as JavaScript or TypeScript", seen.origin)
        yield from literal.read(code, source, seen)
    yield from _read(tree, code, seen)
    yield Prints(seen.output("what JavaScript prints"))


def _read(tree: Tree, code: Interpret, seen: Seen) -> Iterator[Reported]:
    trusted = is_trusted(code)
    names = Names(tree, code, seen)
    called = Calls(names)
    calls = [call for node in tree.of("call") for call in called.of(node)]
    acts = Acts(names, code, seen, decodes=not trusted and _decodes(calls))
    if not trusted:
        if _decodes(calls):
            yield Operation("text.decode", seen.origin)
        if _forks(tree, calls) or _starts_itself(calls):
            yield Operation("process.replicate", seen.origin)
        if any(_ENDLESS.match(tree.shown(loop)) and _GROWS.search(text(loop)) for loop in tree.of("looped")):
            yield Operation("memory.fill", seen.origin)
        yield from providers.asked(text(tree.root), seen)
        if ":memory:" not in text(tree.root):
            yield from asked(tree, names, seen)
    if names.beyond and not trusted:
        yield Opaque("a name in this JavaScript is given more values than the gate follows", seen.origin)
    ran: list[Run] = []
    for call in calls:
        for effect in acts.effects(call):
            if isinstance(effect, Run):
                ran.append(effect)
            yield effect
    joins = any(run.argv[0].tail.rpartition("/")[2] in _SHELLS for run in ran)
    if not trusted and joins and any(call.name in SOCKETS for call in calls):
        yield Operation("network.shell", seen.origin)


def _decodes(calls: list[Call]) -> bool:
    """Is a text made of bytes that nobody can read?"""
    for call in calls:
        encodings = [getattr(value, "text", None) or "" for value in call.at(1)] if call.name == "Buffer.from" else []
        if call.name in DECODES or any(encoding.startswith(("base64", "hex")) for encoding in encodings):
            return True
    return False


def _forks(tree: Tree, calls: list[Call]) -> bool:
    """A loop that starts itself anew in every round."""
    forks = [call.node for call in calls if call.name in ("child_process.fork", "cluster.fork")]
    starts = [call.node for call in calls if call.name in _STARTS]
    return any(
        loop.start_byte <= call.start_byte < loop.end_byte
        for loop in tree.of("looped")
        for call in (forks + starts if _ENDLESS.match(tree.shown(loop)) and not _WAITS.search(text(loop)) else forks)
        if not _COUNTED.match(tree.shown(loop)) or _OWN_FILE.search(text(call))
    )


def _starts_itself(calls: list[Call]) -> bool:
    """Code of a command line that hands itself on to another of its kind."""
    return any(_ITSELF.search(text(call.node)) for call in calls if call.name in _STARTS)


_STARTS = ("child_process.spawn", "child_process.exec", "child_process.execFile", "child_process.fork")
_ENDLESS = re.compile(r"while\s*\(\s*(?:true|1|!0)\s*\)|for\s*\(\s*;\s*;")
_COUNTED = re.compile(
    r"for\s*\(\s*(?:let|const|var)\s+(?:\w+\s+(?:of|in)\b|\w+\s*=\s*\d+\s*;\s*\w+\s*<=?\s*(?:\d{1,3}\b|[a-zA-Z]))"
)
_OWN_FILE = re.compile(r"__filename|process\.argv|cluster\.fork")
_WAITS = re.compile(r"\bawait\b|\bbreak\b|\breturn\b|Sync\b")
_GROWS = re.compile(r"^(?!.*\b(?:await|break|return|yield|throw|exit)\b).*(?:\.push\s*\(|\+=\s*[\"'`\w])", re.DOTALL)
"""It keeps more in every round."""
_ITSELF = re.compile(
    r"process\.(?:argv0|argv\[0\]|execPath).*(?:\.toString\(\)|process\.argv\.slice|process\.execArgv)", re.DOTALL
)
