"""Ruby support for the abstract evaluator: reports the effects of calls on files, programs and connections, across aliases."""

from collections.abc import Iterator

from toolgate.languages.scripting.reading import Language, read_code
from toolgate.model.effect import Interpret, ReportedEffect
from toolgate.model.execution_context import ExecutionContext

from .evaluator import RubyEvaluator
from .library import RubyLibrary, bind_variables, library
from .lowering import RubyLowering, parse

RUBY = Language(
    "Ruby",
    "tree-sitter-ruby",
    parse,
    RubyLowering,
    library,
    bind_variables,
    ("TCPSocket.new", "TCPSocket.open", "Socket.tcp", "UDPSocket.new", "UNIXSocket.new"),
    ("puts", "print", "p", "str.", "list.", "object.", "number.", "pp", "$stdout.", "require"),
    RubyEvaluator,
)
RubyLibrary.language = RUBY


def read(code: Interpret, text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    yield from read_code(RUBY, code, text, context)
