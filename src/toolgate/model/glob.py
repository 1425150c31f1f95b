"""Globs over paths as a person writes them in a policy: `*`, `?` and `[..]` within one name, `**` for any number of folders.

They may come from a stranger's file, so no regular expression ever sees a whole path: names are compared one by one, and a
pattern costs at most its names times the path's.
"""

import fnmatch
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from .word import Maybe

DEEPEST = 256  # names in a path; a deeper one is not compared, which is no answer
ANY = "**"
_SPECIAL = frozenset("*?[")


WILDCARDS = re.compile(r"\*+|\?|\[")
_BRACKETS, _ENDS_BRACKETS = re.compile(r"\[[^\]/]+\]"), re.compile(r"[\]/]")


def find_wildcards(text: str, wildcards: re.Pattern[str] = WILDCARDS) -> Iterator[tuple[int, int]]:
    """Where the wildcards of a shell's text begin and end. `wildcards` matches the opening bracket alone: one that nothing closes
    within its name is text, and is looked at once however many follow it."""
    position = unclosed = 0
    while (found := wildcards.search(text, position)) is not None:
        start, position = found.span()
        if found[0] == "[":
            if start < unclosed:
                continue
            whole = _BRACKETS.match(text, start)
            if whole is None:
                ends = _ENDS_BRACKETS.search(text, start + 1)
                unclosed = len(text) if ends is None else ends.start()
                continue
            position = whole.end()
        yield start, position


@lru_cache(4096)
def names(path: str) -> tuple[str, ...]:
    return tuple(name for name in path.split("/") if name)


def matches(pattern: str, path: str) -> Maybe:
    """Does an absolute pattern match this absolute path?"""
    asked, given = names(pattern), names(path)
    return _matches(asked, given) if len(given) <= DEEPEST else None


def overlaps(pattern: str, anchor: str, rest: str) -> Maybe:
    """Does an absolute pattern match what the glob `rest` finds in the folder `anchor`? True only where it matches all of it."""
    asked, above, below = names(pattern), names(anchor), names(rest)
    if len(above) + len(below) > DEEPEST:
        return None
    if asked[-1:] == (ANY,) and _matches(asked, above):
        return True
    return None if _overlap(asked, above + below) else False


def solid(pattern: str) -> str:
    """The folder that every match lies in: the part before the first name with a wildcard."""
    kept: list[str] = []
    for name in names(pattern):
        if not _SPECIAL.isdisjoint(name):
            break
        kept.append(name)
    return "/" + "/".join(kept)


def _matches(pattern: Sequence[str], path: Sequence[str]) -> bool:
    """Greedy with one way back, which is enough: what an earlier `**` could still give, the last one can."""
    p = i = 0
    star, resume = -1, 0
    while i < len(path):
        if p < len(pattern) and pattern[p] == ANY:
            star, resume = p, i
            p += 1
        elif p < len(pattern) and _fits(pattern[p], path[i]):
            p, i = p + 1, i + 1
        elif star >= 0:
            resume += 1
            p, i = star + 1, resume
        else:
            return False
    return all(name == ANY for name in pattern[p:])


def _overlap(one: Sequence[str], other: Sequence[str]) -> bool:
    """Is there a path that both globs match? Errs towards yes where both sides hold wildcards."""
    reached = _skip(one, {0})
    for name in other:
        if ANY in name:  # text that may hold slashes: whatever comes after may be anything
            return True
        step = {p for p in reached if p < len(one) and one[p] == ANY}
        step |= {p + 1 for p in reached if p < len(one) and one[p] != ANY and _both(one[p], name)}
        reached = _skip(one, step)
        if not reached:
            return False
    return len(one) in reached


def _skip(pattern: Sequence[str], positions: set[int]) -> set[int]:
    """`**` may stand for no folder at all."""
    for p, name in enumerate(pattern):
        if p in positions and name == ANY:
            positions.add(p + 1)
    return positions


def _both(one: str, other: str) -> bool:
    if _SPECIAL.isdisjoint(other):
        return _fits(one, other)
    if _SPECIAL.isdisjoint(one):
        return _fits(other, one)
    return True


def _fits(pattern: str, name: str) -> bool:
    return pattern == name if _SPECIAL.isdisjoint(pattern) else _expression(pattern).match(name) is not None


@lru_cache(4096)
def _expression(pattern: str) -> re.Pattern[str]:
    """fnmatch keeps stars from backtracking into each other."""
    return re.compile(fnmatch.translate(pattern))


def name_matches(pattern: str, name: str) -> bool:
    """One name, without folders: an operation, a program, a host."""
    return _fits(pattern, name)


def leads_to(names: list[str], tail: list[str]) -> tuple[bool, bool]:
    """May a glob below a folder lead into a root there (at or under it), and may it be the root or hold it?"""
    if names[0].startswith(("**", "?**")):
        if len(names) == 1:
            fits = fnmatch.fnmatchcase("/".join(tail), names[0])
            return fits, fits
        fits = _may_end_so(tail, names[1:])
        return fits, fits
    for pattern, name in zip(names, tail, strict=False):
        if "**" in pattern:
            begins = pattern.partition("**")[0].rstrip("?")  # `pytest-of-$USER`: what is known of it holds
            fits = fnmatch.fnmatchcase(name, f"{begins}*")
            return fits, fits
        if not fnmatch.fnmatchcase(name, pattern) or (name[:1] == "." and pattern[:1] not in (".", "[")):
            return False, False
    return len(names) >= len(tail), len(names) <= len(tail)


def _may_end_so(tail: list[str], names: list[str]) -> bool:
    """May something that ends in these names be a root there, or hold it? What stands before a name that may be several counts
    for nothing; if nothing at all stands before them, a root that they begin with holds what they name."""
    names = names[:-1] if names[-1] == "" else names
    last = names[-1] if names else ""
    if last not in ("*", "**", "?**", "") and not fnmatch.fnmatchcase(tail[-1], last):
        return _may_begin_so(tail, names)
    known = names[max((n + 1 for n, name in enumerate(names) if "**" in name), default=0) :][::-1]
    ends = range(len(known), len(tail) + 1) if last == "*" else range(len(tail), len(tail) + 1)
    return _may_begin_so(tail, names) or any(
        len(known) <= end and all(fnmatch.fnmatchcase(tail[end - 1 - n], name) for n, name in enumerate(known)) for end in ends
    )


def _may_begin_so(tail: list[str], names: list[str]) -> bool:
    return 1 < len(names) > len(tail) and all(map(fnmatch.fnmatchcase, tail, names))
