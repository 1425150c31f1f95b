"""The contents of one copy: values, and their encoding on disk."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from toolgate.model.stakes_measurement import format_size

FORMAT_VERSION = 1
ItemKind = Literal["file", "folder", "link", "absent"]


class Item(NamedTuple):
    """One file, folder or link as it was; `absent`: nothing was there. `path` is absolute. `at`: the place of a file's content:
    an offset in the pack, or the number of a file of its own. `target`: the target of a link. `twin`: an earlier item that is the
    same file under another name. `shared`: device and inode of a file with more than one name. `attributes`: extended ones, as
    pairs of name and hexadecimal value."""

    path: str
    kind: ItemKind
    mode: int = 0
    modified: int = 0
    size: int = 0
    owner: tuple[int, int] = (0, 0)
    at: int = 0
    own_file: bool = False
    target: str = ""
    twin: str = ""
    shared: tuple[int, int] = (0, 0)
    attributes: tuple[tuple[str, str], ...] = ()


class OmittedPath(NamedTuple):
    """A path that the copy does not contain, and why."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A copy. `operation`: the call, its secrets redacted. `roots`: the paths that the call was about; `exact`: those of them in
    which nothing else may remain after restoring. `worktrees`: top folders whose tracked files are among the items."""

    id: str
    at: float
    host: str
    session: str
    project: str
    operation: str
    roots: tuple[str, ...]
    items: tuple[Item, ...]
    exact: tuple[str, ...] = ()
    worktrees: tuple[str, ...] = ()
    left_out: tuple[OmittedPath, ...] = ()

    @property
    def files(self) -> int:
        return sum(item.kind in ("file", "link") for item in self.items)

    @property
    def summary(self) -> str:
        """How much it holds, for people."""
        folders = sum(item.kind == "folder" for item in self.items)
        kinds = ((self.files, "file", "files"), (0 if self.files else folders, "folder", "folders"))
        counts = ", ".join(f"{count:,} {one if count == 1 else many}" for count, one, many in kinds if count)
        return f"{counts}, {format_size(self.size)}" if counts else "nothing but names"

    @property
    def size(self) -> int:
        return sum(item.size for item in self.items if item.kind == "file")


def encode_entry(entry: Entry) -> bytes:
    table = {
        "format": FORMAT_VERSION,
        **{name: getattr(entry, name) for name in ("id", "at", "host", "session", "project", "operation")},
        **{name: getattr(entry, name) for name in ("roots", "exact", "worktrees", "left_out")},
        "items": [list(item) for item in entry.items],
    }
    return json.dumps(table, separators=(",", ":")).encode()


def decode_entry(data: bytes) -> Entry:
    """Raises ValueError for anything but the output of `encode_entry`."""
    try:
        table: dict[str, Any] = json.loads(data)
        if table.pop("format") != FORMAT_VERSION:
            raise ValueError("another version of toolgate wrote this copy")
        items = tuple(_decode_item(each) for each in table.pop("items"))
        left_out = tuple(OmittedPath(*each) for each in table.pop("left_out"))
        table |= {name: tuple(table[name]) for name in ("roots", "exact", "worktrees")}
        return Entry(items=items, left_out=left_out, **table)
    except (TypeError, KeyError, AttributeError, json.JSONDecodeError, UnicodeDecodeError) as problem:
        raise ValueError(f"the copy is damaged ({problem})") from None


def _decode_item(read: list[Any]) -> Item:
    item = Item(*read)
    attributes = tuple((name, value) for name, value in item.attributes)
    return item._replace(owner=_decode_pair(item.owner), shared=_decode_pair(item.shared), attributes=attributes)


def _decode_pair(read: Sequence[int]) -> tuple[int, int]:
    return read[0], read[1]
