"""Assignment targets and attributes."""

from __future__ import annotations

from collections.abc import Callable

from toolgate.model.word import known_word

from . import nodes
from .client_settings import keep_settings
from .expressions import Expressions
from .journal import Frame
from .operators import are_equal, key_of
from .own_variables import store_variable
from .safeguard_changes import report_changed_attribute
from .shared_state import Arguments
from .values import (
    NULL,
    REST_KEY,
    ClassValue,
    Function,
    Instance,
    ListContent,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    list_alternatives,
    text_of,
)


class AssignmentTargets(Expressions):
    def store(self, target: nodes.Expression, value: Value) -> None:
        if type(target) is nodes.Name:
            self.journal.set_cell(self._frame_of(target.name).variables, target.name, value)
        else:
            self._bind_target(target, value, self._frame_of)

    def _bind_target(self, target: nodes.Expression, value: Value, frame_of: Callable[[str], Frame]) -> None:
        """Stores a value in a target; `frame_of` returns the frame that a name belongs to."""
        match target:
            case nodes.Name(name):
                self.journal.set_cell(frame_of(name).variables, name, value)
            case nodes.Collection(items=targets):
                self._unpack_value(targets, value, frame_of)
            case nodes.MapLiteral(pairs):
                for key, inner in pairs:
                    part = value if key is None else self.read_index(value, self.evaluate(key))
                    self._bind_target(inner, part, frame_of)
            case nodes.AssignmentExpression(inner, default):
                self._bind_target(inner, self._apply_default(value, default), frame_of)
            case nodes.Spread(inner):
                self._bind_target(inner, value, frame_of)
            case _:
                self._store_in_place(target, value)

    def _apply_default(self, value: Value, default: nodes.Expression) -> Value:
        is_missing = are_equal(value, NULL)
        if is_missing is False:
            return value
        default_value = self.evaluate(default)
        return (
            default_value
            if is_missing
            else self.join_values(*(each for each in list_alternatives(value) if each is not NULL), default_value)
        )

    def _store_in_place(self, target: nodes.Expression, value: Value) -> None:
        match target:
            case nodes.Attribute(owner, name):
                for each in list_alternatives(self.evaluate(owner)):
                    report_changed_attribute(self.report, each, name, value)
                    self.store_attribute(each, name, value, is_only=True)
            case nodes.Index(owner, key):
                holders = list_alternatives(self.evaluate(owner))
                for each in holders:
                    self._store_item(each, self.evaluate(key), value, is_only=len(holders) == 1)
            case nodes.Slice(owner):
                for each in list_alternatives(self.evaluate(owner)):
                    if isinstance(each, ListValue):
                        items, rest = self.items_of(value)
                        self.journal.replace_items(each, (), self.join_values(*each.items, each.rest, *items, rest))
            case _:
                pass

    def delete(self, target: nodes.Expression) -> None:
        match target:
            case nodes.Name(name):
                self.journal.remove_key(self.frame.variables, name)
            case nodes.Index(owner, key):
                self.delete_entry(self.evaluate(owner), self.evaluate(key))
            case nodes.Attribute(owner, name):
                self.delete_entry(self.evaluate(owner), known_word(name))
            case nodes.Slice(owner):
                self.loosen_container(self.evaluate(owner))
            case _:
                self.evaluate(target)

    def delete_entry(self, owner: Value, key: Value) -> None:
        owners = list_alternatives(owner)
        for each in owners:
            if isinstance(each, MapValue):
                self._delete_from_map(each, key, is_only=len(owners) == 1)
            elif isinstance(each, ListValue) and (each.items or each.rest is not None):
                self.journal.replace_items(each, (), self.join_values(*each.items, each.rest))

    def loosen_container(self, value: Value) -> None:
        """Keeps what a container may hold, and forgets what it certainly holds and in which order."""
        self.delete_entry(value, Unknown("a key"))

    def _delete_from_map(self, owner: MapValue, key: Value, *, is_only: bool) -> None:
        keys = [key_of(each) for each in list_alternatives(key)]
        known = {each[0] for each in keys if each is not None}
        for name, value in owner.known_entries:
            if name not in known and None not in keys:
                continue
            if not is_only or len(keys) > 1 or None in keys:
                self.journal.put_entry(owner, REST_KEY, self.join_values(owner.rest, value))
            self.journal.remove_key(owner.entries, name)

    def store_here(self, target: nodes.Expression, value: Value) -> None:
        """Binds names in the current frame, even if they exist in an outer one."""
        self._bind_target(target, value, lambda _: self.frame)

    def _frame_of(self, name: str) -> Frame:
        if self.library.assigns_outward:
            frame = self.frame
            while frame.parent is not None and name not in frame.variables:
                frame = frame.parent
            return frame
        return self._assignment_frame_of(name)

    def _assignment_frame_of(self, name: str) -> Frame:
        if name not in self.frame.outer_names:
            return self.frame
        frame = self.frame.parent
        while frame is not None:
            if name in frame.variables or frame.parent is None:
                return frame
            frame = frame.parent
        return self.frame

    def store_attribute(self, owner: Value, name: str, value: Value, *, is_only: bool) -> None:
        if not isinstance(owner, MapValue):
            self.outside_calls.hand_out(value)
        match owner:
            case Reference():
                full = self.library.canonicalize_name(f"{owner.name}.{name}")
                self.journal.set_cell(self.patched, full, value)
                self.report.record_patch(full, value)
                self.report.opened_files.release_files((value,))
                keep_settings(self, owner, value)
            case Instance():
                setter = None if owner.cls is None else find_in_class(owner.cls, f"set {name}")
                if isinstance(setter, Function):
                    self.call(setter._replace(receiver=owner), Arguments((value,)))
                if owner.cls is None:
                    store_variable(self, owner.type, known_word(name), value)
                    self.report.opened_files.release_files((value,))
                    keep_settings(self, owner, value)
                before = None if is_only else owner.fields.get(name)
                self.journal.put_field(owner, name, self.join_values(before, value))
            case ClassValue():
                self.journal.set_cell(owner.fields, name, value)
            case MapValue():
                self.journal.put_entry(owner, name, value)
            case _:
                self.report.opened_files.release_files((value,))

    def _store_item(self, owner: Value, key: Value, value: Value, *, is_only: bool) -> None:
        if isinstance(owner, MapValue):
            self.put_entry(owner, key, value if is_only else self.join_values(value, self.read_index(owner, key)))
        elif isinstance(owner, ListValue):
            literal = key_of(key)
            at = literal[0] if literal is not None else None
            items = list(owner.items)
            if isinstance(at, int) and -len(items) <= at < len(items):
                items[at] = value if is_only else self.join_values(items[at], value)
                self.journal.set_cell(owner.cell, "content", ListContent(tuple(items), owner.rest))
            else:
                self.journal.replace_items(owner, (), self.join_values(*items, owner.rest, value))
        else:
            self.outside_calls.hand_out(value)
            self.report.openings.note_database(text_of(key) or "", value)
            store_variable(self, self.library.type_of(owner), key, value)
            self.report.opened_files.release_files((value,))
            if isinstance(owner, Reference):
                for name in self.report.known_names(key):
                    self.store_attribute(owner, name, value, is_only=is_only)
            else:
                keep_settings(self, owner, value)

    def _unpack_value(self, targets: tuple[nodes.Expression, ...], value: Value, frame_of: Callable[[str], Frame]) -> None:
        items, rest = self.items_of(value)
        missing = self.library.missing_argument
        further = rest if rest is not None else Unknown("an item") if missing is None else missing
        starred = next((n for n, each in enumerate(targets) if isinstance(each, nodes.Spread)), None)
        if starred is None:
            for n, target in enumerate(targets):
                self._bind_target(target, items[n] if n < len(items) else further, frame_of)
            return
        after = len(targets) - starred - 1
        for n in range(starred):
            self._bind_target(targets[n], items[n] if n < len(items) else further, frame_of)
        end = max(starred, len(items) - after)
        others = ListValue(self.library.list_kind, items[starred:end], rest)
        self._bind_target(targets[starred], others, frame_of)
        for n in range(after):
            self._bind_target(targets[starred + 1 + n], items[end + n] if end + n < len(items) else further, frame_of)

    # ---- attributes

    def read_attribute(self, owner: Value, name: str) -> Value:
        return self.map_alternatives(owner, lambda each: self._attribute_of_one(each, name))

    def _attribute_of_one(self, owner: Value, name: str) -> Value:
        found = self.library.read_property(self, owner, name)
        if found is not None:
            return found
        match owner:
            case Reference():
                full = self.library.canonicalize_name(f"{owner.name}.{name}")
                if full in self.patched:
                    return self.patched[full]
                constant = self.library.read_constant(self, full)
                return self._make_reference(full, owner.receiver) if constant is None else constant
            case Instance() if name in owner.fields:
                return owner.fields[name]
            case Instance() if owner.cls is not None:
                return self._read_class_attribute(owner.cls, name, owner)
            case ClassValue():
                return self._read_class_attribute(owner, name, None)
            case _:
                return self._make_reference(f"{self.library.type_of(owner)}.{name}", owner)

    def _make_reference(self, name: str, receiver: Value | None) -> Reference:
        made = Reference(name, receiver)
        if not self.library.is_harmful(made):
            return made._replace(matters=False)
        self.loaded.add(made)
        return made

    def _read_class_attribute(self, cls: ClassValue, name: str, receiver: Instance | None) -> Value:
        """Returns the attribute of a class, or of one of its bases."""
        found = find_in_class(cls, name)
        if isinstance(found, Function):
            if found.binding == "class":
                return found._replace(receiver=cls)
            return found if receiver is None or found.binding == "static" else found._replace(receiver=receiver)
        if isinstance(found, Instance) and found.type == "property" and receiver is not None:
            getter = found.fields["get"]
            if isinstance(getter, Function):
                return self.call(getter._replace(receiver=receiver), Arguments())
            return self.call(getter, Arguments((receiver,)))
        if found is not None:
            return found
        for base in cls.bases:
            for each in list_alternatives(base):
                if isinstance(each, Reference):
                    return Reference(f"{each.name}.{name}", receiver)
        if receiver is not None and name != "__getattr__" and isinstance(own := find_in_class(cls, "__getattr__"), Function):
            return self.call(own._replace(receiver=receiver), Arguments(rest=Unknown("a name")))
        return Reference(f"?.{name}", receiver)


def find_in_class(cls: ClassValue, name: str, depth: int = 16) -> Value | None:
    if name in cls.fields:
        return cls.fields[name]
    for base in cls.bases if depth else ():
        for each in list_alternatives(base):
            if isinstance(each, ClassValue) and (found := find_in_class(each, name, depth - 1)) is not None:
                return found
    return None
