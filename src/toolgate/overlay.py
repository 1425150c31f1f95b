"""The machine as this call has left it so far: its writes, new folders, links, moves and deletions, in front of the World.

Relief requires that a change has happened. A path therefore has alternatives: a change replaces them only if its command runs
on every path through the text; otherwise it adds one, and readers get all of them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from .model.errors import LimitError
from .model.place import OPEN_FILES
from .model.word import EMPTY, NO_SOURCES, Maybe, Unread, Word, known_word, unread_word
from .model.world import ABSENT, UNKNOWN, World

_T = TypeVar("_T")
MAX_ALTERNATIVES = 8
READ_LIMIT = 262_144
_TOO_MANY_TEXTS = Unread(f"this call may give it more than {MAX_ALTERNATIVES} different texts")
_TOO_MANY_COPIES = Unread(f"this call copies more than {MAX_ALTERNATIVES} folders there")
_STREAMS = frozenset(OPEN_FILES + number for number in "012")  # never folders


@dataclass(frozen=True, slots=True)
class File:
    content: Word


@dataclass(frozen=True, slots=True)
class Folder:
    """`content`: the content of any file in it without an entry of its own; None for a new, empty folder."""

    content: Word | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """`target` is absolute."""

    target: str


@dataclass(frozen=True, slots=True)
class NoEntry:
    pass


@dataclass(frozen=True, slots=True)
class Untouched:
    """Unchanged by this call."""


@dataclass(frozen=True, slots=True)
class Copied:
    """What the machine had at `source` before the call: a folder that was copied or moved here, or something in one."""

    source: str


Entry = File | Folder | Link | NoEntry | Untouched | Copied
_UNTOUCHED: tuple[Entry, ...] = (Untouched(),)
_NO_ENTRY: tuple[Entry, ...] = (NoEntry(),)
_NO_LINK = (None,)
OPEN_FILE_ROOTS = ("/dev", "/proc")
"""These contain a process's open files: what they name is not what the machine has there."""


def _entry_beneath(entry: Entry) -> Entry:
    """Returns the entry of a path below this one, if nothing else is known of it. A copy is that of this one still."""
    match entry:
        case Copied():
            return entry
        case Folder(content=None) | NoEntry() | File():
            return _NO_ENTRY[0]
        case Folder(content=content) if content is not None:
            return File(content)
        case _:
            return _UNTOUCHED[0]


def _extend_copies(entries: tuple[Entry, ...], rest: str) -> tuple[Entry, ...]:
    """Returns the entries of a path, given those of a folder above it. `rest`: the path in that folder."""
    return tuple(Copied(f"{entry.source}/{rest}") if isinstance(entry, Copied) else entry for entry in entries)


def _add_unread(path: str, entries: tuple[Entry, ...], entry: Entry) -> tuple[Entry, ...]:
    """Returns the entries of a path that has the most alternatives already: the text of any other file counts as unread."""
    if not isinstance(entry, File):
        raise LimitError(f"{path} may be more different things than the gate follows")
    last = entries[-1]
    sources = entry.content.src | (last.content.src if isinstance(last, File) else NO_SOURCES)
    kept = entries[:MAX_ALTERNATIVES]
    return (*kept, File(unread_word(path, _TOO_MANY_TEXTS, sources)))


def _is_unread(entries: tuple[Entry, ...], entry: Entry) -> bool:
    """Returns whether the entries already say that the text of another file from these commands was not read."""
    last = entries[-1]
    return (
        len(entries) > MAX_ALTERNATIVES
        and isinstance(entry, File)
        and isinstance(last, File)
        and entry.content.src <= last.content.src
    )


class Overlay:
    def __init__(self, world: World) -> None:
        self.world = world
        self._now: dict[str, tuple[Entry, ...]] = {}
        self._named: dict[str, list[str]] = {}  # changed paths, by their last name
        self._parents: set[str] = set()  # every folder above a changed path
        self._leads = False  # changed paths may have other names, too
        self._beneath: dict[str, tuple[Entry, ...]] = {}  # by folder, the entry of paths in it that were not changed themselves
        self._links: dict[str, tuple[str | None, ...]] = {}
        self._leading: list[str] = []  # those of them that are links
        self.resolved: dict[tuple[str, bool], tuple[str, ...]] = {}
        """Resolved paths (paths.resolve_path), cached until a link is added or removed."""
        self.read: dict[str, tuple[Word, ...]] = {}
        """Contents of files since the last change, by the path as asked."""
        self.version = 0
        """Number of changes so far that made a difference."""

    def record_change(self, path: str, entry: Entry, *, always: bool) -> None:
        """Records an entry at `path`. `always`: its command runs on every path."""
        if self._is_recorded(path, entry, always=always):
            return
        self.version += 1
        self.read.clear()
        if path in self._beneath:  # if it is not, no cached entry was found through it
            self._beneath.clear()
        self._invalidate_links(path, entry)
        if path not in self._now:
            self._register_path(path)
        self._leads = self._leads or isinstance(entry, Link | Copied) or (isinstance(entry, Folder) and entry.content is not None)
        if always:
            self._now[path] = (entry,)
        elif entry not in (before := self.list_entries(path)):
            self._now[path] = (*before, entry) if len(before) < MAX_ALTERNATIVES else _add_unread(path, before, entry)

    def _register_path(self, path: str) -> None:
        parent, _, name = path.rpartition("/")
        self._named.setdefault(name, []).append(path)
        while parent and parent not in self._parents:
            self._parents.add(parent)
            parent = parent.rpartition("/")[0]

    def _list_changed_beneath(self, folder: str) -> list[str]:
        """Returns the changed paths below a folder."""
        folder = folder.rstrip("/")
        return [path for path in self._now if path.startswith(f"{folder}/")] if not folder or folder in self._parents else []

    def _is_recorded(self, path: str, entry: Entry, *, always: bool) -> bool:
        """Returns whether recording the entry would change nothing."""
        before = self._now.get(path)
        return before is not None and (before == (entry,) if always else entry in before or _is_unread(before, entry))

    def record_copy(self, source: str, target: str, *, always: bool) -> None:
        """Records a folder, or something that may be one, with everything in it at another path, too."""
        changed = [path for path in self._list_changed_beneath(source) if not path.startswith(f"{target}/")]
        for path in (source, *changed):
            copy = target + path[len(source) :]
            made: list[Entry] = [Copied(path) if isinstance(entry, Untouched) else entry for entry in self.list_entries(path)]
            if len({*made, *(() if always else self.list_entries(copy))}) > MAX_ALTERNATIVES:
                self.record_change(copy, Folder(unread_word(copy, _TOO_MANY_COPIES)), always=True)
                continue
            for n, entry in enumerate(made):
                self.record_change(copy, entry, always=always and not n)

    def record_contents(self, path: str, contents: Iterable[Word], *, always: bool) -> None:
        """Records a file with one of these contents."""
        for n, content in enumerate(contents):
            self.record_change(path, File(content), always=always and not n)

    def _invalidate_links(self, path: str, entry: Entry) -> None:
        """Clears cached links and paths that this change may affect: none, if no link was there and none is added."""
        beneath = f"{path.rstrip('/')}/"
        if isinstance(entry, Link | Copied) or any(each == path or each.startswith(beneath) for each in self._leading):
            self.resolved.clear()
            self._links.clear()
            self._leading.clear()

    def list_entries(self, path: str) -> tuple[Entry, ...]:
        """Returns the possible entries of a path, links not followed."""
        if not self._now:
            return _UNTOUCHED
        found = self._now.get(path)
        if found is None:
            found = self._beneath.get(path.rpartition("/")[0] or "/")
            if found is not _UNTOUCHED:
                found = self._inherit_entries(path)
        return found

    def _inherit_entries(self, path: str) -> tuple[Entry, ...]:
        """Returns a path's entries from the nearest parent that this call changed."""
        passed: list[str] = []
        found: tuple[Entry, ...] | None = None
        parent = path
        while found is None and parent and parent != "/":
            parent = parent.rpartition("/")[0] or "/"
            found = self._beneath.get(parent)
            if found is None:
                passed.append(parent)
                entries = self._now.get(parent)
                found = None if entries is None else deduplicate(_entry_beneath(entry) for entry in entries)
        found = _UNTOUCHED if found is None else found
        is_copy = any(isinstance(entry, Copied) for entry in found)
        start = len(parent.rstrip("/")) + 1
        for folder in passed:
            self._beneath[folder] = _extend_copies(found, folder[start:]) if is_copy and folder != parent else found
        return _extend_copies(found, path[start:]) if is_copy else found

    def link_targets(self, path: str) -> tuple[str | None, ...]:
        """Returns the link target in each alternative; None if it is not a link."""
        found = self._links.get(path)
        if found is None:
            entries = self.list_entries(path)
            if entries is _UNTOUCHED:
                found = (self._world_link(path),)
            else:
                found = deduplicate(self._link_target(path, entry) for entry in entries)
            self._links[path] = found
            if found != _NO_LINK:
                self._leading.append(path)
        return found

    def _link_target(self, path: str, entry: Entry) -> str | None:
        if (original := _find_original(path, entry)) is not None:
            return self._world_link(original)
        return entry.target if isinstance(entry, Link) else None

    def _world_link(self, path: str) -> str | None:
        target = self.world.link(path)
        return target if isinstance(target, str) else None

    def is_folder(self, path: str) -> Maybe:
        if path.startswith(OPEN_FILES):
            return False if path in _STREAMS else None
        entries = self.list_entries(path)
        if entries is _UNTOUCHED:
            return self._is_world_folder(path)
        return _unanimous_answer(
            isinstance(entry, Folder) if (original := _find_original(path, entry)) is None else self._is_world_folder(original)
            for entry in entries
        )

    def _is_world_folder(self, path: str) -> Maybe:
        kind = self.world.kind(path)
        return None if kind is UNKNOWN else kind == "folder"

    def is_untouched(self, path: str) -> bool:
        return all(isinstance(entry, Untouched) for entry in self.list_entries(path))

    def is_changed_beneath(self, path: str) -> bool:
        """Returns whether this call added anything at a path, or below it. Deletions do not count."""
        changed = (path, *self._list_changed_beneath(path))
        return any(not isinstance(entry, Untouched | NoEntry) for each in changed for entry in self.list_entries(each))

    def exists(self, path: str) -> Maybe:
        entries = self.list_entries(path)
        if entries is _UNTOUCHED:
            return self._exists_in_world(path)
        return _unanimous_answer(
            not isinstance(entry, NoEntry)
            if (original := _find_original(path, entry)) is None
            else self._exists_in_world(original)
            for entry in entries
        )

    def _exists_in_world(self, path: str) -> Maybe:
        kind = self.world.kind(path)
        return None if kind is UNKNOWN else kind is not ABSENT

    def read_alternatives(self, path: str) -> tuple[Word | None, ...]:
        """Returns the possible contents of a file; None if it is missing. One that may be missing may be empty."""
        entries = self.list_entries(path)
        if entries is _UNTOUCHED:
            return (self._read_world_file(path),)
        result: list[Word | None] = []
        absent = False
        for entry in entries:
            match entry:
                case File(content=content):
                    result.append(content)
                case Untouched() | Copied():
                    text = self._read_world_file(entry.source if isinstance(entry, Copied) else path)
                    absent |= text is None
                    result += [] if text is None else [text]
                case NoEntry():
                    absent = True
                case _:
                    result.append(None)
        if absent:
            result.append(EMPTY if any(result) else None)
        return deduplicate(result)

    def _read_world_file(self, path: str) -> Word | None:
        """Returns the machine's content of a file; None if there is no file."""
        text = self.world.read(path, READ_LIMIT)
        if isinstance(text, str):
            return known_word(text)
        return unread_word(path, text) if isinstance(text, Unread) else None

    def list_names(self, folder: str, limit: int) -> tuple[str, ...] | None:
        """Returns the names that the machine had in a folder, or in those that this call has copied or moved there; None if they
        are unknown."""
        copies = (entry.source for entry in self.list_entries(folder) if isinstance(entry, Copied))
        found = [self.world.listing(source, limit) for source in (folder, *copies)]
        if not all(isinstance(names, tuple) or names is ABSENT for names in found):
            return None
        return deduplicate(name for names in found if isinstance(names, tuple) for name in names)

    def may_hold_file(self, name: str) -> bool:
        """Returns whether this call may have created a file of this name anywhere."""
        return self._leads or name in self._named

    def is_plainly_absent(self, path: str) -> bool:
        """Returns whether an absolute path names nothing, links followed: the machine has nothing there, and this call has
        created no file of that name anywhere. False if it takes more to tell."""
        name = path.rpartition("/")[2]
        if self.may_hold_file(name) or name in ("", ".", "..") or "/../" in path or path.startswith(OPEN_FILE_ROOTS):
            return False
        return self.world.kind(path) is ABSENT

    def files_written_as(self, name: str) -> tuple[str, ...]:
        """Returns the files of this name that this call has written, in any folder."""
        return tuple(path for path in self._named.get(name, ()) if self.is_written_here(path))

    def names_written_in(self, folder: str) -> tuple[str, ...]:
        """Returns the names of files that this call has written directly in a folder."""
        names = [path[len(folder.rstrip("/")) + 1 :] for path in self.files_written_beneath(folder)]
        return tuple(name for name in names if "/" not in name)

    def files_written_beneath(self, folder: str, name: str = "") -> tuple[str, ...]:
        """Returns the paths of files that this call has written anywhere below a folder. `name`: only those that contain it, in
        whatever case; itself in small letters."""
        inside = f"{folder.rstrip('/')}/"
        named = [path for path in self._now if name in path.lower()] if name else self._now
        return tuple(path for path in named if path.startswith(inside) and self.is_written_here(path))

    def is_written_here(self, path: str) -> bool:
        """Returns whether this call wrote or added the file."""
        return any(isinstance(entry, File) for entry in self.list_entries(path)) if self._now else False


def _find_original(path: str, entry: Entry) -> str | None:
    """Returns where the machine had this entry before the call; None if the call made it."""
    return entry.source if isinstance(entry, Copied) else path if isinstance(entry, Untouched) else None


def _unanimous_answer(answers: Iterable[Maybe]) -> Maybe:
    """Returns the answer if all are equal, otherwise None."""
    found = set(answers)
    return found.pop() if len(found) == 1 else None


def deduplicate(items: Iterable[_T]) -> tuple[_T, ...]:
    """Returns the items without duplicates, in order."""
    return tuple(dict.fromkeys(items))
