"""PHP support for the abstract evaluator: reports the effects of calls on files, programs and connections, across aliases."""

from collections.abc import Iterator

from toolgate.languages.scripting.reading import Language, read_code
from toolgate.model.effect import Interpret, ReportedEffect
from toolgate.model.execution_context import ExecutionContext

from .evaluator import PhpEvaluator
from .library import PhpLibrary, bind_variables, library
from .lowering import PhpLowering, parse

PHP = Language(
    "PHP",
    "tree-sitter-php",
    parse,
    PhpLowering,
    library,
    bind_variables,
    ("fsockopen", "pfsockopen", "stream_socket_client", "socket_create", "socket_connect"),
    ("echo", "print", "printf", "str", "implode", "explode", "count", "json_encode", "var_dump", "copy of", "date"),
    PhpEvaluator,
)
PhpLibrary.language = PHP


def read(code: Interpret, text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    yield from read_code(PHP, code, text, context)
