"""The machine as this call has left it so far: what it wrote, made, linked, moved and deleted, in front of the World.

Relief must have happened. A path therefore has alternatives: a change replaces them only when its command runs on
every path through the text; else it adds one, and whoever asks sees them all.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from .model.place import OPEN_FILES
from .model.word import EMPTY, Maybe, Unread, Word, known, unread
from .model.world import ABSENT, UNKNOWN, World

_T = TypeVar("_T")
ALTERNATIVES = 8
READ_LIMIT = 262_144
_STREAMS = frozenset(OPEN_FILES + number for number in "012")  # no folder is read from, or printed to


@dataclass(frozen=True, slots=True)
class File:
    content: Word


@dataclass(frozen=True, slots=True)
class Folder:
    """`content`: what any file in it holds that has no entry of its own; None where the folder is new and empty."""

    content: Word | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """`target` is absolute."""

    target: str


@dataclass(frozen=True, slots=True)
class Gone:
    pass


@dataclass(frozen=True, slots=True)
class Untouched:
    """As the machine has it."""


Entry = File | Folder | Link | Gone | Untouched
_UNTOUCHED: tuple[Entry, ...] = (Untouched(),)
_GONE: tuple[Entry, ...] = (Gone(),)
_NO_LINK = (None,)


def _in_it(entry: Entry) -> Entry:
    """What lies beneath, where nothing else is known of it."""
    match entry:
        case Folder(content=None) | Gone() | File():
            return _GONE[0]
        case Folder(content=content) if content is not None:
            return File(content)
        case _:
            return _UNTOUCHED[0]


class Overlay:
    def __init__(self, world: World) -> None:
        self.world = world
        self._now: dict[str, tuple[Entry, ...]] = {}
        self._named: dict[str, list[str]] = {}  # what was changed, by its last name
        self._leads = False  # what was changed may bear other names, too
        self._beneath: dict[str, tuple[Entry, ...]] = {}  # by folder, what is in it and was not changed itself
        self._links: dict[str, tuple[str | None, ...]] = {}
        self._leading: list[str] = []  # those of them that are links
        self.resolved: dict[tuple[str, bool], tuple[str, ...]] = {}
        """Paths that were followed to their ends since a link came or went (paths.resolve)."""
        self.read: dict[str, tuple[Word, ...]] = {}
        """What files were found to hold since the last change, by the path that was asked for."""

    def change(self, path: str, entry: Entry, *, always: bool) -> None:
        """What is at `path` from now on. `always`: the command that does it runs on every path."""
        self.read.clear()
        self._beneath.clear()
        self._forget(path, entry)
        if path not in self._now:
            self._named.setdefault(path.rpartition("/")[2], []).append(path)
        self._leads = self._leads or isinstance(entry, Link) or (isinstance(entry, Folder) and entry.content is not None)
        if always:
            self._now[path] = (entry,)
        else:
            before = self.entries(path)
            if entry not in before and len(before) < ALTERNATIVES:
                self._now[path] = (*before, entry)

    def fill(self, path: str, contents: Iterable[Word], *, always: bool) -> None:
        """A file from now on, which holds one of these."""
        for n, content in enumerate(contents):
            self.change(path, File(content), always=always and not n)

    def _forget(self, path: str, entry: Entry) -> None:
        """What was found out of links and may be otherwise now: nothing, where none was there and none comes."""
        beneath = f"{path.rstrip('/')}/"
        if isinstance(entry, Link) or any(each == path or each.startswith(beneath) for each in self._leading):
            self.resolved.clear()
            self._links.clear()
            self._leading.clear()

    def entries(self, path: str) -> tuple[Entry, ...]:
        """What may be at a path, links not followed."""
        if not self._now:
            return _UNTOUCHED
        found = self._now.get(path)
        return found if found is not None else self._inherited(path)

    def _inherited(self, path: str) -> tuple[Entry, ...]:
        """What a path is by what became of the nearest folder above it that this call touched."""
        passed: list[str] = []
        found: tuple[Entry, ...] | None = None
        while found is None and path and path != "/":
            path = path.rpartition("/")[0] or "/"
            found = self._beneath.get(path)
            if found is None:
                passed.append(path)
                entries = self._now.get(path)
                found = None if entries is None else unique(_in_it(entry) for entry in entries)
        found = _UNTOUCHED if found is None else found
        for folder in passed:
            self._beneath[folder] = found
        return found

    def links(self, path: str) -> tuple[str | None, ...]:
        """Where it leads, one answer an alternative; None for no link."""
        found = self._links.get(path)
        if found is None:
            entries = self.entries(path)
            if entries is _UNTOUCHED:
                found = (self._world_link(path),)
            else:
                found = unique(self._target(path, entry) for entry in entries)
            self._links[path] = found
            if found != _NO_LINK:
                self._leading.append(path)
        return found

    def _target(self, path: str, entry: Entry) -> str | None:
        if isinstance(entry, Untouched):
            return self._world_link(path)
        return entry.target if isinstance(entry, Link) else None

    def _world_link(self, path: str) -> str | None:
        target = self.world.link(path)
        return target if isinstance(target, str) else None

    def is_folder(self, path: str) -> Maybe:
        if path.startswith(OPEN_FILES):
            return False if path in _STREAMS else None
        entries = self.entries(path)
        if entries is _UNTOUCHED:
            return self._world_folder(path)
        return _agreed(
            self._world_folder(path) if isinstance(entry, Untouched) else isinstance(entry, Folder) for entry in entries
        )

    def _world_folder(self, path: str) -> Maybe:
        kind = self.world.kind(path)
        return None if kind is UNKNOWN else kind == "folder"

    def is_untouched(self, path: str) -> bool:
        return all(isinstance(entry, Untouched) for entry in self.entries(path))

    def is_changed_beneath(self, path: str) -> bool:
        """Did this call bring anything new to a path, or to what is beneath it? What it took away is nothing new."""
        beneath = f"{path.rstrip('/')}/"
        changed = (each for each in self._now if each.startswith(beneath))
        return any(not isinstance(entry, Untouched | Gone) for each in (path, *changed) for entry in self.entries(each))

    def exists(self, path: str) -> Maybe:
        entries = self.entries(path)
        if entries is _UNTOUCHED:
            return self._world_has(path)
        return _agreed(
            self._world_has(path) if isinstance(entry, Untouched) else not isinstance(entry, Gone) for entry in entries
        )

    def _world_has(self, path: str) -> Maybe:
        kind = self.world.kind(path)
        return None if kind is UNKNOWN else kind is not ABSENT

    def contents(self, path: str) -> tuple[Word | None, ...]:
        """What a file may hold; None where nothing is there. One that may not be there holds nothing."""
        entries = self.entries(path)
        if entries is _UNTOUCHED:
            return (self._read(path),)
        result: list[Word | None] = []
        absent = False
        for entry in entries:
            match entry:
                case File(content=content):
                    result.append(content)
                case Untouched():
                    text = self._read(path)
                    absent |= text is None
                    result += [] if text is None else [text]
                case Gone():
                    absent = True
                case _:
                    result.append(None)
        if absent:
            result.append(EMPTY if any(result) else None)
        return unique(result)

    def _read(self, path: str) -> Word | None:
        """What the machine has in a file; None where no file is there."""
        text = self.world.read(path, READ_LIMIT)
        if isinstance(text, str):
            return known(text)
        return unread(path, text) if isinstance(text, Unread) else None

    def may_hold(self, name: str) -> bool:
        """May this call have made a file of this name anywhere?"""
        return self._leads or name in self._named

    def written_as(self, name: str) -> tuple[str, ...]:
        """The files of this name that this call has written, wherever they lie."""
        return tuple(path for path in self._named.get(name, ()) if self.written_here(path))

    def written_in(self, folder: str) -> tuple[str, ...]:
        """The names of the files that this call has written in a folder, right beneath it."""
        names = [path[len(folder.rstrip("/")) + 1 :] for path in self.written_beneath(folder)]
        return tuple(name for name in names if "/" not in name)

    def written_beneath(self, folder: str) -> tuple[str, ...]:
        """The paths of the files that this call has written anywhere beneath a folder."""
        inside = f"{folder.rstrip('/')}/"
        return tuple(path for path in self._now if path.startswith(inside) and self.written_here(path))

    def written_here(self, path: str) -> bool:
        """Did this very call write, or bring in, what is there?"""
        return any(isinstance(entry, File) for entry in self.entries(path)) if self._now else False


def _agreed(answers: Iterable[Maybe]) -> Maybe:
    """What all of them say; None where they differ."""
    found = set(answers)
    return found.pop() if len(found) == 1 else None


def unique(items: Iterable[_T]) -> tuple[_T, ...]:
    """In order, each once."""
    return tuple(dict.fromkeys(items))
