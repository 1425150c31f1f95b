"""Library behaviour shared by the script languages: types of values, truthiness, indexing."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from toolgate.languages.evaluation.library_table import LibraryTable, SpecialCall
from toolgate.languages.evaluation.operators import concatenate_words
from toolgate.languages.evaluation.shared_results import COMPUTED_CALLS, computed_part
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.table_rows import split_rows
from toolgate.languages.evaluation.values import (
    NULL,
    Constant,
    Instance,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    list_alternatives,
    text_of,
    truth_of,
    unknown_from,
    word_of,
    words_of,
)
from toolgate.model.word import Maybe, Word, known_word

from .cloud_clients import call_cloud_client
from .documents import DOCUMENT_RESULTS
from .reading import evaluate_text
from .words import RESULTS

if TYPE_CHECKING:
    from toolgate.languages.evaluation import nodes

    from .reading import Language


class ScriptLibrary(LibraryTable):
    """The library of a language.

    `language`: its name, for code made at run time; `concatenates`: its operators that join texts; `false_texts`,
    `zero_is_false`: the values that are false.
    """

    language: Language
    binds_receiver = False
    assigns_outward = True
    list_kind = rest_kind = "array"
    missing_argument = NULL
    closed_types = frozenset(("str", "list", "object", "function", "number", "pattern", "file"))
    concatenates: tuple[str, ...] = ("+",)
    false_texts: tuple[str, ...] = ("", "0")
    zero_is_false = True

    def __init__(
        self,
        rows: str,
        specials: Mapping[str, SpecialCall],
        harmful: frozenset[str],
        names: str = "",
        results: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        own = {"evaluate text": self._evaluate_text}
        words = {**RESULTS, **DOCUMENT_RESULTS, **results}
        super().__init__(split_rows(rows), {}, {**specials, **own, **COMPUTED_CALLS}, words, harmful | {"evaluate text"})
        self._builtins = {name for name in (*self._texts, *self._specials) if "." not in name} | set(names.split())
        self._modules = self.roots - self._builtins - {"?", *self.closed_types}

    def find_builtin(self, _evaluation: Evaluation, name: str) -> Value | None:
        name = self.canonicalize_name(name)
        return (
            Reference(name) if name in self._builtins or self.has_call(name) or name.partition(".")[0] in self._modules else None
        )

    def read_constant(self, _evaluation: Evaluation, _name: str) -> Value | None:
        return None

    def find_narrowing(self, _evaluation: Evaluation, _test: nodes.Expression) -> tuple[nodes.Expression, list[str]] | None:
        return None

    def read_property(self, evaluation: Evaluation, owner: Value, name: str) -> Value | None:
        if isinstance(owner, Instance) and owner.type == "os.environ" and not self.has_call(f"os.environ.{name}"):
            return evaluation.report.variable(known_word(name))
        return None

    def read_index(self, evaluation: Evaluation, owner: Value, key: Value) -> Value | None:
        if isinstance(owner, Instance) and owner.type == "os.environ":
            return evaluation.join_values(*(evaluation.report.variable(each) for each in words_of(key)))
        if isinstance(owner, Reference) and owner.receiver is None:
            names = [word.text for word in words_of(key)]
            if None in names:
                return None if evaluation.report.is_trusted else computed_part(owner)
            return evaluation.join_values(*(evaluation.read_attribute(owner, name or "") for name in names))
        if isinstance(owner, MapValue) and isinstance(key, Constant | Word):
            literal = key.value if isinstance(key, Constant) else key.text
            if literal is not None and literal not in owner.entries and owner.rest is None:
                return NULL
        return None

    def apply_operator(self, _evaluation: Evaluation, operator: str, left: Value, right: Value) -> Value | None:
        if operator in self.concatenates and isinstance(left, Word | Instance | Constant | Unknown):
            if operator == "+" and not isinstance(left, Word) and not isinstance(right, Word):
                return None
            return concatenate_words((word_of(left), word_of(right)))
        if operator == "|" and isinstance(right, Constant) and right.value:
            return right  # the result is true whatever the left operand is
        return None

    def call_unlisted(self, evaluation: Evaluation, reference: Reference, arguments: Arguments) -> Value:
        receiver = reference.receiver
        if isinstance(receiver, Unknown) and receiver.carries:
            return evaluation.call(receiver, arguments)
        answer = call_cloud_client(evaluation, reference, arguments)
        return answer if answer is not None else super().call_unlisted(evaluation, reference, arguments)

    def truth_of(self, value: Value) -> Maybe:
        """Returns whether a value is true; which numbers and texts are false depends on the language."""
        answers = {self._truth_of_one(each) for each in list_alternatives(value)}
        return answers.pop() if len(answers) == 1 else None

    def _truth_of_one(self, value: Value) -> Maybe:
        if isinstance(value, Word) and value.text is not None:
            return value.text not in self.false_texts
        if self.zero_is_false:
            return truth_of(value)
        if isinstance(value, Constant):
            return value.value is not None and value.value is not False
        return True if isinstance(value, Word | ListValue | MapValue) else truth_of(value)

    def _evaluate_text(self, evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
        value = arguments.positional[0] if arguments.positional else arguments.rest
        found: list[Value] = []
        for word in words_of(value) if value is not None else ():
            file = evaluation.report.contents.get(word) if word.text is None else None
            if file is not None and text_of(file) is not None:
                evaluation.report.interpret_file(file)
            else:
                found.append(evaluate_text(evaluation, self.language, word))
        return evaluation.join_values(*found) if found else NULL


def is_beyond_end(owner: Value, key: Value) -> bool:
    """Returns whether a list certainly has no item at an index: the arguments of a script that was given fewer."""
    at = key.value if isinstance(key, Constant) else None
    return isinstance(owner, ListValue) and owner.rest is None and isinstance(at, int) and at >= len(owner.items)


def pairs_of(evaluation: Evaluation, value: Value) -> ListValue:
    """Returns the keys and values of a map, or the indexes and items of a list, as pairs."""
    pairs: list[Value] = []
    rest: Value | None = None
    for each in list_alternatives(value):
        if isinstance(each, Instance) and each.cls is not None:
            pairs += [ListValue("array", (known_word(key), one)) for key, one in each.fields.items()]
        elif isinstance(each, MapValue):
            keys: list[tuple[Value, Value]] = [
                (known_word(key) if isinstance(key, str) else Constant(key), one) for key, one in each.known_entries
            ]
            pairs += [ListValue("array", pair) for pair in keys]
            rest = rest if each.rest is None else ListValue("array", (Unknown("a key"), each.rest))
        else:
            items, more = evaluation.items_of(each)
            pairs += [ListValue("array", (Constant(n), one)) for n, one in enumerate(items)]
            rest = rest if more is None else ListValue("array", (Unknown("a number"), more))
    if isinstance(value, MapValue | ListValue | Instance):
        return ListValue("array", pairs, rest)
    return ListValue("array", (), evaluation.join_values(*pairs, rest) if pairs or rest is not None else None)


def part_of_pairs(index: int) -> SpecialCall:
    """Returns a handler for the keys (0) or the values (1) of a map."""

    def call(evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
        if receiver is None:
            return None
        pairs = pairs_of(evaluation, receiver)
        rest = (
            None
            if pairs.rest is None
            else evaluation.join_values(*(_item(each, index) for each in list_alternatives(pairs.rest)))
        )
        return ListValue("array", [_item(each, index) for each in pairs.items], rest)

    return call


def _item(pair: Value, index: int) -> Value:
    """Returns the key or the value of a pair. Very many pairs are one unknown value."""
    return pair.items[index] if isinstance(pair, ListValue) and len(pair.items) > index else unknown_from("an item", pair)


def list_pairs(evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    return None if receiver is None else pairs_of(evaluation, receiver)


def merge_maps(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    made = MapValue()
    for each in (receiver, *arguments.positional):
        if isinstance(each, MapValue):
            made.entries.update(each.entries)
        elif each is not None:
            return unknown_from("a map", receiver, *arguments.positional)
    made.entries.update({name: value for name, value in arguments.named.items() if name != "block"})
    return made


def remove_entry(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """Removes a key from a map and returns its value."""
    if not arguments.positional or receiver is None:
        return None
    value = evaluation.read_index(receiver, arguments.positional[0])
    if isinstance(receiver, MapValue):
        evaluation.delete_entry(receiver, arguments.positional[0])
    return value


def first_or_last(at: int) -> SpecialCall:
    """Returns a handler for the first (0) or the last (-1) item of a list."""

    def call(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
        if receiver is None or arguments.positional:
            return None if receiver is None else receiver
        items, rest = evaluation.items_of(receiver)
        if rest is None:
            return items[at] if items else NULL
        return items[0] if at == 0 and items else evaluation.join_values(*items, rest)

    return call
