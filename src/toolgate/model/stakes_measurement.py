"""Measures what effects on files would lose, and describes it."""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from fnmatch import fnmatchcase

from .effect import Delete, Effect, Write
from .place import LOCAL, Place
from .stakes import NOTHING_AT_STAKE, Stakes
from .world import World

_MAX_LISTED = 2_000
_ALL_FILES_PATTERNS = ("*", "**", "**/*", "?**", "*/**")
_UNITS = ("bytes", "kB", "MB", "GB", "TB")


def measure_effect(effect: Effect, world: World) -> Stakes | None:
    """Returns what an effect loses of this machine's files; None if nothing, or unknown."""
    match effect:
        case Delete(place=place, recursive=recursive):
            if place.path is not None and recursive is False and world.kind(place.path) == "folder":
                return None  # the deletion fails, or the folder is empty
            return measure_place(place, world)
        case Write(place=Place(path=str(path), machine="local"), content=content, append=False) if content is not None:
            lines = world.changed_lines(path, content.text) if content.text is not None else None
            return Stakes(files=1, lines=lines) if isinstance(lines, int) and lines else None
        case _:
            return None


def measure_place(place: Place, world: World) -> Stakes | None:
    """Returns what is at or below a place. A pattern is counted if it matches in one folder, or all of a folder."""
    if place.machine != LOCAL or f"{place.path or place.anchor}/".startswith(_KERNEL_TREES):
        return None
    if place.path is not None:
        found = world.stakes(place.path)
        return found if isinstance(found, Stakes) else None
    if place.anchor is None:
        return None
    if place.rest in _ALL_FILES_PATTERNS:
        found = world.stakes(place.anchor)
        return found if isinstance(found, Stakes) else None
    names = world.listing(place.anchor, _MAX_LISTED)
    if "/" in place.rest or "**" in place.rest or not isinstance(names, tuple):
        return None
    paths = (f"{place.anchor.rstrip('/')}/{name}" for name in names if fnmatchcase(name, place.rest))
    return add_up_stakes(world.stakes(path) for path in paths)


def add_up_stakes(each: Iterable[object]) -> Stakes:
    """Returns the sum of those that were counted."""
    total = NOTHING_AT_STAKE
    for found in each:
        if isinstance(found, Stakes):
            total += found
    return total


def count_changed_lines(before: str, after: str) -> int:
    """Returns how many lines of one text are not in the other."""
    old, new = Counter(before.splitlines()), Counter(after.splitlines())
    return max((old - new).total(), (new - old).total())


def describe_stakes(stakes: Stakes) -> str:
    """Returns the numbers in a sentence; empty if there are none."""
    if stakes.lines:
        return f"It overwrites a file of which {format_count(stakes.lines, 'line', 'lines')} would differ."
    if not stakes.files:
        return ""
    least = "more than " if stakes.more or stakes.more_unheld else ""
    held = f" ({stakes.unheld:,} not in git)" if stakes.unheld else " (all in git, or ignored by it)"
    newest = datetime.fromtimestamp(stakes.newest // 10**9, UTC).strftime("%Y-%m-%d %H:%M UTC") if stakes.newest else ""
    parts = (
        f"{least}{format_count(stakes.files, 'file', 'files')}{held}",
        format_size(stakes.size),
        newest and f"newest {newest}",
    )
    return f"At stake: {', '.join(part for part in parts if part)}."


def format_count(count: int, singular: str, many: str) -> str:
    """Returns a number with its noun: `1 file`, `2,000 files`."""
    return f"{count:,} {singular if count == 1 else many}"


def format_size(size: int) -> str:
    """Returns a number of bytes for people: `3.1 GB`."""
    value, unit = float(size), 0
    while value >= 1000 and unit < len(_UNITS) - 1:
        value, unit = value / 1000, unit + 1
    return f"{value:.1f} {_UNITS[unit]}" if unit and value < 100 else f"{value:.0f} {_UNITS[unit]}"


_KERNEL_TREES = ("//", "/dev/", "/proc/", "/sys/", "/run/")
"""Trees without user data that change by themselves: the root, and the kernel's file systems."""
