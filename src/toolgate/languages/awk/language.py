"""awk as one of the script languages: its parser, evaluator and library."""

from toolgate.languages.scripting.reading import Language

from .evaluator import AwkEvaluator
from .library import AwkLibrary, bind_variables, library
from .parser import AwkLowering, parse

AWK = Language(
    "awk",
    "",
    parse,
    AwkLowering,
    library,
    bind_variables,
    ("inet",),
    ("print", "sprintf", "field", "subscript", "unknown ", "substr", "toupper", "tolower", "length", "pattern", "input records"),
    AwkEvaluator,
)
AwkLibrary.language = AWK
