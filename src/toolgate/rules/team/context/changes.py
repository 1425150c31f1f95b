"""Lists what an effect changes, file by file, for the rules on a team's files."""

from collections.abc import Iterator
from typing import NamedTuple

from toolgate.model.action import apply_replacements
from toolgate.model.effect import Delete, Link, Move, Write
from toolgate.model.place import LOCAL, Place
from toolgate.model.rule import RuleContext
from toolgate.model.word import Maybe
from toolgate.model.world import ABSENT

from . import READ_LIMIT

FileChange = Write | Delete | Move | Link


class Change(NamedTuple):
    """A place that changes. `whole`: whether everything inside it changes too. `gone`: whether its former contents are lost."""

    place: Place
    whole: Maybe = False
    gone: bool = False


def iter_changes(effect: FileChange, context: RuleContext) -> Iterator[Change]:
    """Yields the changed places of an effect. A copy onto a folder may replace any file in it. A second name for the same file
    hides it from later path checks: a hard link changes its target."""
    match effect:
        case Delete(place=place, recursive=recursive):
            yield Change(place, recursive, gone=True)
        case Move(place=place, to=to):
            yield Change(place, True, gone=True)
            yield Change(to)
        case Link(place=place, to=to, symbolic=symbolic):
            yield Change(place)
            if symbolic is not True:
                yield Change(to)
        case Write(place=place, append=append):
            yield Change(place, None if append is not True and _is_folder(place, context) else False)


def _is_folder(place: Place, context: RuleContext) -> bool:
    return place.path is not None and (place.word.tail.endswith("/") or context.world.kind(place.path) == "folder")


def exclude_devices(changes: Iterator[Change]) -> Iterator[Change]:
    """Leaves out devices, such as `/dev/null`, and other machines."""
    return (each for each in changes if each.place.machine == LOCAL and not (each.place.path or "").startswith("/dev/"))


def keeps_contents(effect: FileChange, context: RuleContext) -> Maybe:
    """Returns whether all former contents of the file remain, in front of what is added."""
    if not isinstance(effect, Write):
        return False
    if effect.append is True:
        return True
    if not effect.edits:
        return effect.append
    before = _read_contents(effect, context)
    if before is not None:
        result = apply_replacements(before, effect.edits)
        return None if result is None else result.startswith(before)
    if not all(each.new.startswith(each.old) for each in effect.edits):
        return False
    return None if may_exist(effect.place, context) else True


def predict_contents(write: Write, context: RuleContext) -> str | None:
    """Returns the contents of the whole file after the write; None where they are unknown."""
    before = _read_contents(write, context)
    if write.edits:
        return None if before is None else apply_replacements(before, write.edits)
    added = None if write.content is None else write.content.text
    if added is None or write.append is None:
        return None
    return added if write.append is False else None if before is None else before + added


def may_exist(place: Place, context: RuleContext) -> bool:
    """Returns whether the place exists; unknown places count as existing."""
    return place.path is None or context.world.kind(place.path) is not ABSENT


def _read_contents(write: Write, context: RuleContext) -> str | None:
    content = context.world.read(write.place.path, READ_LIMIT) if write.place.path is not None else None
    return content if isinstance(content, str) else None
