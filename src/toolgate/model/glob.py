"""Globs over paths as people write them in a policy: `*`, `?` and `[..]` within one name, `**` for any number of folders.

They may come from an untrusted file, so no regular expression is matched against a whole path: names are compared one by one,
and a pattern costs at most its names times the path's.
"""

import fnmatch
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from .word import Maybe

MAX_DEPTH = 256  # names in a path; a deeper one is not compared, which gives no answer
ANY_FOLDERS = "**"
_SPECIAL = frozenset("*?[")


WILDCARDS = re.compile(r"\*+|\?|\[")
_BRACKETS = re.compile(r"\[[!^]?(?:\[[:.=][^\]/]*[:.=]\]|\]|[^\]/])(?:\[[:.=][^\]/]*[:.=]\]|[^\]/])*\]|\[[^\]/]+\]")
_ENDS_BRACKETS = re.compile(r"[\]/]")


def find_wildcards(text: str, wildcards: re.Pattern[str] = WILDCARDS) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each wildcard in a shell's text. `wildcards` matches the opening bracket only: one that is
    not closed within its name is text, and the search for its end is not repeated."""
    position = unclosed = 0
    while (found := wildcards.search(text, position)) is not None:
        start, position = found.span()
        if found[0] == "[":
            if start < unclosed:
                continue
            brackets = _BRACKETS.match(text, start)
            if brackets is None:
                ends = _ENDS_BRACKETS.search(text, start + 1)
                unclosed = len(text) if ends is None else ends.start()
                continue
            position = brackets.end()
        yield start, position


@lru_cache(4096)
def split_path(path: str) -> tuple[str, ...]:
    return tuple(name for name in path.split("/") if name)


def matches_path(pattern: str, path: str) -> Maybe:
    """Returns whether an absolute pattern matches this absolute path."""
    asked, given = split_path(pattern), split_path(path)
    return _matches_names(asked, given) if len(given) <= MAX_DEPTH else None


def overlaps_pattern(pattern: str, anchor: str, rest: str) -> Maybe:
    """Returns whether an absolute pattern matches what the glob `rest` finds in the folder `anchor`. True only if it matches
    all of it."""
    asked, above, below = split_path(pattern), split_path(anchor), split_path(rest)
    if len(above) + len(below) > MAX_DEPTH:
        return None
    if asked[-1:] == (ANY_FOLDERS,) and _matches_names(asked, above):
        return True
    return None if _may_share_a_path(asked, above + below) else False


def literal_folder(pattern: str) -> str:
    """Returns the folder that contains every match: the part before the first name with a wildcard."""
    kept: list[str] = []
    for name in split_path(pattern):
        if not _SPECIAL.isdisjoint(name):
            break
        kept.append(name)
    return "/" + "/".join(kept)


def _matches_names(pattern: Sequence[str], path: Sequence[str]) -> bool:
    """Matches greedily with backtracking to the last `**` only, which suffices: what an earlier `**` could still match, the
    last one can."""
    p = i = 0
    star, resume = -1, 0
    while i < len(path):
        if p < len(pattern) and pattern[p] == ANY_FOLDERS:
            star, resume = p, i
            p += 1
        elif p < len(pattern) and _fits_name(pattern[p], path[i]):
            p, i = p + 1, i + 1
        elif star >= 0:
            resume += 1
            p, i = star + 1, resume
        else:
            return False
    return all(name == ANY_FOLDERS for name in pattern[p:])


def _may_share_a_path(first: Sequence[str], second: Sequence[str]) -> bool:
    """Returns whether some path matches both globs. Where both contain wildcards it may return True wrongly."""
    reached = _skip_empty_folders(first, {0})
    for name in second:
        if ANY_FOLDERS in name:  # text that may contain slashes: the rest may be anything
            return True
        step = {p for p in reached if p < len(first) and first[p] == ANY_FOLDERS}
        step |= {p + 1 for p in reached if p < len(first) and first[p] != ANY_FOLDERS and _may_both_match(first[p], name)}
        reached = _skip_empty_folders(first, step)
        if not reached:
            return False
    return len(first) in reached


def _skip_empty_folders(pattern: Sequence[str], positions: set[int]) -> set[int]:
    """Adds the positions after a `**` that matches no folder."""
    for p, name in enumerate(pattern):
        if p in positions and name == ANY_FOLDERS:
            positions.add(p + 1)
    return positions


def _may_both_match(first: str, second: str) -> bool:
    if _SPECIAL.isdisjoint(second):
        return _fits_name(first, second)
    if _SPECIAL.isdisjoint(first):
        return _fits_name(second, first)
    return True


def _fits_name(pattern: str, name: str) -> bool:
    return pattern == name if _SPECIAL.isdisjoint(pattern) else _compile_name(pattern).match(name) is not None


@lru_cache(4096)
def _compile_name(pattern: str) -> re.Pattern[str]:
    """Compiles a pattern with fnmatch, which keeps stars from backtracking into each other."""
    return re.compile(fnmatch.translate(pattern))


def name_matches(pattern: str, name: str) -> bool:
    """Returns whether one name matches, without folders: an operation, a program, a host."""
    return _fits_name(pattern, name)


def match_root(names: list[str], tail: list[str]) -> tuple[bool, bool]:
    """Returns whether a glob below a folder may match a path at or under a root there, and whether it may match the root or a
    parent of it."""
    if names[0].startswith(("**", "?**")):
        if len(names) == 1:
            fits = fnmatch.fnmatchcase("/".join(tail), names[0])
            return fits, fits
        fits = _may_end_with(tail, names[1:])
        return fits, fits
    for pattern, name in zip(names, tail, strict=False):
        if "**" in pattern:
            begins = pattern.partition("**")[0].rstrip("?")  # `pytest-of-$USER`: its known prefix must match
            fits = fnmatch.fnmatchcase(name, f"{begins}*")
            return fits, fits
        if not fnmatch.fnmatchcase(name, pattern) or (name[:1] == "." and pattern[:1] not in (".", "[")):
            return False, False
    return len(names) >= len(tail), len(names) <= len(tail)


def _may_end_with(tail: list[str], names: list[str]) -> bool:
    """Returns whether a path that ends in these names may be the root or contain it. Names before one that may be several are
    ignored; without such a name, a path whose names begin with the root's is in the root."""
    names = names[:-1] if names[-1] == "" else names
    last = names[-1] if names else ""
    if last not in ("*", "**", "?**", "") and not fnmatch.fnmatchcase(tail[-1], last):
        return _may_begin_with(tail, names)
    known = names[max((n + 1 for n, name in enumerate(names) if "**" in name), default=0) :][::-1]
    ends = range(len(known), len(tail) + 1) if last == "*" else range(len(tail), len(tail) + 1)
    return _may_begin_with(tail, names) or any(
        len(known) <= end and all(fnmatch.fnmatchcase(tail[end - 1 - n], name) for n, name in enumerate(known)) for end in ends
    )


def _may_begin_with(tail: list[str], names: list[str]) -> bool:
    return 1 < len(names) > len(tail) and all(map(fnmatch.fnmatchcase, tail, names))
