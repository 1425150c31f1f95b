"""Writing outside the project.

The agent was given a project to work in. A file elsewhere may be other work, or a setting of some program. Writing inside the
project and in temporary folders passes, and so does writing to `/dev/null`, to a terminal, or into
a folder that the session created, except to files in it that something else has changed.
"""

from collections.abc import Iterator

from toolgate.creations import is_in_own_folder
from toolgate.model.decision import Match
from toolgate.model.effect import Effects, Link, Move, Write
from toolgate.model.place import LOCAL, Place
from toolgate.model.rule import RuleContext
from toolgate.model.world import ABSENT


def check(effect: Write | Move | Link, _options: None, context: RuleContext) -> Iterator[Match]:
    place = effect.to if isinstance(effect, Move) else effect.place
    if place.machine != LOCAL:
        return
    if isinstance(effect, Write) and (effect.folder or _is_stream_device(place) or _is_empty_document_in_home(effect, context)):
        return  # nothing is overwritten and no content is written
    sure = place.is_in("outside")
    if sure is not False and not is_in_own_folder(place, context) and not _is_in_new_work_tree(effect, place, context):
        yield Match(effect, f"Writes to {place.display_text}, which is outside the project.", "write it in the project.", sure)


def _is_in_new_work_tree(effect: Write | Move | Link, place: Place, context: RuleContext) -> bool:
    """Returns whether the place is in a work tree that this call has added where nothing was."""
    path = place.path or place.anchor or ""
    added = (each.place.path for each in context.effects.derive(_list_added_trees) if each.origin.command < effect.origin.command)
    return any(top is not None and f"{path}/".startswith(f"{top}/") and context.world.kind(top) is ABSENT for top in added)


def _list_added_trees(effects: Effects) -> list[Write]:
    return [each for each in effects.of_kind(Write) if each.folder and each.tree and each.origin.sure is True]


def _is_stream_device(place: Place) -> bool:
    """Returns whether the place is a stream, a terminal or another device of `/dev` that holds no files (`2>/dev/null`)."""
    path = place.path or ""
    return path.startswith("/dev/") and place.is_in("device") is False and not path.startswith("/dev/shm/")


def _is_empty_document_in_home(write: Write, context: RuleContext) -> bool:
    """Returns whether the write creates an empty document in the home folder (`touch notes.txt`), which configures no program."""
    path, home = write.place.path, f"{context.scene.home.rstrip('/')}/"
    return (
        write.empty
        and path is not None
        and path.startswith(home)
        and "/." not in path[len(home) - 1 :]
        and path.endswith(_DOCUMENTS)
    )


_DOCUMENTS = (".txt", ".md", ".log", ".tmp", ".csv")
