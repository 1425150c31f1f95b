"""Lists of paths in values of unknown libraries: what `pd.Series(paths)`, `natsorted(paths)` or `df["path"]` may iterate over."""

from __future__ import annotations

from toolgate.model.word import Word

from .shared_state import Arguments
from .values import Instance, ListValue, MapValue, Reference, Unknown, Value

_MAX_ITEMS = 8
"""Maximum items of a list that are looked at."""
_PATH_STARTS = ("/", "~", "./", "../")


class PathLists:
    """The list of paths that each unknown value was made of."""

    def __init__(self) -> None:
        self._lists: dict[int, tuple[Value, ListValue]] = {}

    def follow_call(self, owner: Value | None, arguments: Arguments, result: Value) -> None:
        """Records that a call's unknown result holds what its object, or an argument, holds."""
        if isinstance(result, Unknown) or (isinstance(result, Instance) and result.cls is None and result.text is None):
            self._record(result, owner, *arguments.positional, *arguments.named.values())

    def follow_part(self, owner: Value, part: Value) -> None:
        """Records that an unknown part, `df["path"]`, holds what its owner holds."""
        if isinstance(part, Unknown):
            self._record(part, owner)

    def find(self, value: Value | None) -> ListValue | None:
        """Returns the list of paths that a value is, or was made of."""
        match value:
            case ListValue():
                return value if any(map(_is_path, (*value.items[:_MAX_ITEMS], value.rest))) else None
            case MapValue():
                lists = (self.find(each) for _, each in value.known_entries[:_MAX_ITEMS] if isinstance(each, ListValue))
                return next((each for each in lists if each is not None), None)
            case Reference() if value.receiver is not None:
                return self.find(value.receiver)
            case None | Word():
                return None
            case _:
                found = self._lists.get(id(value))
                return None if found is None else found[1]

    def _record(self, made: Value, *sources: Value | None) -> None:
        for each in sources:
            if (found := self.find(each)) is not None:
                self._lists[id(made)] = (made, found)
                return


def _is_path(value: Value | None) -> bool:
    word = value.text if isinstance(value, Instance) else value
    return isinstance(word, Word) and word.head.startswith(_PATH_STARTS)
