"""Go support: the abstract evaluator where the grammar is installed, otherwise the literals of the code.

A program is read as if `go run` started it: its variables, then `init` and `main`, then the functions that nothing called.
"""

from collections.abc import Iterator

from toolgate.languages.scripting.reading import Language, read_code_or_literals
from toolgate.model.effect import Interpret, ReportedEffect
from toolgate.model.execution_context import ExecutionContext

from .evaluator import GoEvaluator
from .expressions import parse
from .library import GoLibrary, bind_variables, library
from .lowering import GoLowering
from .packages import PackageFiles

GO = Language(
    "Go",
    "tree-sitter-go",
    parse,
    GoLowering,
    library,
    bind_variables,
    ("net.Dial", "net.DialTimeout", "net.DialTCP", "tls.Dial"),
    ("fmt.Print", "fmt.Sprint", "strings.", "strconv.", "results of", "all results", "range", "append", "len", "string"),
    GoEvaluator,
    PackageFiles,
)
GoLibrary.language = GO


def read(code: Interpret, text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    yield from read_code_or_literals(GO, code, text, context)
