"""The machine as a call has left it so far: resolves words to places, reads files and applies effects."""

from collections.abc import Callable, Hashable, Iterator
from fnmatch import fnmatchcase
from typing import Any, Generic, NamedTuple, TypeVar

from toolgate.model.action import apply_replacements
from toolgate.model.effect import Delete, Effect, Link, Mount, Move, Permission, Read, Site, Write
from toolgate.model.place import LOCAL, Place
from toolgate.model.word import EMPTY, Hole, HoleKind, Maybe, Word, is_glob, is_search_result, known_word, unknown_word
from toolgate.model.world import World
from toolgate.overlay import File, NoEntry, Overlay
from toolgate.overlay import Link as LinkEntry
from toolgate.paths import resolve_places
from toolgate.shell.domain.protocol import Command
from toolgate.temporary_folders import TemporaryPath, locate_in_temporary_folder

from .shebang import script_language

_CHANGING_EFFECTS = frozenset((Write, Delete, Link, Mount, Move))
_EFFECTS_WITH_PLACES = (Read, Write, Delete, Move, Link, Permission, Mount)
_MAX_LISTED, _MAX_SEARCHED, _MAX_MATCHED, _MAX_LINKS = 2_000, 400, 16, 8
_MAX_FOLDERS_OF_LOOP = 8
_T = TypeVar("_T")


MAX_CODE_STEPS = 60_000
"""Steps of all code of a call together, in languages that are evaluated."""


class Derivation(NamedTuple, Generic[_T]):
    """A value derived from the contents of files. `sources`: the commands that wrote them; `version`: that of the machine."""

    value: _T
    sources: frozenset[int]
    version: int


class MachineState:
    def __init__(self, world: World) -> None:
        self.world, self.overlay = world, Overlay(world)
        self.derived: dict[Hashable, Derivation[Any]] = {}
        self._ambiguous: dict[Place, tuple[Place, ...]] = {}
        self._half_known: dict[tuple[object, ...], tuple[Word, ...]] = {}
        self._aliases: dict[str, str] = {}
        self.code_steps = MAX_CODE_STEPS
        self.loaded_modules: set[tuple[str, Word]] = set()
        self.list_written_earlier: Callable[[], tuple[str, ...]] = tuple
        self._unplaced = 0  # writes to unknown paths that made a difference

    @property
    def version(self) -> int:
        """The number of changes so far: what is asked of the same version has the same answer."""
        return self.overlay.version + self._unplaced

    def resolve_place(self, word: Word, base: Word, site: Site, *, follow: bool = True) -> Place:
        """Resolves a word to a place. If links may lead to several, the others are stored, and every effect on it is recorded
        for each."""
        found = resolve_places(word, base, self.overlay, site, follow=follow)
        if len(found) > 1:
            self._ambiguous[found[0]] = found
        return found[0]

    def find_program(self, command: Command) -> Place | None:
        """Returns the location of a program if its name is a path, or a PATH set by this call certainly contains it. Links are
        not followed: a program belongs to the environment in whose folder it is started."""
        name, base, site, scope = command.argv[0], command.cwd, command.site, command.scope
        if any("/" in part for part in name.parts if isinstance(part, str)):
            return self.resolve_place(name, base, site, follow=False)
        paths = scope.possible_values("PATH") if name.text is not None else ()
        for folder in (folder for path in paths for folder in path.split_at(":")):
            place = self.resolve_place(folder + known_word(f"/{name.text}"), base, site, follow=False)
            if place.path is not None and self.overlay.exists(place.path) is True:
                return place
        return None

    def find_linked_program(self, place: Place) -> str | None:
        """Returns the name of the program that a link leads to; None if the path is not a link."""
        if place.path is None or place.machine != LOCAL:
            return None
        path, name = place.path, None
        for _ in range(_MAX_LINKS):
            target = next((each for each in self.overlay.link_targets(path) if each is not None), None)
            if target is None:
                break
            path = target if target.startswith("/") else f"{path.rpartition('/')[0]}/{target}"
            name = path.rpartition("/")[2]
        return name or self._aliases.get(place.path)

    @property
    def is_sh_dash(self) -> bool:
        """Whether this machine's sh is dash, as on Debian."""
        target = self.world.link("/bin/sh")
        return isinstance(target, str) and target.rpartition("/")[2] == "dash"

    def is_folder(self, place: Place) -> Maybe:
        if (inner := locate_in_temporary_folder(place)) is not None:
            return True if inner.is_root else self.overlay.is_folder(inner.path) or None
        return self.overlay.is_folder(place.path) if place.path is not None and place.machine == LOCAL else None

    def is_as_committed(self, place: Place) -> Maybe:
        if place.machine != LOCAL or place.path is None or not self.overlay.is_untouched(place.path):
            return None
        answer = self.world.as_committed(place.path)
        return answer if isinstance(answer, bool) else None

    def is_as_staged(self, place: Place) -> Maybe:
        if place.machine != LOCAL or place.path is None or self.overlay.is_changed_beneath(place.path):
            return None
        answer = self.world.as_staged(place.path)
        return answer if isinstance(answer, bool) else None

    def is_absent(self, place: Place) -> bool:
        """Returns whether the file certainly does not exist, so that reading it fails."""
        return (
            place.path is not None
            and place.machine == LOCAL
            and not (self._ambiguous and place in self._ambiguous)
            and self.overlay.exists(place.path) is False
        )

    def read_alternatives(self, place: Place) -> tuple[Word | None, ...]:
        """Returns every text that a file may hold, for each of several places; None for an unknown text or a missing file."""
        others = self._ambiguous.get(place) if self._ambiguous else None
        return (
            self._read_place(place)
            if others is None
            else tuple(dict.fromkeys(text for each in others for text in self._read_place(each)))
        )

    def _read_place(self, place: Place) -> tuple[Word | None, ...]:
        if place.machine != LOCAL:
            return (None,)
        if (inner := locate_in_temporary_folder(place)) is not None:
            return (*self._half_known.get(_unresolved_key(place), ()), *self._read_temporary(inner))
        if place.path is None:
            return (*self._half_known.get(_unresolved_key(place), ()), *self._read_imported(place), *self._read_matched(place))
        if self.overlay.is_folder(place.path) is True:  # `node .`: not a single text
            return ()
        return (EMPTY,) if place.path == "/dev/null" else self.overlay.read_alternatives(place.path)

    def _read_temporary(self, inner: TemporaryPath) -> tuple[Word | None, ...]:
        """Returns the texts of a file in a temporary folder, or of those that a glob finds there."""
        paths = [inner.path]
        if inner.names:
            written = self.overlay.names_written_in(inner.path)
            paths = [f"{inner.path}/{name}" for name in written if fnmatchcase(name, inner.names)]
        return tuple(text for path in paths for text in self.overlay.read_alternatives(path)) or (None,)

    def _read_imported(self, place: Place) -> tuple[Word, ...]:
        """Returns the content that this call has added to the folder: a clone, an archive."""
        any_file = f"{(place.anchor or '').rstrip('/')}/\0"
        return (
            tuple(text for text in self.overlay.read_alternatives(any_file) if text is not None and text.src)
            if place.anchor
            else ()
        )

    def _read_matched(self, place: Place) -> tuple[Word | None, ...]:
        """Returns the contents of the files that a glob finds in one folder; None if unknown."""
        found = self._match_files(place)
        if found is None or len(found) > _MAX_MATCHED:
            return (None,)
        return tuple(text for path in found for text in self.overlay.read_alternatives(path))

    def list_files(self, place: Place) -> tuple[str, ...]:
        """Returns the paths that a glob finds in one folder, sorted; none if unknown."""
        return tuple(sorted(self._match_files(place) or ())) if place.machine == LOCAL else ()

    def list_folders(self, place: Place) -> tuple[str, ...]:
        """Returns the folders that a glob finds in one folder, sorted; none if they are unknown or many."""
        found = tuple(path for path in self.list_files(place) if self.overlay.is_folder(path) is True)
        return found if len(found) <= _MAX_FOLDERS_OF_LOOP else ()

    def _match_files(self, place: Place) -> list[str] | None:
        name = place.rest.removeprefix("**/")
        if place.anchor is None or "/" in name or "**" in name or not all(_is_known_or_listed(part) for part in place.word.parts):
            return None
        folders = [place.anchor] if name == place.rest else self._list_folders(place.anchor)
        found: list[str] = []
        for folder in folders or ():
            names = self.overlay.list_names(folder, _MAX_LISTED)
            if names is None:
                return None
            names_there = dict.fromkeys((*names, *self.overlay.names_written_in(folder)))
            found += [f"{folder.rstrip('/')}/{each}" for each in names_there if fnmatchcase(each, name)]
        return None if folders is None else found

    def _list_folders(self, top: str) -> list[str] | None:
        """Returns a folder and those below it; None if there are too many files or folders in it."""
        found, count = [top], 0
        for folder in found:
            names = self.overlay.list_names(folder, _MAX_LISTED)
            count += len(names or ())
            if names is None or count > _MAX_SEARCHED:
                return None
            found += [path for name in names if self.overlay.is_folder(path := f"{folder.rstrip('/')}/{name}") is True]
        return found

    def iter_effect_per_place(self, effect: Effect) -> Iterator[Effect]:
        """Yields the effect for every place that its path may lead to."""
        if self._ambiguous and isinstance(effect, _EFFECTS_WITH_PLACES) and (others := self._ambiguous.get(effect.place)):
            yield from (effect._replace(place=other) for other in others)
        else:
            yield effect

    def apply_effect(self, effect: Effect, *, always: bool) -> None:
        """Applies an effect. `always`: its command runs on every path."""
        if type(effect) not in _CHANGING_EFFECTS:
            return
        always = always and not self._ambiguous
        match effect:
            case Write(place=Place(machine="local")):
                self._apply_write(effect, always=always)
            case Delete(place=Place(path=str(path), machine="local")):
                self.overlay.record_change(path, NoEntry(), always=always)
            case Link(place=Place(path=str(path), machine="local"), to=Place(path=str(target)), symbolic=symbolic):
                if symbolic is not False:
                    self.overlay.record_change(path, LinkEntry(target), always=always)
                else:
                    for content in self.overlay.read_alternatives(target):
                        self.overlay.record_change(path, File(content or unknown_word(target)), always=False)
            case Link(place=Place(path=str(path), machine="local"), to=Place(word=word)):
                self._aliases[path] = word.tail.rpartition("/")[2]
                self.overlay.record_change(
                    path, File(unknown_word(word.display_text, frozenset({effect.origin.command}))), always=False
                )
            case Link(place=Place(path=None, machine="local"), to=Place(word=word)):
                self._add_half_known(effect.place, unknown_word(word.display_text))
            case Mount(place=Place(path=str(path), machine="local"), to=Place(path=str(target))):
                self.overlay.record_change(path, LinkEntry(target), always=False)  # only root may do it, and it may be refused
            case Move(place=Place(machine="local")):
                self._apply_move(effect, always=always)
            case _:
                pass

    def knows_result(self, write: Write) -> bool:
        """Returns whether the text that a file holds after this write is known, and a shell or a known interpreter runs it."""
        if write.content is None or write.content.text is None or write.place.path is None:
            return False
        if write.append is False and not write.edits:
            return script_language(write.content.text) is not None
        held = [before or EMPTY for before in self.read_alternatives(write.place)]
        texts = [None if before.text is None else _add_write(before.text, write.content.text, write) for before in held]
        return bool(texts) and all(text is not None and script_language(text) is not None for text in texts)

    def is_written_script(self, place: Place) -> bool:
        """Returns whether all that was ever put into a file of unknown path are scripts of this call, the file being one that it
        has made: `t=$(mktemp); cat > "$t" <<E; "$t"`."""
        name = place.word.parts[0] if len(place.word.parts) == 1 else ""
        if (
            place.machine != LOCAL
            or not isinstance(name, Hole)
            or name.kind is not HoleKind.NAMED
            or not name.like.startswith("/")
        ):
            return False
        texts = self._half_known.get(_unresolved_key(place), ())
        return bool(texts) and all(text.text is not None and script_language(text.text) is not None for text in texts)

    def _add_half_known(self, place: Place, text: Word) -> None:
        before = self._half_known.get(_unresolved_key(place), ())
        if text not in before:
            self._half_known[_unresolved_key(place)] = (*before[-_MAX_MATCHED:], text)
            self._unplaced += 1

    def _apply_write(self, write: Write, *, always: bool) -> None:
        if write.source is not None and write.source.machine == LOCAL and self._apply_copy(write.source, write, always=always):
            return
        if write.place.path is not None:
            self._apply_text(write.place.path, write, always=always)
            return
        if (inner := locate_in_temporary_folder(write.place)) is not None and not inner.names:
            self._apply_text(inner.path, write, always=False)
        if write.content is None and write.append is True:
            return  # what is added is as little known as in a file whose path is known
        text = unknown_word(write.place.display_text) if write.content is None else write.content
        self._add_half_known(write.place, text.from_commands(frozenset({write.origin.command})))

    def _apply_move(self, move: Move, *, always: bool) -> None:
        transfers = self._list_transfers(move.place, move.to)
        if not transfers:
            self._apply_unlocated_move(move)
        for path, target in transfers:
            always = always and move.place.path is not None
            if move.place.path is None or self.overlay.is_folder(path) is True:
                self.overlay.record_copy(path, target, always=always)
            else:
                texts = [text or unknown_word(path) for text in self.overlay.read_alternatives(path)]
                self.overlay.record_contents(target, texts, always=always)
            self.overlay.record_change(path, NoEntry(), always=always)

    def _apply_unlocated_move(self, move: Move) -> None:
        """Records the texts that this call has given a file, where the path of the file or its new path is not known."""
        is_written = move.to.path is None and _unresolved_key(move.to) in self._half_known
        for text in self.read_alternatives(move.place):
            if text is None or not text.src:
                if is_written:
                    self._add_half_known(move.to, text or unknown_word(move.place.display_text))
                continue
            if move.to.path is not None:
                self.overlay.record_change(move.to.path, File(text), always=False)
            elif move.to.machine == LOCAL:
                self._add_half_known(move.to, text)

    def _apply_copy(self, source: Place, write: Write, *, always: bool) -> bool:
        """Records copies of a folder, or of what a glob finds in one folder. Returns whether there are any."""
        if source.path is not None and (write.tree is False or self.overlay.is_folder(source.path) is False):
            return False
        transfers = self._list_transfers(source, write.place)
        for path, target in transfers:
            is_new = source.path is not None and self.overlay.exists(target) is False
            self.overlay.record_copy(path, target, always=always and is_new)
        return bool(transfers)

    def _list_transfers(self, source: Place, target: Place) -> list[tuple[str, str]]:
        """Returns the paths that are copied or moved, each with its new one: all that a glob finds in one folder, or one."""
        if (inner := locate_in_temporary_folder(target)) is not None and bool(inner.names) == (source.path is None):
            target = target._replace(path=inner.path, anchor=inner.path, rest="")
        if source.path is not None and target.path is not None:
            return [(source.path, target.path)]
        if target.anchor is None or "/" in target.rest or source.path is not None:
            return []
        return [(path, f"{target.anchor.rstrip('/')}/{path.rpartition('/')[2]}") for path in self.list_files(source)]

    def _apply_text(self, path: str, write: Write, *, always: bool) -> None:
        """Records what the file holds afterwards. A folder remains one, and so do the files in it."""
        sources = frozenset({write.origin.command})
        if self.overlay.is_folder(path) is True:
            return
        if write.content is None:
            if write.append is not True:
                self.overlay.record_change(path, File(unknown_word(path, sources)), always=always)
            return
        if write.edits:
            self._apply_edit(path, write.content, write, always=always)
            return
        content = write.content.from_commands(sources)
        if write.append is False:
            self.overlay.record_change(path, File(content), always=always)
            return
        filled = [(before or EMPTY) + content for before in self.overlay.read_alternatives(path)]
        self.overlay.record_contents(path, filled, always=always and write.append is True)

    def _apply_edit(self, path: str, content: Word, write: Write, *, always: bool) -> None:
        """Applies the replacements of an edit; if one is not found, the new texts are appended."""
        edited: list[Word] = []
        for before in self.overlay.read_alternatives(path):
            text = None if before is None or before.text is None else apply_replacements(before.text, write.edits)
            result = (before or EMPTY) + content if text is None else known_word(text, (before or EMPTY).src | content.src)
            edited.append(result.from_commands(frozenset({write.origin.command})))
        self.overlay.record_contents(path, edited, always=always and write.append is not None)


def _add_write(before: str, content: str, write: Write) -> str | None:
    """Returns the text after a write that keeps a part of it; None if a replacement finds nothing."""
    return apply_replacements(before, write.edits) if write.edits else before + content


def _unresolved_key(place: Place) -> tuple[object, ...]:
    """Returns a key for an unknown path as written: the same words at the same base lead to the same file."""
    return place.word.parts, place.base.parts


def _is_known_or_listed(part: str | Hole) -> bool:
    return isinstance(part, str) or is_glob(part) or is_search_result(part)
