"""A library of rows: a call is bound to its signature and becomes effects and a result."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from toolgate.flows.selected_rows import SELECTED_ROWS
from toolgate.model.effect import Connect, Effect, Interpret
from toolgate.model.word import Maybe, Word, known_word

from .client_settings import keep_settings, report_base_address, send_settings
from .endless_loops import report_large_writes
from .mass_messages import report_mass_request
from .shared_state import Arguments, Evaluation
from .stand_ins import is_stand_in, keeps_files
from .table_rows import LibraryRow, RowText, parse_row
from .values import (
    NULL,
    ClassValue,
    Constant,
    Function,
    Instance,
    ListValue,
    MapValue,
    ObjectValue,
    Reference,
    Unknown,
    Value,
    iter_callables,
    join_all,
    list_alternatives,
    truth_of,
    unknown_from,
)

SpecialCall: TypeAlias = Callable[[Evaluation, Value | None, Arguments], Value | None]
"""A call that needs code: takes the receiver and the arguments, and returns the result; None if the call is not understood."""
ResultFunction: TypeAlias = Callable[..., Value]


_READING_METHODS = frozenset("count index copy length size toString hasOwnProperty has includes".split())
_MAX_CACHED = 4096
"""Maximum names with cached look-ups."""


class LibraryTable:
    """`rows` by name, with `signatures` for rows without one; `specials` are calls in code; `results` and the reporter's
    methods are the functions that rows may use."""

    constructor = "__init__"
    binds_receiver = True
    assigns_outward = False
    calls_by_value = False
    """Whether the language calls functions by their values, and not by texts that name them."""
    map_type = MapValue
    list_kind = "list"
    rest_kind = "tuple"
    missing_argument: Value | None = None
    fixtures: Mapping[str, Value] = MappingProxyType({})
    type_names: Mapping[type, str] = MappingProxyType(
        {
            Word: "str",
            ListValue: "list",
            MapValue: "object",
            ObjectValue: "object",
            Function: "function",
            ClassValue: "function",
            Constant: "number",
        }
    )
    writing_calls: frozenset[str] = frozenset()
    """Calls that are read with what they write to a file that is open."""
    closed_types: frozenset[str] = frozenset()
    """Built-in types of the language: they only have the methods in the tables."""

    def __init__(
        self,
        rows: Mapping[str, RowText],
        signatures: Mapping[str, str],
        specials: Mapping[str, SpecialCall],
        results: Mapping[str, ResultFunction],
        harmful: frozenset[str],
    ) -> None:
        self._texts, self._signatures, self._specials, self._results = rows, signatures, specials, results
        self._rows: dict[str, LibraryRow] = {}
        self._known: dict[tuple[str, bool], tuple[LibraryRow | None, SpecialCall | None, bool]] = {}
        self._harmful = harmful
        """Special calls that may do harm."""
        self.roots = {name.partition(".")[0] for name in (*rows, *specials)} - {"?"}

    # ---- what it knows

    def find_row(self, name: str) -> LibraryRow | None:
        row = self._rows.get(name)
        if row is None and (text := self._texts.get(name)) is not None:
            row = self._rows[name] = parse_row(name, text, self._signatures.get(name, "*args, **kwargs"))
        return row

    def canonicalize_name(self, name: str) -> str:
        return name

    def module_reference(self, name: str) -> Value:
        return Reference(self.canonicalize_name(name))

    def type_of(self, value: Value) -> str:
        """Returns the name of a value's type, which methods of the table begin with."""
        if isinstance(value, Instance):
            return value.type
        return value.name if isinstance(value, Reference) else self.type_names.get(type(value), "?")

    def has_call(self, name: str) -> bool:
        name = self.canonicalize_name(name)
        return name in self._texts or name in self._specials

    def describes_module(self, name: str) -> bool:
        """Returns whether it has calls of this module, or of this part of one."""
        return self.canonicalize_name(name).partition(".")[0] in self.roots

    def find_call(self, reference: Reference) -> tuple[LibraryRow | None, SpecialCall | None, Reference]:
        """Finds a call by its full name; otherwise, for an unknown object, by the method's name."""
        name = self.canonicalize_name(reference.name)
        key = (name, reference.receiver is not None)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._look_up(*key)
            if len(self._known) > _MAX_CACHED:
                self._known.clear()
        row, special, is_loose = found
        if is_loose and reference.receiver is None:
            reference = Reference(reference.name, Unknown(name.rpartition(".")[0]))
        return row, special, reference

    def _look_up(self, name: str, has_receiver: bool) -> tuple[LibraryRow | None, SpecialCall | None, bool]:
        special = self._specials.get(name)
        row = None if special is not None else self.find_row(name)
        if special is not None or row is not None:
            return row, special, False
        owner, _, method = name.rpartition(".")
        is_foreign = owner not in self.closed_types if has_receiver else not self._describes_owner(owner)
        if not owner or not (is_foreign or owner.startswith("?")) or is_stand_in(name) or keeps_files(name):
            return None, None, False
        for key in (f"?.{owner.rpartition('.')[2]}.{method}", f"?.{method}"):
            if key in self._specials:
                return None, self._specials[key], True
            if (row := self.find_row(key)) is not None:
                return row, None, True
        return None, None, False

    def _describes_owner(self, owner: str) -> bool:
        """Returns whether all that this owner offers is in the tables. An object that a class holds may have any method:
        `DeclarativeBase.metadata`."""
        root, *steps = owner.split(".")
        return root in self.roots and not any(step[:1].isupper() for step in steps[:-1])

    def is_harmful(self, reference: Reference) -> bool:
        name = self.canonicalize_name(reference.name)
        if name in self._specials:
            return name in self._harmful
        row, _, _ = self.find_call(reference)
        return row is not None and row.is_harmful

    def truth_of(self, value: Value) -> Maybe:
        """Does it count as true?"""
        return truth_of(value)

    def callback_arguments(self, item: Value, _number: Value, _holder: Value) -> tuple[Value, ...]:
        """What a function is given that is called for each item of a list."""
        return (item,)

    def convert_iterable(self, _evaluation: Evaluation, _value: Value, /) -> Value | None:
        """Returns the iterable that a loop uses instead of this value."""
        return None

    def initial_fields(self, _evaluation: Evaluation, _cls: ClassValue) -> dict[str, Value]:
        """Returns the fields that a library gives a new object of a class in the text."""
        return {}

    # ---- calls

    def call_reference(self, evaluation: Evaluation, reference: Reference, arguments: Arguments) -> Value:
        name = self.canonicalize_name(reference.name)
        evaluation.called[name] = evaluation.called.get(name, 0) + 1
        patch = evaluation.patched.get(name)
        if patch is not None and not (isinstance(patch, Reference) and patch.name == name):
            return evaluation.call(patch, arguments)
        row, special, bound = self.find_call(reference)
        report_large_writes(evaluation, name, arguments)
        if name not in self.writing_calls:
            evaluation.report.opened_files.release_files((*arguments.all_values(), reference))
        if row is None or row.name.startswith("?."):
            keep_settings(evaluation, reference.receiver, *arguments.all_values())
        if special is not None:
            made = special(evaluation, bound.receiver, arguments)
            if made is not None:
                return made
        if row is None:
            return self.call_unlisted(evaluation, reference, arguments)
        if row.name.startswith("?."):
            evaluation.report_client_act(reference.name, bound.receiver, arguments)
        return self._perform_row(evaluation, row, *self._with_receiver(row, bound, arguments))

    def call_unlisted(self, evaluation: Evaluation, reference: Reference, arguments: Arguments) -> Value:
        """Handles a call that no table describes. A container may be changed by it."""
        if reference.receiver is not None and reference.name.rpartition(".")[2] not in _READING_METHODS:
            evaluation.loosen_container(reference.receiver)
        report_base_address(evaluation, arguments)
        result = evaluation.call_unknown(reference.name, arguments, reference.receiver)
        if reference.receiver is None and reference.name.rpartition(".")[2][:1].isupper():
            return Instance(reference.name, {"given": result})
        return result

    def try_call(self, evaluation: Evaluation, reference: Reference, arguments: Arguments) -> bool:
        """Calls it if these arguments fit."""
        row, special, bound = self.find_call(reference)
        if special is not None:
            special(evaluation, bound.receiver, arguments)
            return True
        if row is None:
            return False
        receiver, arguments = self._with_receiver(row, bound, arguments)
        if not row.can_bind(arguments):
            return False
        self._perform_row(evaluation, row, receiver, arguments)
        return True

    def _with_receiver(self, row: LibraryRow, reference: Reference, arguments: Arguments) -> tuple[Value | None, Arguments]:
        """`Path.unlink(p)`: the first argument of a method taken from its class is the receiver."""
        if reference.receiver is not None or not self.is_method(row.name):
            return reference.receiver, arguments
        if arguments.positional:
            return arguments.positional[0], arguments._replace(positional=arguments.positional[1:])
        return arguments.rest, arguments

    def is_method(self, _name: str) -> bool:
        """Returns whether a name of the table is a method's, whose receiver may be the first argument."""
        return False

    def _perform_row(self, evaluation: Evaluation, row: LibraryRow, receiver: Value | None, arguments: Arguments) -> Value:
        bound = row.bind_arguments(arguments)
        if receiver is not None:
            bound["me"] = receiver
        before = len(evaluation.report.effects)
        result = None if row.result is None else self._evaluate_expression(evaluation, row.result, bound)
        for each in row.effects:
            self._perform_effect(evaluation, each, bound)
        if isinstance(result, Instance):
            keep_settings(evaluation, result, *arguments.all_values())
        reported = evaluation.report.effects[before:]
        report_mass_request(evaluation, reported)
        if evaluation.has_settings and (row.connects or any(isinstance(each, Connect) for each in reported)):
            send_settings(evaluation, row.name, reported, receiver, *arguments.all_values())
        handed_on = (each for value in arguments.all_values() for each in iter_callables(value, 1))
        if not row.invokes and any(isinstance(each, Function | Reference) for each in handed_on):
            evaluation.call_unknown(row.name, arguments)
        if result is not None:
            return result
        rows = evaluation.report.unknown_output("rows of a database") if any(map(_selects_rows, reported)) else None
        return unknown_from(row.name, *arguments.all_values(), receiver, rows)

    # ---- the words of rows

    def _evaluate_expression(self, evaluation: Evaluation, node: ast.expr, bindings: Mapping[str, Value]) -> Value | None:
        if isinstance(node, ast.Constant):
            if node.value is None:
                return NULL
            return known_word(node.value) if isinstance(node.value, str) else Constant(node.value)
        if isinstance(node, ast.Name):
            return bindings.get(node.id)
        if isinstance(node, ast.Attribute):
            return field_of(self._evaluate_expression(evaluation, node.value, bindings), node.attr)
        if isinstance(node, ast.BoolOp):
            found = (self._evaluate_expression(evaluation, each, bindings) for each in node.values)
            return next((each for each in found if each is not None), None)
        if isinstance(node, ast.BinOp):
            sides = [self._evaluate_expression(evaluation, each, bindings) for each in (node.left, node.right)]
            return evaluation.concatenate([each if each is not None else Unknown() for each in sides])
        assert isinstance(node, ast.Call)
        assert isinstance(node.func, ast.Name)
        return self._results[node.func.id](
            evaluation, *(self._evaluate_expression(evaluation, each, bindings) for each in node.args)
        )

    def _perform_effect(self, evaluation: Evaluation, node: ast.expr, bindings: Mapping[str, Value]) -> None:
        assert isinstance(node, ast.Call)
        assert isinstance(node.func, ast.Name)
        name = node.func.id
        args = [self._evaluate_expression(evaluation, each, bindings) for each in node.args]
        named = {each.arg or "": self._evaluate_expression(evaluation, each.value, bindings) for each in node.keywords}
        if name == "invoke":
            invoke_function(evaluation, *args)
        elif name == "operation":
            assert isinstance(node.args[0], ast.Constant)
            evaluation.report.operation(str(node.args[0].value), *args[1:], **named)
        elif name in self._results:
            self._results[name](evaluation, *args, **named)
        else:
            getattr(evaluation.report, name)(*args, **named)


def _selects_rows(effect: Effect) -> bool:
    return isinstance(effect, Interpret) and effect.language == "sql" and SELECTED_ROWS.match(effect.code.head) is not None


def field_of(owner: Value | None, name: str) -> Value | None:
    """Returns a named field of a map of arguments, or of an instance."""
    found: list[Value | None] = []
    for each in list_alternatives(owner) if owner is not None else ():
        if isinstance(each, MapValue):
            found.append(each.entries.get(name, each.rest))
        elif isinstance(each, Instance):
            found.append(each.fields.get(name))
    return join_all(found)


def invoke_function(
    evaluation: Evaluation, function: Value | None, args: Value | None = None, named_arguments: Value | None = None
) -> None:
    """Calls a function that was passed as an argument, with arguments that were passed, too."""
    if function is None or function is NULL:
        return
    positional: list[Value] = []
    rest: Value | None = None
    if args is not None and args is not NULL:
        positional, rest = evaluation.items_of(args)
    keywords: dict[str, Value] = {}
    for each in list_alternatives(named_arguments) if named_arguments is not None else ():
        if isinstance(each, MapValue):
            keywords.update({str(key): value for key, value in each.known_entries})
    evaluation.call(function, Arguments(tuple(positional), keywords, rest))
