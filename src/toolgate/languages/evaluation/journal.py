"""The state of the code that is read: variables, and a journal of changes, so that paths can be rolled back and joined.

A branch is read from the same state as its siblings. Its changes are rolled back when it ends; after the last branch, the
state is the join of all of them. The cost is proportional to the changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from .step_budget import StepBudget
from .values import Instance, ListContent, ListValue, MapEntries, MapValue, Unknown, Value, join_all, join_two

Cell: TypeAlias = dict[Any, Any]
Changes: TypeAlias = dict[tuple[int, object], tuple[Cell, object, Any]]
"""The value of each changed cell and key at the end of a path."""
ABSENT = object()


class Frame:
    """The variables of a function, a class body or a module. `receiver`: the value of `self`; `unit`: its text."""

    __slots__ = ("exits", "jumps", "outer_names", "parent", "receiver", "returned", "start", "unit", "variables", "yielded")

    def __init__(self, parent: Frame | None, unit: object, start: int = 0) -> None:
        self.variables: dict[str, Value] = {}
        self.parent, self.unit, self.start = parent, unit, start
        self.outer_names: set[str] = set()
        self.receiver: Value | None = None
        self.returned: list[Value] = []
        self.exits: list[Changes] = []
        self.jumps: list[tuple[str, Changes]] | None = None
        self.yielded: ListValue | None = None

    def open_block(self) -> Frame:
        """Returns the frame of a block in this one: with its own names, and the same exits."""
        inner = Frame(self, self.unit, self.start)
        inner.receiver, inner.yielded, inner.jumps = self.receiver, self.yielded, self.jumps
        inner.returned, inner.exits = self.returned, self.exits
        return inner


class Journal:
    """Every change of a cell, with its previous value."""

    def __init__(self, work: StepBudget) -> None:
        self._entries: list[tuple[Cell, object, Any]] = []
        self._work = work
        self.branches = 0
        """How many branches that may not run enclose the current code."""
        self.is_linear = False
        """Whether each statement is read once, in order, as if all branches ran one after the other. The cost is linear in the
        text."""

    def make_mark(self) -> int:
        return len(self._entries)

    def set_cell(self, cell: Cell, key: object, value: Any) -> None:
        self._entries.append((cell, key, cell.get(key, ABSENT)))
        cell[key] = value

    def remove_key(self, cell: Cell, key: object) -> None:
        if key in cell:
            self._entries.append((cell, key, cell.pop(key)))

    # ---- containers

    def append_items(self, target: ListValue, values: Iterable[Value], rest: Value | None = None) -> None:
        content = target.cell["content"]
        items = (*content.items, *values)
        if content.rest is not None or len(items) > _MAX_ITEMS:
            added = ListContent(content.items, join_all((content.rest, *items[len(content.items) :], rest)))
        else:
            added = ListContent(items, rest)
        self._work.spend_steps(1 + len(items) // 16)
        self.set_cell(target.cell, "content", added)

    def replace_items(self, target: ListValue, items: Iterable[Value], rest: Value | None) -> None:
        self.set_cell(target.cell, "content", ListContent(tuple(items), rest))

    def put_entry(self, target: MapValue, key: object, value: Value) -> None:
        self.set_cell(target.entries, key, value)

    def put_field(self, target: Instance, name: str, value: Value) -> None:
        self.set_cell(target.fields, name, value)

    # ---- paths

    def changes_since(self, mark: int) -> Changes:
        """Returns the current values of everything that this path changed since the mark."""
        entries = self._entries[mark:]
        self._work.spend_steps(len(entries) // 4)
        return {(id(cell), key): (cell, key, cell.get(key, ABSENT)) for cell, key, _ in entries}

    def changed_values(self, mark: int) -> list[tuple[Cell, object, Any, Any]]:
        """Returns each cell and key changed since the mark, with its previous and its current value."""
        first: dict[tuple[int, object], tuple[Cell, object, Any]] = {}
        for cell, key, before in self._entries[mark:]:
            first.setdefault((id(cell), key), (cell, key, before))
        self._work.spend_steps(len(first))
        return [(cell, key, before, cell.get(key, ABSENT)) for cell, key, before in first.values()]

    def roll_back(self, mark: int) -> None:
        for cell, key, before in reversed(self._entries[mark:]):
            if before is ABSENT:
                cell.pop(key, None)
            else:
                cell[key] = before
        del self._entries[mark:]

    def apply_changes(self, changes: Changes) -> None:
        """Continues in the state at the end of that path."""
        for cell, key, value in changes.values():
            if value is ABSENT:
                self.remove_key(cell, key)
            elif cell.get(key, ABSENT) is not value:
                self.set_cell(cell, key, value)

    def join_paths(self, paths: list[Changes]) -> None:
        """Continues in the join of these paths, all of which began here."""
        self._work.spend_steps(sum(map(len, paths)))
        keys = {key: (cell, name) for path in paths for key, (cell, name, _) in path.items()}
        for key, (cell, name) in keys.items():
            value = cell.get(name, ABSENT)
            values = [path[key][2] if key in path else value for path in paths]
            if any(each is not value for each in values):
                self._work.spend_steps(2 * len(values))
            joined = join_cell(cell, values)
            if joined is not ABSENT and joined is not value:
                self.set_cell(cell, name, joined)

    def run_branches(self, ways: Iterable[Callable[[], bool]]) -> bool:
        """Reads each way from here, one of which is taken. A way returns whether it leaves; this returns whether all of them
        do."""
        if self.is_linear:
            for way in ways:
                way()
            return False
        mark, left = self.make_mark(), []
        self.branches += 1
        try:
            for way in ways:
                leaves = way()
                if not leaves:
                    left.append(self.changes_since(mark))
                self.roll_back(mark)
        finally:
            self.branches -= 1
        self.join_paths(left)
        return not left


_MAX_ITEMS = 256
"""Maximum items of a list that are kept apart."""
_MISSING_ENTRY = Unknown("an entry that may be missing")


def join_cell(cell: Cell, values: list[Any]) -> Any:
    """Returns the join of a cell's values on several paths."""
    first = values[0]
    if all(each is first for each in values):
        return first
    if any(isinstance(each, ListContent) for each in values):
        return join_contents([each for each in values if isinstance(each, ListContent)])
    present = [each for each in values if each is not ABSENT]
    if len(present) < len(values) and isinstance(cell, MapEntries):
        present.append(_MISSING_ENTRY)
    return join_all(present) if present else ABSENT


def join_contents(contents: list[ListContent]) -> ListContent:
    shortest = min(len(each.items) for each in contents)
    items: list[Value] = []
    for at in range(shortest):
        value = join_all(each.items[at] for each in contents)
        assert value is not None
        items.append(value)
    rest: Value | None = None
    for each in contents:
        rest = join_two(rest, join_all((*each.items[shortest:], each.rest)))
    return ListContent(tuple(items), rest)
