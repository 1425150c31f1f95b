"""Perl support: the abstract evaluator where the grammar is installed, otherwise the literals of the code.

The grammar has no wheels for some systems.
"""

from collections.abc import Iterator

from toolgate.languages.scripting.reading import Language, read_code_or_literals
from toolgate.model.effect import Interpret, ReportedEffect
from toolgate.model.execution_context import ExecutionContext

from .evaluator import PerlEvaluator
from .library import PerlLibrary, bind_variables, library
from .lowering import PerlLowering, parse

PERL = Language(
    "Perl",
    "tree-sitter-perl",
    parse,
    PerlLowering,
    library,
    bind_variables,
    ("IO::Socket::INET.new", "IO::Socket::SSL.new", "IO::Socket.new", "socket", "connect"),
    ("print", "say", "printf", "join", "lc", "uc", "sprintf", "list of", "scalar of", "matches", "hash of", "length"),
    PerlEvaluator,
)
PerlLibrary.language = PERL


def read(code: Interpret, text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    yield from read_code_or_literals(PERL, code, text, context)
