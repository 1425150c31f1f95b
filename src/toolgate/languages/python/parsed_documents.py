"""Settings that code reads: JSON, TOML and YAML whose text is known become values, others are unknown."""

from __future__ import annotations

import itertools
import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from toolgate.documents import InvalidDocument, compose_yaml
from toolgate.languages.evaluation.plain_values import value_of_plain
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    collect_sources,
    text_of,
    unknown_from,
)
from toolgate.model.word import Word

from .connection_actions import unpickle_data
from .files import parse_file, read_file

_MAX_LENGTHS = {"json": 64_000, "toml": 64_000, "yaml": 8_000}
"""Characters up to which a text is parsed; YAML takes the parser much longer."""
_MAX_NODES = 2_000
"""Values of a YAML document, counting each alias, up to which it is followed."""
_STEP_LENGTH = 16
"""Characters of a document that cost one step."""
_YES = ("yes", "true", "on")
_UNSAFE_LOADERS = ("UnsafeLoader", "Loader", "CLoader")


def _read_yaml(text: str) -> object:
    return _plain_of_node(compose_yaml(text), itertools.count())


def _plain_of_node(node: Any, count: Iterator[int]) -> object:
    """Returns what PyYAML makes of a node. Raises InvalidDocument for too many nodes, or for a type that is not plain."""
    if next(count) > _MAX_NODES:
        raise InvalidDocument("it has too many values")
    if node is None:
        return None
    if node.id == "sequence":
        return [_plain_of_node(each, count) for each in node.value]
    if node.id == "mapping":
        return {key.value: _plain_of_node(value, count) for key, value in node.value if key.id == "scalar"}
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
_PARSERS: Mapping[str, Callable[[str], object]] = {"json": json.loads, "toml": tomllib.loads, "yaml": _read_yaml}


def parse_document(evaluation: Evaluation, source: Value | None, form: Value | None) -> Value:
    """Returns what a parser makes of an open file or of a text. `form`: `json`, `toml` or `yaml`."""
    kind = text_of(form) or ""
    content = source if isinstance(source, Word) else read_file(evaluation, source, Arguments())
    text = text_of(content) if content is not None else None
    if text is not None and len(text) <= _MAX_LENGTHS[kind]:
        evaluation.work.spend_steps(len(text) // _STEP_LENGTH)
        try:
            return value_of_plain(_PARSERS[kind](text), collect_sources(content), ListValue, MapValue)
        except (ValueError, RecursionError, InvalidDocument):
            pass  # another version of the parser may accept it
    return unknown_from("a document", source) if isinstance(source, Word) else parse_file(evaluation, source)


def load_yaml(evaluation: Evaluation, stream: Value | None, loader: Value | None = None) -> Value:
    """`yaml.load(stream, Loader=yaml.UnsafeLoader)` makes any object, as a pickle does; other loaders make plain values."""
    name = loader.name.rpartition(".")[2] if isinstance(loader, Reference | Unknown) else ""
    if name in _UNSAFE_LOADERS:
        return unpickle_data(evaluation, stream)
    return parse_document(evaluation, stream, Word(("yaml",)))


DOCUMENT_ACTIONS: Mapping[str, Callable[..., Value]] = {"document": parse_document, "load_yaml": load_yaml}
