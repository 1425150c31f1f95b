"""Settings that code reads: JSON, TOML, YAML and INI whose text is known become values."""

from __future__ import annotations

import itertools
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from configparser import Error as IniError
from configparser import RawConfigParser
from typing import Any

from toolgate.documents import InvalidDocument, compose_yaml
from toolgate.model.word import Word

from .plain_values import value_of_plain
from .shared_state import Evaluation
from .values import ListValue, MapValue, Value, text_of

_MAX_LENGTHS = {"json": 64_000, "toml": 64_000, "ini": 16_000, "yaml": 8_000}
"""Characters up to which a text is parsed; YAML takes the parser much longer."""
_MAX_NODES = 2_000
"""Values of a YAML document, counting each alias, up to which it is followed."""
_STEP_LENGTH = 16
"""Characters of a document that cost one step."""
_YES = ("yes", "true", "on")
_FORMS = {"json": "json", "yml": "yaml", "yaml": "yaml", "toml": "toml", "ini": "ini", "cfg": "ini", "conf": "ini"}


def form_of_file(file: str) -> str:
    """Returns the form of a document by the name of its file; empty for another file."""
    return _FORMS.get(file.rpartition(".")[2].lower(), "")


def fold_name(name: str) -> str:
    """Returns a name as it is the same in all spellings, in a document and in code: `dry_run`, `dryRun`, `dry-run`."""
    return re.sub(r"[\W_]", "", name).lower()


def read_document(
    evaluation: Evaluation,
    content: Value | None,
    form: str,
    make_list: Callable[[str, list[Value], Value | None], ListValue] = ListValue,
    make_map: Callable[[Iterable[tuple[str, Value]]], MapValue] = MapValue,
) -> Value | None:
    """Returns a document as a value; None if its text is not known, too long, or invalid for this version of the parser."""
    text = text_of(content)
    if text is None or len(text) > _MAX_LENGTHS[form]:
        return None
    evaluation.work.spend_steps(len(text) // _STEP_LENGTH)
    src = content.src if isinstance(content, Word) else frozenset[int]()
    try:
        return value_of_plain(_PARSERS[form](text), src, make_list, make_map)
    except (ValueError, RecursionError, InvalidDocument, IniError):
        return None


def _read_yaml(text: str) -> object:
    return plain_of_node(compose_yaml(text))


def plain_of_node(node: Any, count: Iterator[int] | None = None) -> object:
    """Returns what a parser makes of a node. Raises InvalidDocument for too many nodes, or for a type that is not plain."""
    count = itertools.count() if count is None else count
    if next(count) > _MAX_NODES:
        raise InvalidDocument("it has too many values")
    if node is None:
        return None
    if node.id == "sequence":
        return [plain_of_node(each, count) for each in node.value]
    if node.id == "mapping":
        return {key.value: plain_of_node(value, count) for key, value in node.value if key.id == "scalar"}
    match node.tag.rpartition(":")[2]:
        case "str":
            return node.value
        case "null":
            return None
        case "bool":
            return node.value.lower() in _YES
        case "int" if node.value.isdecimal() and not node.value.startswith("0"):
            return int(node.value)
        case "int" if node.value == "0":
            return 0
        case _:
            return _UNTOLD


_UNTOLD = object()
"""A scalar of another type, which becomes an unknown value."""


def _read_ini(text: str) -> object:
    """Returns the sections of an INI file by name; settings before the first section are at the top."""
    parser = RawConfigParser(strict=False, allow_no_value=True, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(f"[{_TOP}]\n{text}")
    found: dict[str, Any] = {
        name: {key: _unquote(value) for key, value in parser.items(name)} for name in parser.sections() if name != _TOP
    }
    return found | {key: _unquote(value) for key, value in parser.items(_TOP)}


def _unquote(value: str | None) -> str | None:
    is_quoted = value is not None and len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if value is not None and is_quoted else value


_TOP = "settings before the first section"
_PARSERS: Mapping[str, Callable[[str], object]] = {
    "json": json.loads,
    "toml": tomllib.loads,
    "yaml": _read_yaml,
    "ini": _read_ini,
}
