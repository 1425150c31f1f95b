"""JavaScript and TypeScript, read by the abstract evaluator: the effects of calls on files, programs and connections, through
any names.

The text is parsed by tree-sitter. Code that hides a call is Opaque: `eval` of computed text, a part of a module by a computed
name.
"""

import re
from collections.abc import Iterator

from toolgate.languages.evaluation.printed_text import describe_output
from toolgate.languages.evaluation.remote_shells import find_remote_shell
from toolgate.languages.evaluation.step_budget import OutOfSteps, StepBudget
from toolgate.model.effect import Interpret, PrintedOutput, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.unread_code import opaque_for_unread

from .evaluator import JavaScriptEvaluator
from .library import javascript_library
from .modules import Loader
from .reporter import JavaScriptReporter
from .source import SourceError, lower_text

MAX_STEPS = 25_000
SWEEP_STEPS = 12_000
"""Steps for functions that were not called; also if the text itself has used up its own."""
_SOCKET_CALLS = (
    "net.connect",
    "net.createConnection",
    "net.Socket.connect",
    "tls.connect",
    "Deno.connect",
    "Bun.connect",
    "socket.connect",
    "ws.WebSocketServer",
    "ws.Server",
    "ws.WebSocket.Server",
    "socket.io.Server",
    "net.createServer",
    "net.Server",
)
_PRINTING_ONLY = (
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


def read(code: Interpret, text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    work = StepBudget(context.lend_code_steps(MAX_STEPS))
    report = JavaScriptReporter(code, context, work)
    name = code.file or "this JavaScript"
    evaluator = JavaScriptEvaluator(javascript_library(), report, work)
    evaluator.loader = Loader(evaluator)
    is_printed = code.via is not None and "print" in code.via.option
    try:
        evaluator.run_all(
            lower_text(_print_expression(text) if is_printed else text, evaluator), context.lend_code_steps(SWEEP_STEPS)
        )
    except SourceError as problem:
        yield opaque_for_unread(name, str(problem), context.origin)
    except (OutOfSteps, RecursionError):
        yield opaque_for_unread(name, "it takes more steps than the gate follows", context.origin)
    context.spend_code_steps(work.spent)
    yield from find_remote_shell(evaluator, _SOCKET_CALLS)
    yield from report.effects_in_order()
    only_prints = not is_printed and all(each.startswith(_PRINTING_ONLY) for each in evaluator.called)
    yield PrintedOutput(describe_output(report, "JavaScript", only_prints=only_prints))


def _print_expression(text: str) -> str:
    """Returns code that prints the value of a single expression, as `node -p` does; other code is left unchanged."""
    return f"console.log({text}\n)" if _EXPRESSION.fullmatch(text) else text


_EXPRESSION = re.compile(
    r"(?!\s*(?:\{|(?:async|class|const|do|for|function|if|import|let|return|switch|throw|try|var|while|with)\b))[^;\n]+"
)
