"""Python, read by the abstract evaluator: the effects of calls on files, programs and connections, through any names.

The text is parsed by tree-sitter, so the syntax of every current version is supported by any interpreter. Code that hides a
call (`exec` of computed text, `getattr` with a computed name) is Opaque.
"""

from collections.abc import Iterator

from toolgate.languages.evaluation.evaluator import Evaluator
from toolgate.languages.evaluation.folders import FolderReporter
from toolgate.languages.evaluation.printed_text import describe_output
from toolgate.languages.evaluation.remote_shells import find_remote_shell
from toolgate.languages.evaluation.step_budget import OutOfSteps, StepBudget
from toolgate.model.effect import Interpret, PrintedOutput, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.unread_code import opaque_for_unread

from .library import python_library
from .modules import Loader
from .source import SourceError, lower_text

MAX_STEPS = 25_000
SWEEP_STEPS = 12_000
"""Steps for functions that were not called; also if the text itself has used up its own."""
_PRINTING_ONLY = (
    *("site.getusersitepackages", "site.getsitepackages", "sysconfig.get_path", "sysconfig.get_paths"),
    "distutils.sysconfig.get_python_lib",
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
_CONNECTING_CALLS = ("socket.create_connection", "socket.fromfd", "socket.socket", "websockets.serve", "asyncio.start_server")


def read(code: Interpret, text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    work = StepBudget(context.lend_code_steps(MAX_STEPS))
    report = FolderReporter(code, context, work)
    name = code.file or "this Python code"
    evaluator = Evaluator(python_library(), report, work)
    evaluator.loader = Loader(evaluator)
    is_file = bool(code.file) or code.is_standard_input
    try:
        evaluator.run_all(lower_text(text, report, is_file=is_file), context.lend_code_steps(SWEEP_STEPS))
    except SourceError as problem:
        yield opaque_for_unread(name, str(problem), context.origin)
    except (OutOfSteps, RecursionError):
        yield opaque_for_unread(name, "it takes more steps than the gate follows", context.origin)
    context.spend_code_steps(work.spent)
    yield from find_remote_shell(evaluator, _CONNECTING_CALLS)
    yield from report.effects_in_order()
    only_prints = all(name in _PRINTING_ONLY or name.startswith("str") for name in evaluator.called)
    yield PrintedOutput(describe_output(report, "Python", only_prints=only_prints))
