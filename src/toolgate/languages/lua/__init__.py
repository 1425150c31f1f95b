"""Lua support for the abstract evaluator: reports the effects of calls on files, programs and connections, across aliases."""

from collections.abc import Iterator

from toolgate.languages.scripting.reading import Language, read_code
from toolgate.model.effect import Interpret, ReportedEffect
from toolgate.model.execution_context import ExecutionContext

from .evaluator import LuaEvaluator
from .library import LuaLibrary, bind_variables, library
from .lowering import LuaLowering, parse

LUA = Language(
    "Lua",
    "tree-sitter-lua",
    parse,
    LuaLowering,
    library,
    bind_variables,
    ("socket.tcp", "socket.connect", "socket.udp"),
    ("print", "io.write", "string.", "table.", "str.", "all values", "first value", "tostring"),
    LuaEvaluator,
)
LuaLibrary.language = LUA


def read(code: Interpret, text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    yield from read_code(LUA, code, text, context)
