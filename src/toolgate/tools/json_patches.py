"""JSON patches among the arguments of a tool (RFC 6902): what they put in. Their paths lead to a part of a document."""

from collections.abc import Mapping

from .names import fold_key


def replace_patches(entries: Mapping[str, object]) -> Mapping[str, object]:
    """Returns an object with the values of each JSON patch instead of the patch."""
    patches = [key for key, value in entries.items() if fold_key(str(key)) in _PATCHES and isinstance(value, list)]
    return {key: _list_values(value) if key in patches else value for key, value in entries.items()} if patches else entries


def _list_values(changes: object) -> object:
    """Returns the values that a JSON patch puts in."""
    assert isinstance(changes, list)
    return [{"value": each["value"]} for each in changes if isinstance(each, Mapping) and "value" in each]


_PATCHES = frozenset(("patch", "patches", "jsonpatch"))
