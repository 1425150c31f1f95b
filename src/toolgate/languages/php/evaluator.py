"""The abstract evaluator with PHP's callables: a text, or a list of an object and a method name, is called as a function."""

from __future__ import annotations

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.assignment_targets import find_in_class
from toolgate.languages.evaluation.evaluator import Evaluator
from toolgate.languages.evaluation.shared_state import Arguments
from toolgate.languages.evaluation.values import Function, Instance, ListValue, Reference, Unknown, Value, text_of, words_of
from toolgate.languages.scripting.data_sources import split_data_source
from toolgate.model.word import Word


class PhpEvaluator(Evaluator):
    def _call_one(self, function: Value, arguments: Arguments) -> Value:
        named = self.function_named_by(function)
        if isinstance(function, Reference) and (source := _find_data_source(function.name, arguments)) is not None:
            self.report.openings.note_call("PDO.connect", source)
        return super()._call_one(function if named is None else named, arguments)

    def function_named_by(self, value: Value) -> Value | None:
        """Returns the function that a text, list or object denotes; None for a value that is called directly."""
        if isinstance(value, Word):
            return self.function_of_name(value)
        if isinstance(value, ListValue) and len(value.items) == 2 and value.rest is None:
            owner, name = value.items
            owner = self.class_named(owner) if isinstance(owner, Word) else owner
            found = [self.read_attribute(owner, word.text) for word in words_of(name) if word.text is not None]
            return self.join_values(*found) if found else self._call_computed_name()
        if isinstance(value, Instance) and value.cls is not None:
            own = find_in_class(value.cls, "__invoke")
            return own._replace(receiver=value) if isinstance(own, Function) else None
        return None

    def function_of_name(self, name: Word) -> Value:
        if name.text is None:
            return self._call_computed_name()
        owner, colons, method = name.text.lstrip("\\").rpartition("::")
        if colons:
            return self.read_attribute(self.evaluate(nodes.Name(owner)), method)
        return self.evaluate(nodes.Name(name.text.lstrip("\\").rpartition("\\")[2].lower()))

    def class_named(self, name: Value) -> Value:
        text = text_of(name)
        return Unknown("a class") if text is None else self.evaluate(nodes.Name(text.rpartition("\\")[2]))

    def _call_computed_name(self) -> Value:
        if not self.report.is_trusted:
            self.report.opaque("which function is called is computed")
        return Unknown("a function")


_MYSQL_PARAMETERS = ("host", "user", "password", "dbname")


def _find_data_source(name: str, arguments: Arguments) -> Arguments | None:
    """Returns the host and the database that a connection is opened with, by their names; None for other calls."""
    if name == "PDO.new":
        return split_data_source(arguments)
    if name in ("mysqli.new", "mysqli_connect") and arguments.positional:
        return Arguments((), dict(zip(_MYSQL_PARAMETERS, arguments.positional, strict=False)))
    return None
