"""Python, read by the abstract evaluator: the effects of calls on files, programs and connections, through any names.

The text is parsed by tree-sitter, so the syntax of every current version is supported by any interpreter. Code that hides a
call (`exec` of computed text, `getattr` with a computed name) is Opaque.
"""

from collections.abc import Iterator

from toolgate.languages.evaluation.evaluator import Evaluator
from toolgate.languages.evaluation.reporter import Reporter
from toolgate.languages.evaluation.work import Exhausted, Work
from toolgate.model.effect import Interpret, Operation, Prints, Reported
from toolgate.model.seen import Seen
from toolgate.model.unread import unread_code

from .library import library
from .modules import Loader
from .source import SourceError, lower_text

STEPS = 25_000
SWEEP = 12_000
"""Steps for functions that were not called; also if the text itself has used up its own."""
_PURE = (
    "print",
    "sys.stdout.write",
    "chr",
    "len",
    "range",
    "bytes",
    "repr",
    "format",
    "int",
    "sorted",
    "enumerate",
    "zip",
    "list",
    "map",
)
_CONNECTS = ("socket.create_connection", "socket.fromfd", "socket.socket")
_JOINED = frozenset(("os.dup2", "pty.spawn", "subprocess.call", "subprocess.Popen", "subprocess.run"))


def read(code: Interpret, text: str, seen: Seen) -> Iterator[Reported]:
    work = Work(STEPS)
    report = Reporter(code, seen, work)
    name = code.file or "this Python code"
    evaluator = Evaluator(library(), report, work)
    evaluator.loader = Loader(evaluator)
    is_file = bool(code.file) or code.via.endswith("<stdin")
    try:
        evaluator.run_all(lower_text(text, report, is_file=is_file), SWEEP)
    except SourceError as problem:
        yield unread_code(name, str(problem), seen.origin)
    except (Exhausted, RecursionError):
        yield unread_code(name, "it takes more steps than the gate follows", seen.origin)
    if not code.file and _joins_shell(evaluator):
        yield Operation("network.shell", seen.origin)
    yield from report.effects_in_order()
    only_prints = all(name in _PURE or name.startswith("str") for name in evaluator.called)
    yield Prints(report.printed_word() if only_prints and report.printed else seen.output("what Python prints"))


def _joins_shell(evaluator: Evaluator) -> bool:
    """Returns whether a socket's descriptor becomes a program's input and output."""
    return any(name in evaluator.called for name in _CONNECTS) and not _JOINED.isdisjoint(evaluator.called)
