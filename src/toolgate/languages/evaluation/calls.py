"""Calls: of functions in the text, of libraries, and of unknown functions."""

from __future__ import annotations

import re
from contextlib import nullcontext
from typing import Any

from toolgate.model.word import HoleKind, Word, known_word

from . import nodes
from .browser_profiles import report_opened_profile
from .client_acts import (
    deletes_item,
    find_deleted_object,
    grants_rights,
    is_upload,
    makes_public,
    names_everybody,
    names_object,
    obtains_secret,
    only_validates,
    overwrites_ref,
    sets_policy,
)
from .client_settings import list_settings
from .created_containers import report_created_container
from .created_objects import report_created_machines
from .default_values import prefer_known_paths
from .endless_loops import calls_for_each_item, forks, lets_child_leave
from .environment_files import load_environment_files
from .guessed_arguments import guess_arguments
from .journal import Frame
from .leaf_texts import leaf_words
from .library_files import report_named_file, upload_files
from .listings import is_page_part
from .mass_messages import report_mass_message
from .obtained_secrets import kept_arguments, report_message
from .openings import is_reopened
from .process_lists import lists_every_process
from .queued_work import report_queued_work
from .safeguard_changes import find_maker, report_changed_settings
from .shared_state import Arguments
from .simulated_modules import simulate_fixtures
from .stand_ins import is_mock, is_stand_in
from .statements import Statements
from .values import (
    NEVER_RETURNS,
    NULL,
    Callable_,
    Choice,
    ClassValue,
    Constant,
    Function,
    Instance,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    holds_kind,
    iter_callables,
    list_alternatives,
    list_parts,
    stands_in,
    unknown_from,
    unknown_of_kind,
)

_EVERYBODY = "a call that is given everybody as a member"  # `bindings.append({"role": .., "members": {"allUsers"}})`
_NAME = re.compile(r"[A-Za-z_$]\w*")
_MAX_RECURSION = 5
"""Maximum depth of recursion, after which a function is read once more with unknown arguments."""
_MAX_DEPTH = 48
_MAX_OTHER_ARGUMENTS = 16
"""Maximum neighbouring values of a callable that are tried as its arguments."""
_MAX_ENTRIES = 40


class Calls(Statements):
    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._stack: list[int] = []
        self._entries, self._recursion = _MAX_ENTRIES, _MAX_RECURSION
        self._spent: dict[int, int] = {}
        """How much work each function has taken."""
        self._escaped: dict[object, list[Value]] = {}
        self._general: dict[int, Value] = {}
        """The result of a function for unknown arguments."""
        self._is_coarse = False
        self._left_out: set[int] = set()
        """The functions of modules that were called in a coarse reading. They are read with those that nothing called."""

    def call(self, function: Value, arguments: Arguments) -> Value:
        if not isinstance(function, Choice):
            return self._call_one(function, arguments)
        found = prefer_known_paths(list_alternatives(function))
        return self.choose_branch([lambda each=each: self._call_one(each, arguments) for each in found])  # type: ignore[misc]

    def _call_one(self, function: Value, arguments: Arguments) -> Value:
        self.work.spend_steps(2)
        if isinstance(function, Reference | Unknown) and not is_reopened(function, arguments):
            name = function.name if isinstance(function, Reference) or _NAME.fullmatch(function.name) else None
            is_method = isinstance(function, Unknown) or function.receiver is not None
            self.report.openings.note_call(name, arguments, is_method=is_method)
            if name is not None:
                load_environment_files(self, name, arguments)
                report_queued_work(self, name, arguments)
            self.lists_processes |= lists_every_process(arguments)
        match function:
            case Function():
                return self._run_function(function, arguments)
            case ClassValue():
                return self._instantiate(function, arguments)
            case Reference():
                if function.positional or function.named:
                    arguments = Arguments(
                        (*function.positional, *arguments.positional), {**dict(function.named), **arguments.named}, arguments.rest
                    )
                return self.library.call_reference(self, function, arguments)
            case Instance() if function.cls is not None:
                own = self.read_attribute(function, "__call__")
                if isinstance(own, Function):
                    return self._run_function(own, arguments)
            case Instance() if function.cls is None and self.library.has_call(function.type):
                return self.library.call_reference(self, Reference(function.type, function), arguments)
            case Unknown():
                self._call_carried_callables(function, arguments)
            case Word():
                self.outside_calls.by_name = True
            case _:
                pass
        return self.call_unknown(function.name if isinstance(function, Unknown) else "a call", arguments, function)

    def _call_carried_callables(self, function: Unknown, arguments: Arguments) -> None:
        """Calls each callable that the unknown value may be, or that it may call with each path in a list."""
        paths = next((each for each in map(self.path_lists.find, arguments.all_values()) if each is not None), None)
        for each in function.carries:
            if not isinstance(each, Reference) or self.library.is_harmful(each):
                self.run_possibly(lambda each=each: self._call_one(each, arguments))  # type: ignore[misc]
                if paths is not None:
                    self.call_escaped(each, [paths])
        if function.has_lost:
            self.outside_calls.by_name = True
            for reference in self.loaded:
                self.call_escaped(reference, [])

    def _instantiate(self, cls: ClassValue, arguments: Arguments) -> Value:
        made = Instance(cls.name, self.library.initial_fields(self, cls), None, cls)
        initialise = self.read_attribute(made, self.library.constructor)
        if isinstance(initialise, Function):
            self._run_function(initialise, arguments)
        elif cls.annotated:
            fields = dict(zip(cls.annotated, arguments.positional, strict=False)) | dict(arguments.named)
            made.fields.update(fields)
            self.outside_calls.hand_out(made)
        elif arguments.positional or arguments.named or arguments.rest is not None:
            made.fields["items"] = self.join_values(*arguments.positional[:1], arguments.rest)
            for base in cls.bases:
                self.call_unknown(cls.name, arguments, base)
        return made

    def construct(self, function: Value, arguments: Arguments) -> Value:
        return self.call(function, arguments)

    # ---- functions in the text

    def _run_function(self, function: Function, arguments: Arguments) -> Value:
        key = id(function.body)
        if self._is_coarse and function.frame.unit is not self.top.unit:
            self._left_out.add(key)
            return self.call_unknown(function.name, arguments)
        if self.journal.is_linear:
            return unknown_from(function.name, *arguments.all_values())
        depth = self._stack.count(key)
        entries = self.entered.get(key, 0)
        if depth > self._recursion or len(self._stack) > _MAX_DEPTH:
            return unknown_from("the result of a recursive function", *arguments.all_values())
        if depth == self._recursion:
            self._report_endless_forks(function)
        if depth == self._recursion or entries >= self._entries or self._spent.get(key, 0) > self.work.total // 4:
            return self._run_with_anything(function, arguments)
        self.entered[key] = entries + 1
        left = self.work.left
        try:
            return self._enter_function(function, arguments)
        finally:
            self._spent[key] = self._spent.get(key, 0) + left - self.work.left

    def _report_endless_forks(self, function: Function) -> None:
        """Reports a function that calls itself and forks, unless a path through it ends before the last call."""
        if forks(function.body) and not lets_child_leave(function.body[:-1]) and not self.report.is_excused:
            self.report.operation("process.replicate")

    def _run_with_anything(self, function: Function, arguments: Arguments) -> Value:
        key = id(function.body)
        self.report.opened_files.release_files(arguments.all_values())
        if key not in self._general:
            self._general[key] = Unknown(function.name)
            anything = Arguments(rest=unknown_from("an argument", *arguments.all_values()))
            found: list[Value] = []
            self.run_possibly(lambda: found.append(self._enter_function(function, anything)))
            self._general[key] = self.join_values(*found)
            self.outside_calls.hand_out(self._general[key])
        return self.join_values(self._general[key], unknown_from(function.name, *arguments.all_values()))

    def _enter_function(self, function: Function, arguments: Arguments) -> Value:
        outer = self.frame
        frame = Frame(function.frame, function.frame.unit, self.journal.make_mark())
        frame.receiver = (
            function.receiver if function.receiver is not None else outer.receiver if function.name == "<lambda>" else None
        )
        self._bind_parameters(function, arguments, frame)
        if function.generates:
            frame.yielded = ListValue("iterator")
        raised, branches = self._raised, self.journal.branches
        self._stack.append(id(function.body))
        self.frame = frame
        self.report.enter_unit(frame.unit)
        try:
            leaves = self.run_block(function.body)
        finally:
            self._stack.pop()
            self.frame = outer
            self.report.enter_unit(outer.unit)
            self._raised, self.journal.branches = raised, branches
        return self._join_results(frame, leaves, function.is_async)

    def _join_results(self, frame: Frame, leaves: bool, is_async: bool) -> Value:
        """Returns a function's result, after joining all paths through it."""
        if frame.exits:
            paths = [*frame.exits, *([] if leaves else [self.journal.changes_since(frame.start)])]
            if len(paths) > 1 or leaves:
                self.journal.roll_back(frame.start)
                self.journal.join_paths(paths)
        if frame.yielded is not None:
            return frame.yielded
        if not leaves:
            frame.returned.append(NULL)
        return self.join_values(*frame.returned) if frame.returned else Unknown("a failed promise") if is_async else NEVER_RETURNS

    def _bind_parameters(self, function: Function, arguments: Arguments, frame: Frame) -> None:
        positional = list(arguments.positional)
        if function.receiver is not None and self.library.binds_receiver:
            positional.insert(0, function.receiver)
        taken: set[str] = set()
        for kind, name, default, _ in function.parameters:
            if kind == "rest":
                frame.variables[name] = ListValue(self.library.rest_kind, positional, arguments.rest)
                positional = []
                continue
            if kind == "all":
                frame.variables[name] = ListValue("array", arguments.positional, arguments.rest)
                continue
            if kind in ("receiver", "self"):
                value = function if kind == "self" else function.receiver
                frame.variables[name] = Unknown(name) if value is None else value
                continue
            if kind == "rest-map":
                others = [(key, value) for key, value in arguments.named.items() if key not in taken]
                frame.variables[name] = MapValue(others, arguments.rest)
                continue
            taken.add(name)
            if name in arguments.named:
                frame.variables[name] = arguments.named[name]
            elif positional and kind == "positional":
                frame.variables[name] = positional.pop(0)
            else:
                frame.variables[name] = self._evaluate_default(default, function, arguments.rest, name)

    def _evaluate_default(self, default: nodes.Expression | None, function: Function, rest: Value | None, name: str) -> Value:
        if default is None:
            missing = self.library.missing_argument
            return rest if rest is not None else Unknown(name) if missing is None else missing
        outer, self.frame = self.frame, function.frame
        try:
            value = self.evaluate(default)
        finally:
            self.frame = outer
        return value if rest is None else self.join_values(value, rest)

    # ---- what nobody knows

    def call_unknown(self, why: str, arguments: Arguments, receiver: Value | None = None) -> Value:
        """Calls an unknown function: callables among its arguments are called with the other arguments, and with unknown ones."""
        values = arguments.all_values()
        self.report.opened_files.release_files(values)
        self.report_client_act(why, receiver, arguments)
        report_named_file(self.report, why, arguments)
        report_opened_profile(self.report, why, arguments)
        report_created_container(self.report, why, arguments)
        if (receiver is not None or "." in why) and is_upload(why):
            named = [each for value in values for each in (list_parts(value) if isinstance(value, MapValue) else (value,))]
            upload_files(self.report, [value for value in named if isinstance(value, Word)])
        repeats = calls_for_each_item(why)
        self.repeats += repeats
        held = self.path_lists.find(receiver)
        for n, value in enumerate(values):
            for function in iter_callables(value):
                others = [self.path_lists.find(each) or each for m, each in enumerate(values[:_MAX_OTHER_ARGUMENTS]) if m != n]
                with self.report.openings.forget_addresses() if _declares_test(why) else nullcontext():
                    self.call_escaped(function, others if held is None else [held, *others])
        self.repeats -= repeats
        self.work.spend_steps(len(values))
        if receiver is not None or "." in why:
            report_message(self.report, why, arguments)
            if obtains_secret(why):
                return unknown_of_kind(HoleKind.SECRET)
        if isinstance(receiver, Unknown) and not values and is_page_part(receiver, why.rpartition(".")[2]):
            return receiver
        if is_stand_in(why) or is_mock(why):
            return unknown_of_kind(HoleKind.STAND_IN)
        if why.endswith(".keys") and not values and receiver is not None and holds_kind(receiver, HoleKind.SECRET, 1):
            return Unknown("the names of a secret's fields")
        return unknown_from(why, *kept_arguments(why, arguments), receiver)

    def report_client_act(self, name: str, receiver: Value | None, arguments: Arguments) -> None:
        """Reports that a method of a client deletes something that a service keeps, or makes it public, if its words and
        settings say so."""
        made_by = receiver.name if isinstance(receiver, Unknown) else ""
        if receiver is not None and stands_in(receiver):
            return
        if not self.report.is_excused:
            report_mass_message(self, name, arguments, made_by)
            report_created_machines(self, name, arguments, made_by)
        if any(names_everybody(word.text or "") for each in arguments.all_values() for word in leaf_words(each)):
            self.called[_EVERYBODY] = 1
        is_container = isinstance(receiver, ListValue | MapValue)
        if (receiver is None and name.count(".") < 2) or is_container or only_validates(list_settings(arguments)):
            return  # neither a client's method nor a function of an object that a module holds
        names_target = any(not isinstance(each, Constant) for each in arguments.all_values())
        if (names_target or not names_object(name)) and (deleted := find_deleted_object(name, made_by)):
            self.report.delete_kept_object(deleted, f"{find_maker(receiver)} {name}")
        elif self.listings and deletes_item(name, list_settings(arguments)):
            self.report.delete_kept_object("everything that was listed", f"{find_maker(receiver)} {name}")
        if self.report.is_excused or self.report.openings.is_library_local(find_maker(receiver)):
            return
        if overwrites_ref(name, made_by, list_settings(arguments)):
            self.report.operation("tool.act", known_word(name), overwrites=True)
        opens_policy = sets_policy(name) and self.called.get(_EVERYBODY, 0) > 0
        if opens_policy or makes_public(name, list_settings(arguments)):
            self.report.operation("tool.act", known_word(name), opens=True)
        if grants_rights(name):
            self.report.operation("cloud.delete", known_word(name), rights=True)
        report_changed_settings(self.report, name, made_by, arguments)

    def call_escaped(self, function: Callable_, companions: list[Value]) -> None:
        if isinstance(function, ClassValue) or (isinstance(function, Reference) and not self.library.is_harmful(function)):
            return
        mark = (id(function.body) if isinstance(function, Function) else function.name, tuple(map(id, companions)))
        if mark in self._escaped:
            return
        self._escaped[mark] = companions
        self.work.spend_steps(len(companions))
        self.run_possibly(lambda: self._try_each(function, companions))

    def _try_each(self, function: Function | Reference, companions: list[Value]) -> None:
        tries = guess_arguments(companions)
        anything = Arguments(rest=Unknown("arguments of another function"))
        if isinstance(function, Function):
            for arguments in tries:
                call_arguments = Arguments(tuple(arguments), rest=Unknown("an argument"))
                self.run_possibly(lambda given=call_arguments: self._run_function(function, given))  # type: ignore[misc]
            self._run_by_framework(function, anything)
            return
        fits = False
        for arguments in tries:
            positional = (*function.positional, *arguments)
            fits |= self.library.try_call(self, function, Arguments(positional, dict(function.named)))
        if not fits:
            bound = Arguments(function.positional, dict(function.named), anything.rest)
            self.library.try_call(self, function, bound)

    def _run_by_framework(self, function: Function, arguments: Arguments) -> None:
        """Calls a function as its unknown caller does; a test framework passes fixtures to functions of tests."""
        is_test = _IS_TEST(str(getattr(self.top.unit, "file", "")).rpartition("/")[2]) is not None
        given = [each.name for each in function.parameters if is_test]
        names = [name for name in given if name in self.library.fixtures]
        is_single = is_test and function.name.startswith("test")
        with simulate_fixtures(self, given), self.report.openings.forget_addresses() if is_single else nullcontext():
            if not names or id(function.body) in self._general:
                self._run_with_anything(function, arguments)
                return
            fixtures = Arguments(named={name: self.library.fixtures[name] for name in names}, rest=Unknown("an argument"))
            self.entered[id(function.body)] = self.entered.get(id(function.body), 0) + 1
            self.run_possibly(lambda: self._enter_function(function, fixtures))


_declares_test = re.compile(r"(?:test|it|specify|example)(?:\.\w+)*").fullmatch
"""Matches calls that declare a single test with a function: `test("..", () => ..)`, `it.only(..)`."""
_IS_TEST = re.compile(r"conftest\.py|test_\w+\.py|\w+_test\.py").fullmatch
