"""Finds the protected files that a copied, moved, linked or unpacked folder brings.

`mv x .claude` and `cp -a template/. .` name no settings file; whether they bring one depends on the source.
"""

from collections.abc import Callable, Iterator

from toolgate.model.effect import Effect, Effects, Link, Move, Write
from toolgate.model.place import COMMON_TARGETS, LOCAL, Place
from toolgate.model.word import Maybe, known_word, maybe_any
from toolgate.model.world import ABSENT, UNKNOWN, World
from toolgate.paths import iter_parents

_MAX_ASKED = 200  # paths that may have become one


def has_tree_movement(effects: Effects) -> bool:
    """Returns whether an effect puts a folder with its content somewhere."""
    return any(
        type(effect) is Move or type(effect) is Link or (type(effect) is Write and effect.tree is not False)
        for effect in effects.all
    )


class TreeArrivals:
    """The protected files that the effects of one call bring with a folder.

    `roots_beneath` returns the protected paths below a folder, each with whether it exists.
    """

    def __init__(self, effects: tuple[Effect, ...], roots_beneath: Callable[[str], list[tuple[str, bool]]], world: World) -> None:
        self._roots_beneath, self._world = roots_beneath, world
        made = {effect.place.path for effect in effects if isinstance(effect, Write) and effect.origin.sure is True}
        self._created = {folder for path in made if path for folder in (*iter_parents(path), "")}
        self._written = {effect.place.path for effect in effects if isinstance(effect, Write) and not effect.folder}
        self._sources: dict[str, list[Place | None]] = {}
        for effect in effects:
            target, source = _split_movement(effect)
            if target is not None and target.path is not None:
                self._sources.setdefault(target.path, []).append(source)

    def find_arrivals(self, effect: Effect) -> Iterator[Write]:
        """Yields a write for each protected path that the effect may bring."""
        target, source = _split_movement(effect)
        if target is None or target.path is None or target.machine != LOCAL:
            return
        for root, is_there in self._roots_beneath(target.path):
            inner = root[len(target.path.rstrip("/")) :]
            brings = self._holds_path(source, inner)
            if brings is None and (not is_there or target.can_reach(*COMMON_TARGETS) is not False):
                continue
            if inner and brings is not False:
                origin = effect.origin if brings is True else effect.origin._replace(sure=None)
                yield Write(Place(known_word(root), path=root), None, False, origin)
                if brings is None:
                    return  # one is as likely as the other

    def _holds_path(self, source: Place | None, inner: str) -> Maybe:
        """Returns whether the folder at `source` contains the path `inner`. Every path that may have become it is asked once."""
        waiting, asked = [(source, inner, frozenset[str]())], set[str]()
        answers: list[Maybe] = []
        while waiting:
            place, rest, passed = waiting.pop()
            if len(asked) > _MAX_ASKED:
                return None
            if place is None or place.path is None or place.machine != LOCAL:
                answers.append(None)
                continue
            path = f"{place.path.rstrip('/')}{rest}"
            if path in asked:
                continue
            asked.add(path)
            if path in self._written:
                return True
            is_there = self._is_present(path)
            brought = [folder for folder in iter_parents(path) if folder in self._sources and folder not in passed]
            if not is_there and not brought and not self._is_present(place.path) and not self._is_created(place.path):
                answers.append(None)  # a missing folder may contain anything by then
                continue
            answers.append(is_there)
            waiting += [(each, path[len(folder) :], passed | {folder}) for folder in brought for each in self._sources[folder]]
        return maybe_any(answers)

    def _is_present(self, path: str) -> Maybe:
        kind = self._world.kind(path)
        return None if kind is UNKNOWN else kind is not ABSENT

    def _is_created(self, folder: str) -> bool:
        """Returns whether this call itself creates the folder, or anything in it."""
        return folder.rstrip("/") in self._created


def _split_movement(effect: Effect) -> tuple[Place | None, Place | None]:
    """Returns where a folder arrives, and where it comes from."""
    match effect:
        case Move(place=source, to=target):
            return target, source
        case Link(place=target, to=source):
            return target, source
        case Write(place=target, tree=tree, source=source) if tree is not False:
            return target, source
        case _:
            return None, None
