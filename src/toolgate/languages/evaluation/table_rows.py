"""Rows of a library's table: `shutil.rmtree -> delete(path, True), invoke(onerror)`.

A row names a function, its parameters where no signature was generated for it, `)=>its effects (`->`) and its result (`=>`)=>`).
`a|b` names several functions with one effect. In a signature `x=` has a default, `*x` and `**x` take the rest, and `*` alone ends
the positional parameters. `me` is what a method is called on. A row without `->` does nothing worth judging.
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from .shared_state import Arguments
from .values import ListValue, MapValue, Value, join_two

_ROW = re.compile(r"(?P<names>[^\s(]+)(?:\((?P<signature>[^)]*)\))?\s*(?:->\s*(?P<effects>.*?))?\s*(?:=>\s*(?P<result>.*))?$")
_CONNECTING_FUNCTIONS = re.compile(r"(?:connect|send|invoke_request|response)\w*\(|_send\(")
_READ_ONLY_EFFECTS = re.compile(r"(?:(?:read|expand)\([^)]*\)(?:,\s*)?)+")


class RowParameter(NamedTuple):
    kind: str
    name: str
    is_required: bool


class LibraryRow(NamedTuple):
    """`effects` and `result`: expressions in the functions of a library."""

    name: str
    parameters: tuple[RowParameter, ...]
    effects: tuple[ast.expr, ...]
    result: ast.expr | None
    is_harmful: bool
    invokes: bool
    connects: bool

    def bind_arguments(self, arguments: Arguments) -> dict[str, Value]:
        """Returns the value of each parameter; one without an argument is missing."""
        positional, named = list(arguments.positional), dict(arguments.named)
        bound: dict[str, Value] = {}
        for kind, name, _ in self.parameters:
            if kind == "rest":
                bound[name] = ListValue("tuple", positional, arguments.rest)
                positional = []
            elif kind == "rest-map":
                bound[name] = MapValue(named.items(), arguments.rest)
                named = {}
            elif name in named:
                bound[name] = named.pop(name)
            elif positional and kind == "positional":
                bound[name] = positional.pop(0)
            elif arguments.rest is not None and kind == "positional":
                value = join_two(bound.get(name), arguments.rest)
                assert value is not None
                bound[name] = value
        return bound

    def can_bind(self, arguments: Arguments) -> bool:
        """Returns whether it may be called with these arguments."""
        kinds = {kind for kind, _, _ in self.parameters}
        positional = [name for kind, name, _ in self.parameters if kind == "positional"]
        if len(arguments.positional) > len(positional) and "rest" not in kinds:
            return False
        taken = set(positional[: len(arguments.positional)])
        if not set(arguments.named) <= {name for _, name, _ in self.parameters} and "rest-map" not in kinds:
            return False
        needed = {name for kind, name, is_required in self.parameters if is_required and kind in ("positional", "named")}
        return arguments.rest is not None or needed <= taken | set(arguments.named)


def parse_signature(text: str) -> tuple[RowParameter, ...]:
    found: list[RowParameter] = []
    kind = "positional"
    for each in filter(None, (part.strip() for part in text.split(","))):
        if each == "*":
            kind = "named"
        elif each.startswith("**"):
            found.append(RowParameter("rest-map", each[2:], False))
        elif each.startswith("*"):
            found.append(RowParameter("rest", each[1:], False))
            kind = "named"
        else:
            found.append(RowParameter(kind, each.rstrip("="), not each.endswith("=")))
    return tuple(found)


class RowText(NamedTuple):
    signature: str | None
    effects: str
    result: str


def split_rows(text: str) -> dict[str, RowText]:
    """Returns the rows of a table by function, not parsed yet."""
    found: dict[str, RowText] = {}
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        row = _ROW.match(line.strip())
        assert row is not None, line
        for name in row["names"].split("|"):
            found[name] = RowText(row["signature"], row["effects"] or "", row["result"] or "")
    return found


def parse_row(name: str, row: RowText, signature: str) -> LibraryRow:
    effects = _parse_expressions(row.effects)
    result = _parse_expressions(row.result)
    is_harmful = bool(row.effects) and not _READ_ONLY_EFFECTS.fullmatch(row.effects)
    declared = row.signature if row.signature is not None else signature
    connects = _CONNECTING_FUNCTIONS.search(f"{row.effects} {row.result}") is not None
    return LibraryRow(
        name, parse_signature(declared), effects, result[0] if result else None, is_harmful, "invoke" in row.effects, connects
    )


def _parse_expressions(text: str) -> tuple[ast.expr, ...]:
    tree = ast.parse(f"[{text}]", mode="eval").body
    assert isinstance(tree, ast.List)
    return tuple(tree.elts)
