"""Settings that Python reads: JSON, TOML and YAML whose text is known become values, others are unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from toolgate.languages.evaluation.plain_documents import read_document
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import Reference, Unknown, Value, text_of, unknown_from
from toolgate.model.word import Word

from .connection_actions import unpickle_data
from .files import parse_file, read_file

_UNSAFE_LOADERS = ("UnsafeLoader", "Loader", "CLoader")


def parse_document(evaluation: Evaluation, source: Value | None, form: Value | None) -> Value:
    """Returns what a parser makes of an open file or of a text. `form`: `json`, `toml` or `yaml`."""
    content = source if isinstance(source, Word) else read_file(evaluation, source, Arguments())
    made = read_document(evaluation, content, text_of(form) or "")
    if made is not None:
        return made
    return unknown_from("a document", source) if isinstance(source, Word) else parse_file(evaluation, source)


def load_yaml(evaluation: Evaluation, stream: Value | None, loader: Value | None = None) -> Value:
    """`yaml.load(stream, Loader=yaml.UnsafeLoader)` makes any object, as a pickle does; other loaders make plain values."""
    name = loader.name.rpartition(".")[2] if isinstance(loader, Reference | Unknown) else ""
    if name in _UNSAFE_LOADERS:
        return unpickle_data(evaluation, stream)
    return parse_document(evaluation, stream, Word(("yaml",)))


DOCUMENT_ACTIONS: Mapping[str, Callable[..., Value]] = {"document": parse_document, "load_yaml": load_yaml}
