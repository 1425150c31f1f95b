"""The machine as a call has left it so far: resolves words to places, reads files and applies effects."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

from toolgate.model.action import replace_in_turn
from toolgate.model.effect import Delete, Effect, Link, Mount, Move, Origin, Permission, Read, Site, Write
from toolgate.model.place import LOCAL, Place
from toolgate.model.word import EMPTY, Hole, Maybe, Word, is_glob, known, unknown
from toolgate.model.world import ABSENT, World
from toolgate.overlay import File, Gone, Overlay
from toolgate.overlay import Link as LinkEntry
from toolgate.paths import places
from toolgate.shell.protocol import Command

_CHANGING = frozenset((Write, Delete, Link, Mount, Move))
_PLACED = (Read, Write, Delete, Move, Link, Permission, Mount)
_LISTED, _MATCHED, _LINKS = 2_000, 16, 8


class Surroundings:
    def __init__(self, world: World) -> None:
        self.world, self.overlay = world, Overlay(world)
        self._ambiguous: dict[Place, tuple[Place, ...]] = {}
        self._half_known: dict[tuple[object, ...], tuple[Word, ...]] = {}
        self._aliases: dict[str, str] = {}

    def place(self, word: Word, base: Word, site: Site, *, follow: bool = True) -> Place:
        """Resolves a word to a place. If links may lead to several, the others are stored, and every effect on it is recorded
        for each."""
        found = places(word, base, self.overlay, site, follow=follow)
        if len(found) > 1:
            self._ambiguous[found[0]] = found
        return found[0]

    def program_at(self, command: Command) -> Place | None:
        """Returns the location of a program if its name is a path, or a PATH set by this call certainly contains it. Links are
        not followed: a program belongs to the environment in whose folder it is started."""
        name, base, site, scope = command.argv[0], command.cwd, command.site, command.scope
        if any("/" in part for part in name.parts if isinstance(part, str)):
            return self.place(name, base, site, follow=False)
        paths = scope.several("PATH") if name.text is not None else ()
        for folder in (folder for path in paths for folder in path.pieces(":")):
            place = self.place(folder + known(f"/{name.text}"), base, site, follow=False)
            if place.path is not None and self.overlay.exists(place.path) is True:
                return place
        return None

    def linked_program(self, place: Place) -> str | None:
        """Returns the name of the program that a link leads to; None if the path is not a link."""
        if place.path is None or place.machine != LOCAL:
            return None
        path, name = place.path, None
        for _ in range(_LINKS):
            target = next((each for each in self.overlay.links(path) if each is not None), None)
            if target is None:
                break
            path = target if target.startswith("/") else f"{path.rpartition('/')[0]}/{target}"
            name = path.rpartition("/")[2]
        return name or self._aliases.get(place.path)

    @property
    def sh_is_dash(self) -> bool:
        """Whether this machine's sh is dash, as on Debian."""
        target = self.world.link("/bin/sh")
        return isinstance(target, str) and target.rpartition("/")[2] == "dash"

    def is_folder(self, place: Place) -> Maybe:
        return self.overlay.is_folder(place.path) if place.path is not None and place.machine == LOCAL else None

    def as_committed(self, place: Place) -> Maybe:
        if place.machine != LOCAL or place.path is None or not self.overlay.is_untouched(place.path):
            return None
        answer = self.world.as_committed(place.path)
        return answer if isinstance(answer, bool) else None

    def as_staged(self, place: Place) -> Maybe:
        if place.machine != LOCAL or place.path is None or self.overlay.is_changed_beneath(place.path):
            return None
        answer = self.world.as_staged(place.path)
        return answer if isinstance(answer, bool) else None

    def is_nothing(self, place: Place) -> bool:
        """Returns whether the file certainly does not exist, so that reading it fails."""
        return (
            place.path is not None
            and place.machine == LOCAL
            and not (self._ambiguous and place in self._ambiguous)
            and self.overlay.exists(place.path) is False
        )

    def contents(self, place: Place) -> tuple[Word | None, ...]:
        """Returns every text that a file may hold, for each of several places; None for an unknown text or a missing file."""
        others = self._ambiguous.get(place) if self._ambiguous else None
        return self._held(place) if others is None else tuple(dict.fromkeys(text for each in others for text in self._held(each)))

    def _held(self, place: Place) -> tuple[Word | None, ...]:
        if place.machine != LOCAL:
            return (None,)
        if place.path is None:
            return (*self._half_known.get(_spelt(place), ()), *self._brought(place), *self._matched(place))
        if self.overlay.is_folder(place.path) is True:  # `node .`: not a single text
            return ()
        return (EMPTY,) if place.path == "/dev/null" else self.overlay.contents(place.path)

    def _brought(self, place: Place) -> tuple[Word, ...]:
        """Returns the content that this call has added to the folder: a clone, an archive."""
        any_file = f"{(place.anchor or '').rstrip('/')}/\0"
        return tuple(text for text in self.overlay.contents(any_file) if text is not None and text.src) if place.anchor else ()

    def _matched(self, place: Place) -> tuple[Word | None, ...]:
        """Returns the contents of the files that a glob finds in one folder; None if unknown."""
        found = self._listed(place)
        if found is None or len(found) > _MATCHED:
            return (None,)
        return tuple(text for path in found for text in self.overlay.contents(path))

    def list_files(self, place: Place) -> tuple[str, ...]:
        """Returns the paths that a glob finds in one folder, sorted; none if unknown."""
        return tuple(sorted(self._listed(place) or ())) if place.machine == LOCAL else ()

    def _listed(self, place: Place) -> list[str] | None:
        if (
            place.anchor is None
            or "/" in place.rest
            or "**" in place.rest
            or not all(_is_known_or_glob(part) for part in place.word.parts)
        ):
            return None
        names, made = self.world.listing(place.anchor, _LISTED), self.overlay.written_in(place.anchor)
        if not isinstance(names, tuple) and names is not ABSENT:
            return None
        there = dict.fromkeys((*(names if isinstance(names, tuple) else ()), *made))
        return [f"{place.anchor.rstrip('/')}/{name}" for name in there if fnmatchcase(name, place.rest)]

    def each_place(self, effect: Effect) -> Iterator[Effect]:
        """Yields the effect for every place that its path may lead to."""
        if self._ambiguous and isinstance(effect, _PLACED) and (others := self._ambiguous.get(effect.place)):
            yield from (effect._replace(place=other) for other in others)
        else:
            yield effect

    def change(self, effect: Effect, *, always: bool) -> None:
        """Applies an effect. `always`: its command runs on every path."""
        if type(effect) not in _CHANGING:
            return
        always = always and not self._ambiguous
        match effect:
            case Write(place=Place(path=str(path), machine="local"), content=content, edits=edits):
                if edits and content is not None:
                    self._edit(path, content, effect, always=always)
                else:
                    self._written(path, content, effect.append, effect.origin, always=always)
            case Write(place=Place(path=None, machine="local") as place, content=content):
                text = unknown(place.shown) if content is None else content
                before = self._half_known.get(_spelt(place), ())
                self._half_known[_spelt(place)] = (*before[-_MATCHED:], text.from_commands(frozenset({effect.origin.command})))
            case Delete(place=Place(path=str(path), machine="local")):
                self.overlay.change(path, Gone(), always=always)
            case Link(place=Place(path=str(path), machine="local"), to=Place(path=str(target)), symbolic=symbolic):
                if symbolic is not False:
                    self.overlay.change(path, LinkEntry(target), always=always)
                else:
                    for content in self.overlay.contents(target):
                        self.overlay.change(path, File(content or unknown(target)), always=False)
            case Link(place=Place(path=str(path), machine="local"), to=Place(word=word)):
                self._aliases[path] = word.tail.rpartition("/")[2]
                self.overlay.change(path, File(unknown(word.shown, frozenset({effect.origin.command}))), always=False)
            case Mount(place=Place(path=str(path), machine="local"), to=Place(path=str(target))):
                self.overlay.change(path, LinkEntry(target), always=False)  # only root may do it, and it may be refused
            case Move(place=Place(path=str(path), machine="local"), to=Place(path=str(target))):
                self.overlay.fill(target, [text or unknown(path) for text in self.overlay.contents(path)], always=always)
                self.overlay.change(path, Gone(), always=always)
            case _:
                pass

    def _written(self, path: str, content: Word | None, append: Maybe, origin: Origin, *, always: bool) -> None:
        if content is None:
            if append is not True:
                self.overlay.change(path, File(unknown(path, frozenset({origin.command}))), always=always)
            return
        content = content.from_commands(frozenset({origin.command}))
        if append is False:
            self.overlay.change(path, File(content), always=always)
            return
        filled = [(before or EMPTY) + content for before in self.overlay.contents(path)]
        self.overlay.fill(path, filled, always=always and append is True)

    def _edit(self, path: str, content: Word, write: Write, *, always: bool) -> None:
        """Applies the replacements of an edit; if one is not found, the new texts are appended."""
        edited: list[Word] = []
        for before in self.overlay.contents(path):
            text = None if before is None or before.text is None else replace_in_turn(before.text, write.edits)
            result = (before or EMPTY) + content if text is None else known(text, (before or EMPTY).src | content.src)
            edited.append(result.from_commands(frozenset({write.origin.command})))
        self.overlay.fill(path, edited, always=always and write.append is not None)


def _spelt(place: Place) -> tuple[object, ...]:
    """Returns a key for an unknown path as written: the same words at the same base lead to the same file."""
    return place.word.parts, place.base.parts


def _is_known_or_glob(part: str | Hole) -> bool:
    return isinstance(part, str) or is_glob(part)
