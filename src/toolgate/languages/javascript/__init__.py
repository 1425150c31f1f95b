"""JavaScript and TypeScript, read by the abstract evaluator: the effects of calls on files, programs and connections, through
any names.

The text is parsed by tree-sitter. Code that hides a call is Opaque: `eval` of computed text, a part of a module by a computed
name.
"""

from collections.abc import Iterator

from toolgate.languages.evaluation.work import Exhausted, Work
from toolgate.model.effect import Interpret, Operation, Prints, Reported, Run
from toolgate.model.seen import Seen
from toolgate.model.unread import unread_code

from .evaluator import JavaScriptEvaluator
from .library import library
from .modules import Loader
from .reporter import JavaScriptReporter
from .source import SourceError, lower_text

STEPS = 25_000
SWEEP = 12_000
"""Steps for functions that were not called; also if the text itself has used up its own."""
_SHELLS = frozenset(("sh", "bash", "zsh", "dash", "ksh", "cmd.exe", "cmd", "powershell", "powershell.exe", "pwsh"))
_SOCKETS = (
    "net.connect",
    "net.createConnection",
    "net.Socket.connect",
    "tls.connect",
    "Deno.connect",
    "Bun.connect",
    "socket.connect",
)
_PURE = (
    "console.",
    "str.",
    "list.",
    "object.",
    "JSON.",
    "Math.",
    "Object.",
    "Array",
    "String",
    "Number",
    "process.stdout",
    "path.",
)


def read(code: Interpret, text: str, seen: Seen) -> Iterator[Reported]:
    work = Work(STEPS)
    report = JavaScriptReporter(code, seen, work)
    name = code.file or "this JavaScript"
    evaluator = JavaScriptEvaluator(library(), report, work)
    evaluator.loader = Loader(evaluator)
    try:
        evaluator.run_all(lower_text(text, evaluator), SWEEP)
    except SourceError as problem:
        yield unread_code(name, str(problem), seen.origin)
    except (Exhausted, RecursionError):
        yield unread_code(name, "it takes more steps than the gate follows", seen.origin)
    if not report.is_trusted and _joins_shell(evaluator):
        yield Operation("network.shell", seen.origin)
    yield from report.effects_in_order()
    only_prints = "print" not in code.via and all(each.startswith(_PURE) for each in evaluator.called)
    yield Prints(report.printed_word() if only_prints and report.printed else seen.output("what JavaScript prints"))


def _joins_shell(evaluator: JavaScriptEvaluator) -> bool:
    """Returns whether there is a connection, and a shell that may use it."""
    runs = (each for each in evaluator.report.effects if isinstance(each, Run) and each.argv)
    return any(name in evaluator.called for name in _SOCKETS) and any(
        run.argv[0].tail.rpartition("/")[2] in _SHELLS for run in runs
    )
