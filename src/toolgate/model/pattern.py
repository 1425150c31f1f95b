"""Users' regular expressions, run by re2: the time is linear in the text for every expression."""

from collections.abc import Iterator
from typing import Any, Protocol


class CompiledPattern(Protocol):
    def search(self, text: str) -> object | None: ...
    def finditer(self, text: str) -> Iterator[Any]: ...


def compile_pattern(pattern: str, memory: int) -> CompiledPattern:
    """Compiles an expression. `memory`: its limit in bytes. Raises ImportError without re2, ValueError for an invalid
    expression."""
    import re2

    options: Any = re2.Options()
    options.max_mem = memory
    options.log_errors = False
    try:
        result: CompiledPattern = re2.compile(pattern, options)
    except re2.error as problem:
        detail = problem.args[0] if problem.args else ""
        raise ValueError(detail.decode(errors="replace") if isinstance(detail, bytes) else str(detail)) from None
    return result
