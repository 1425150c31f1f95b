"""Deleting many files of the project that git does not track, in one call or in many small ones.

Files that git holds can be restored, and ignored files are generated again by a tool. What the session created
itself is not counted. The rest is lost for good. A few such files pass; more than `[limits]` allows, counted over the session,
ask. Commit them first, or put them aside with `git stash -u`. A single one asks if nothing makes it again: an environment file, a
key store, a backup.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from toolgate.creations import is_own
from toolgate.model.decision import Match
from toolgate.model.effect import Delete, Effects
from toolgate.model.place import LOCAL, Place
from toolgate.model.rule import RuleContext
from toolgate.model.stakes import NOTHING_AT_STAKE, Stakes
from toolgate.model.stakes_measurement import format_count, format_size, measure_effect
from toolgate.model.world import ABSENT, World
from toolgate.paths import iter_parents


@dataclass(frozen=True, slots=True)
class Options:
    """`files`, `bytes`: how much may be deleted in a session before the rule asks. `[limits]` of a policy file sets both."""

    files: int = 200
    bytes: int = 50_000_000


def check(deletion: Delete, options: Options, context: RuleContext) -> Iterator[Match]:
    if deletion is not context.effects.derive(_first_counted):
        return  # all of them are one match, at the first that certainly runs
    if (kept := _find_irreplaceable(context)) is not None:
        name = kept.rpartition("/")[2]
        yield Match(deletion, f"Deletes {name}, which git does not hold, and which nothing makes again.", "keep a copy of it.")
        return
    found = measure_untracked_loss(context.effects, context.world, lambda place: is_own(place, context))
    if is_over_limits(found, options):
        yield Match(
            deletion,
            explain_loss(found, place=deletion.place.display_text),
            "git stash -u",
            stakes=found,
            advice="commit them, or move them aside.",
        )


def _first_counted(effects: Effects) -> Delete | None:
    counted = list(_iter_counted(effects))
    return next((each for each in counted if each.origin.sure), next(iter(counted), None))


def _find_irreplaceable(context: RuleContext) -> str | None:
    """Returns the path of a file that the call deletes, that nothing makes again, and that neither git nor the session holds."""
    for deletion in _iter_counted(context.effects):
        path = deletion.place.path
        if path is None or not _is_irreplaceable(deletion.place) or context.world.kind(path) is ABSENT:
            continue
        if context.world.as_committed(path) is not True and not is_own(deletion.place, context):
            return path
    return None


def _is_irreplaceable(place: Place) -> bool:
    folder, _, name = (place.path or "").lower().rpartition("/")
    if place.is_in("environment") is True:
        return name.startswith(".env") and name not in _MADE_AGAIN
    is_backup = name.endswith(_ARCHIVES) and "backup" in f"{folder.rpartition('/')[2]}/{name}"
    return is_backup or name.endswith(_KEY_STORES)


_MADE_AGAIN = frozenset((".env.test", ".env.ci", ".env.development", ".env.dev"))
_KEY_STORES = (".keystore", ".jks", ".p12", ".pfx")
_ARCHIVES = (".gz", ".zst", ".bz2", ".xz", ".zip", ".tar", ".tgz", ".dump", ".sql", ".bson", ".7z", ".age", ".gpg")


def is_over_limits(stakes: Stakes, options: Options) -> bool:
    """Returns whether the deletion is larger than the options allow."""
    return stakes.more_unheld or stakes.unheld > options.files or stakes.unheld_size > options.bytes


def explain_loss(stakes: Stakes, *, place: str = "", before: int = 0) -> str:
    """Returns the reason with the number and size of lost files. `place`: the first place; `before`: files deleted by earlier
    calls of the session."""
    least = "more than " if stakes.more_unheld else ""
    inside = f" in {place}" if place else ""
    earlier = f", after {before:,} earlier in this session" if before else ""
    files = format_count(stakes.unheld, "file", "files")
    return f"Deletes {least}{files}{inside} ({format_size(stakes.unheld_size)}) that git does not hold{earlier}."


def measure_untracked_loss(effects: Effects, world: World, is_owned: Callable[[Place], bool]) -> Stakes:
    """Returns the stakes of everything that a call deletes in the project and that is not the session's own, each place counted
    once."""
    total, measured = NOTHING_AT_STAKE, set[str]()
    for deletion in _iter_counted(effects):
        path = deletion.place.path or f"{deletion.place.anchor}/{deletion.place.rest}"
        if not measured.isdisjoint(iter_parents(path)):
            continue
        measured.add(path)
        stakes = measure_effect(deletion, world) or NOTHING_AT_STAKE
        if not ((stakes.unheld or stakes.more_unheld) and is_owned(deletion.place)):
            total += stakes
    return total


def _iter_counted(effects: Effects) -> Iterator[Delete]:
    """Yields the deletions on this machine that are certainly within the project."""
    for deletion in effects.of_kind(Delete):
        place = deletion.place
        named = place.path or place.anchor
        if named and place.machine == LOCAL and place.is_in("project") is True and deletion.origin.sure is not False:
            yield deletion
