"""Resolves a word and its base directory to a place on the machine as the call has left it, still without zones."""

from collections.abc import Iterator
from functools import lru_cache

from .model.effect import LOCAL_SITE, Site
from .model.errors import LimitError
from .model.place import LOCAL, OPEN_FILES, Place
from .model.word import Hole, Word, literal_pattern
from .overlay import MAX_ALTERNATIVES, OPEN_FILE_ROOTS, Overlay, deduplicate

_GLOB_CHARACTERS = frozenset("*?[")
_MAX_LINKS = 40  # as in Linux
_MAX_RECURSION = 40  # folders resolved recursively
_STREAMS = {"/dev/stdin": "0", "/dev/stdout": "1", "/dev/stderr": "2"}
MAX_PATH_LENGTH = 4_096
"""Maximum length of a path in characters: Linux rejects longer ones (PATH_MAX), and most systems shorter ones. What a longer
path names is unknown."""
_DESCRIPTORS = ("/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/")


def resolve_path(path: str, overlay: Overlay, *, follow: bool = True) -> tuple[str, ...]:
    """Returns the real paths that an absolute path may lead to: links followed, `.` and `..` removed, missing tails kept.

    `follow`: whether a link in the last component is followed too.
    """
    found = overlay.resolved.get((path, follow))
    if found is None:
        folder, _, name = path.rpartition("/")
        if not folder or name in _DOT_NAMES or path.startswith(OPEN_FILE_ROOTS) or "/../" in path or "//" in path:
            found = _follow_steps([("", path.split("/")[::-1], 0)], overlay, follow=follow)
        else:
            found = _resolve_in_folders(_resolve_folder(folder, overlay), name, overlay, follow=follow)
        overlay.resolved[path, follow] = found
    return found


def _resolve_in_folders(folders: tuple[str, ...], name: str, overlay: Overlay, *, follow: bool) -> tuple[str, ...]:
    """Resolves a name in folders: usually one, without a link of this name."""
    if len(folders) == 1 and not folders[0].startswith(OPEN_FILE_ROOTS):
        path = f"{folders[0].rstrip('/')}/{name}"
        if not follow or overlay.link_targets(path) == _NO_LINK:
            return (path,)
    return _follow_steps([(folder.rstrip("/"), [name], 0) for folder in folders], overlay, follow=follow)


def _resolve_folder(path: str, overlay: Overlay) -> tuple[str, ...]:
    """Resolves a folder with a cache: many paths of a call share a few folders."""
    found = overlay.resolved.get((path, True))
    if found is None and path.count("/") < _MAX_RECURSION:
        return resolve_path(path, overlay)
    if found is None:
        found = overlay.resolved[path, True] = _follow_steps([("", path.split("/")[::-1], 0)], overlay, follow=True)
    return found


_NO_LINK = (None,)
_DOT_NAMES = ("", ".", "..")
_Step = tuple[str, list[str], int]
"""A path resolved so far, its remaining names in reverse, and the number of links followed."""


def _follow_steps(todo: list[_Step], overlay: Overlay, *, follow: bool) -> tuple[str, ...]:
    results: list[str] = []
    queued = {(here, *left) for here, left, _ in todo}
    while todo and len(results) < MAX_ALTERNATIVES:
        here, left, hops = todo.pop()
        while left:
            name = left.pop()
            if name in ("", "."):
                continue
            if name == "..":
                here = here.rpartition("/")[0]
                continue
            step = f"{here}/{name}"
            if step.startswith(OPEN_FILE_ROOTS) and (own := _resolve_open_file(step, left)) is not None:
                here, left = own, []
                continue
            if (not left and not follow) or hops >= _MAX_LINKS:
                here = step
                continue
            targets = overlay.link_targets(step)
            for other in targets[1:]:
                branch = _follow_link(here, step, other, list(left), hops)
                if (state := (branch[0], *branch[1])) not in queued:  # a link that may lead back to itself adds nothing
                    queued.add(state)
                    todo.append(branch)
            here, left, hops = _follow_link(here, step, targets[0], left, hops)
        results.append(here or "/")
    if todo:
        raise LimitError("links of this call may lead a path to more places than the gate follows")
    return deduplicate(results)


def _resolve_open_file(step: str, steps_left: list[str]) -> str | None:
    """Returns the path of an open file of the asking process, or of a file in one: following the link would lead to the gate's
    own."""
    path = "/".join((step, *(name for name in steps_left[::-1] if name not in ("", "."))))
    if path in _STREAMS:
        return OPEN_FILES + _STREAMS[path]
    for folder in _DESCRIPTORS:
        if path.startswith(folder) and path[len(folder) :].partition("/")[0].isdigit():
            return OPEN_FILES + _normalize_path(path[len(folder) :])[1:]
    return None


def _follow_link(here: str, step: str, target: str | None, steps_left: list[str], hops: int) -> _Step:
    if target is None:
        return step, steps_left, hops
    return ("" if target.startswith("/") else here), steps_left + target.split("/")[::-1], hops + 1


def resolve_places(
    word: Word, base: Word, overlay: Overlay, site: Site = LOCAL_SITE, *, follow: bool = True
) -> tuple[Place, ...]:
    """Returns the places that a path may lead to, usually one. Paths with a trailing slash, and paths within a folder, always
    follow links."""
    text = word.text
    if text is not None and text.startswith("/"):
        return _resolve_known(word, base, text, overlay, site, follow=follow)
    if text is not None and (start := base.text) is not None and start.startswith("/"):
        return _resolve_known(word, base, f"{start}/{text}" if text else start, overlay, site, follow=follow)
    return _resolve_partly_known(word, base, overlay, site)


def _resolve_known(word: Word, base: Word, path: str, overlay: Overlay, site: Site, *, follow: bool) -> tuple[Place, ...]:
    if len(path) > MAX_PATH_LENGTH:
        return (Place(word, base, rest="**", machine=site.machine),)
    if "\0" in path:
        return (Place(word, base, machine=site.machine),)
    local = path if site.machine == LOCAL else _translate_mount(path, site)
    if local is None:
        return (Place(word, base, path=_normalize_path(path), machine=site.machine),)
    ends = resolve_path(local, overlay, follow=follow or local.endswith(("/", "/.")))
    return (Place(word, base, ends[0]),) if len(ends) == 1 else tuple(Place(word, base, end) for end in ends)


def _resolve_partly_known(word: Word, base: Word, overlay: Overlay, site: Site) -> tuple[Place, ...]:
    pattern = word.pattern
    if len(pattern) > MAX_PATH_LENGTH:
        return (Place(word, base, rest="**", machine=site.machine),)
    if not pattern.startswith("/"):
        if may_be_absolute(word):
            return (Place(word, base, rest=_strip_parents(pattern), machine=site.machine),)
        start = base.text
        pattern = f"{literal_pattern(start) if start is not None else base.pattern}/{pattern}"
        if not pattern.startswith("/"):
            return (Place(word, base, rest=_strip_parents(pattern), machine=site.machine),)
    solid, rest = _split_pattern(pattern)
    if site.machine != LOCAL:
        local = _translate_mount(solid, site)
        if local is None:
            return (Place(word, base, anchor=solid, rest=rest, machine=site.machine),)
        solid = local
    if not rest:  # no unknown part is left
        return tuple(Place(word, base, path=real) for real in resolve_path(solid, overlay))
    return tuple(Place(word, base, anchor=real, rest=rest) for real in resolve_path(solid, overlay))


def may_be_absolute(word: Word) -> bool:
    """Returns whether the text may begin with a slash of its own, so that it is not relative to a base."""
    first = word.parts[0] if word.parts else ""
    return isinstance(first, Hole) and first.like.startswith(("**", "?**"))


def _strip_parents(pattern: str) -> str:
    """Returns a pattern that may be anywhere without its `..`: a parent of an unknown folder is unknown, too."""
    solid, rest = _split_pattern(pattern)
    return rest if solid == "/" and rest else pattern


@lru_cache(256)
def _split_pattern(pattern: str) -> tuple[str, str]:
    """Splits a pattern into the directory that certainly contains all matches, and the glob below it. `..` after a glob
    removes a component."""
    solid: list[str] = []
    rest: list[str] = []
    for name in pattern.split("/"):
        if name in ("", "."):
            continue
        if name == "..":
            if rest and "**" in rest[-1]:
                continue
            if rest:
                rest.pop()
            elif solid:
                solid.append("..")
        elif rest or not _GLOB_CHARACTERS.isdisjoint(_unescape_glob(name)):
            rest.append(name)
        else:
            solid.append(_unescape_glob(name))
    return "/" + "/".join(solid), "/".join(rest)


def _unescape_glob(name: str) -> str:
    """Returns the literal name of a pattern: `[*]` is a star."""
    if "[" not in name:
        return name
    for char in "*?[":
        name = name.replace(f"[{char}]", "\1" if char == "*" else "\2" if char == "?" else "\3")
    if not _GLOB_CHARACTERS.isdisjoint(name):
        return name
    return name.replace("\1", "*").replace("\2", "?").replace("\3", "[")


def _translate_mount(path: str, site: Site) -> str | None:
    """Returns the path on this machine of a path elsewhere, if it is mounted."""
    lexical = _normalize_path(path)
    best: tuple[str, str] | None = None
    for inner, here in site.mounts:
        root = inner.rstrip("/")
        if (lexical == root or lexical.startswith(root + "/")) and (best is None or len(root) > len(best[0])):
            best = (root, here)
    return None if best is None or best[1][:1] != "/" else (best[1].rstrip("/") + lexical[len(best[0]) :]) or "/"


def _normalize_path(path: str) -> str:
    names: list[str] = []
    for name in path.split("/"):
        if name == "..":
            if names:
                names.pop()
        elif name not in ("", "."):
            names.append(name)
    return "/" + "/".join(names)


def iter_parents(path: str) -> Iterator[str]:
    """Yields the path and every folder above it."""
    while path:
        yield path
        path = path.rpartition("/")[0]
