"""Regular expressions that are compiled on first use: a short text needs few of them, and compiling costs more than searching."""

import re
from collections.abc import Callable, Iterator
from typing import Any


class Expression:
    """A `re.Pattern` that is compiled lazily."""

    match: Callable[..., re.Match[str] | None]
    search: Callable[..., re.Match[str] | None]
    fullmatch: Callable[..., re.Match[str] | None]
    finditer: Callable[..., Iterator[re.Match[str]]]
    findall: Callable[[str], list[str]]

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        compiled = re.compile(self._pattern)
        for method in ("match", "search", "fullmatch", "finditer", "findall"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)
