"""Deleting or moving away files outside the project.

The agent was given a project to work in; files elsewhere belong to other work, and deleting them cannot be undone. Temporary
folders pass, and so do folders that the session created and what it put into them, unless something else has changed them.
What is in the trash is the user's to delete for good.
"""

from collections.abc import Iterator

from toolgate.creations import is_in_own_folder
from toolgate.model.decision import Match
from toolgate.model.effect import Delete, Move, Write
from toolgate.model.place import LOCAL, Place
from toolgate.model.rule import RuleContext
from toolgate.model.word import Hole, Word
from toolgate.model.world import ABSENT

TEMPORARY_FOLDERS = ("/tmp/", "/var/tmp/", "/dev/shm/", "/var/cache/")
RUNNING_CONTAINER = "container:running/"
BUILD_FOLDERS = frozenset(
    ["node_modules", "dist", "build", "target", "out", ".next", ".nuxt", ".cache", "cache", "__pycache__", "coverage"]
)
"""Folders that a program in a container generates again."""


def check(effect: Delete | Move, _options: None, context: RuleContext) -> Iterator[Match]:
    place = effect.place
    sure = place.is_in("outside") if place.machine == LOCAL else _is_remote_folder(effect)
    if isinstance(effect, Delete) and _is_in_trash(place):
        yield Match(effect, f"Empties the trash: {place.display_text}.", "leave it to the user, who may want something back.")
        return
    if sure is not False and not is_in_own_folder(place, context) and not _is_made_by_call(effect, context):
        does = "Moves" if isinstance(effect, Move) else "Deletes"
        machine = place.machine.partition(":")[2].removeprefix("running/")
        where = ", which is outside the project" if place.machine == LOCAL else f" on {machine}"
        yield Match(
            effect, f"{does} {place.display_text}{where}.", "leave it to the user, or work on a copy in the project.", sure
        )


def _is_in_trash(place: Place) -> bool:
    """Returns whether files are deleted that the user could still take back."""
    path = place.path or f"{place.anchor or ''}/{place.rest}"
    return place.machine == LOCAL and any(f"/{folder}/" in f"{path}/" for folder in _TRASH_FOLDERS)


_TRASH_FOLDERS = (".Trash", ".local/share/Trash")


def _is_made_by_call(effect: Delete | Move, context: RuleContext) -> bool:
    """Returns whether nothing is there before the call, and an earlier command surely makes it: all of it is the call's own."""
    path, number = effect.place.path, effect.origin.command
    if path is None or effect.place.machine != LOCAL or context.world.kind(path) is not ABSENT:
        return False
    earlier = (each for each in context.effects.of_kind(Write) if each.origin.command < number and each.origin.sure)
    return any(each.place.path == path and each.source is None for each in earlier)


def _is_remote_folder(effect: Delete | Move) -> bool:
    """Returns whether a folder is deleted by its full path on a machine reached by ssh or in a running container, where there is
    no project and no undo."""
    place = effect.place
    if not place.machine.startswith(("ssh:", RUNNING_CONTAINER)) or not isinstance(effect, Delete) or effect.recursive is False:
        return False
    path = place.path or place.anchor or ""
    if (path + "/").startswith(TEMPORARY_FOLDERS):
        return False
    if place.machine.startswith(RUNNING_CONTAINER):
        return path == "/" or (place.word.starts_with("/") is True and BUILD_FOLDERS.isdisjoint(path.split("/")))
    return (path.count("/") > 0 and path != "/") or _is_below_home(place.word)


def _is_below_home(path: Word) -> bool:
    home = path.parts[0] if len(path.parts) > 1 else None
    return isinstance(home, Hole) and home.variable == "HOME" and str(path.parts[1]).startswith("/")
