"""Files in a folder that the call has made by `mktemp -d`: its name is not known, but it is the same name wherever it is used."""

import posixpath
from typing import NamedTuple

from toolgate.model.execution_context import ExecutionContext
from toolgate.model.place import LOCAL, Place
from toolgate.model.word import Hole, HoleKind, Word, is_glob, literal_pattern


class TemporaryPath(NamedTuple):
    """`path`: stands for the file, with the folder's pattern in place of its name; `names`: a glob over the names in `path`."""

    path: str
    names: str
    is_root: bool


def locate_in_temporary_folder(place: Place) -> TemporaryPath | None:
    """Returns the place within a temporary folder; None for any other place. Folders of one pattern are taken for one, so what
    is recorded there is possible, never certain."""
    if place.path is not None or place.machine != LOCAL:
        return None
    parts = place.word.parts
    if not _begins_in_temporary_folder(parts):
        if not _begins_in_temporary_folder(place.base.parts) or place.word.head.startswith("/"):
            return None
        parts = (*place.base.parts, "/", *parts)
    root, *rest = parts
    if not isinstance(root, Hole) or not all(isinstance(part, str) or is_glob(part) or part.like == "*" for part in rest):
        return None
    text = "".join(part if isinstance(part, str) else part.like for part in rest)
    folder, names = text, ""
    if any(not isinstance(part, str) for part in rest):
        pattern = "".join(literal_pattern(part) if isinstance(part, str) else part.like for part in rest)
        folder, names = text.rpartition("/")[0], pattern.rpartition("/")[2]
    path = posixpath.normpath(f"{root.like}/{folder}")
    is_within = path == root.like or path.startswith(f"{root.like}/")
    has_solid_folder = not names or not any(character in folder for character in "*?[")
    return TemporaryPath(path, names, path == root.like and not names) if is_within and has_solid_folder else None


def is_in_temporary_folder(path: Word) -> bool:
    """Returns whether a path begins with the name of a folder that the call has made."""
    return _begins_in_temporary_folder(path.parts)


TEMPORARY_ROOTS = ("/tmp/", "/var/tmp/", "/private/tmp/", "/private/var/folders/", "/dev/shm/")


def is_kept_temporarily(place: Place, cwd: str) -> bool:
    """Returns whether a file is in a temporary folder of the system, and not in the current directory: the project itself may be
    there."""
    path, here = place.path or place.anchor or "", cwd.rstrip("/") + "/"
    is_own = here.startswith(TEMPORARY_ROOTS) and path.startswith(here)
    return place.machine == LOCAL and path.startswith(TEMPORARY_ROOTS) and not is_own


def is_temporary_path(path: Word, context: ExecutionContext) -> bool:
    """Returns whether an absolute path leads into a temporary folder: of the system, or one that the code itself has made."""
    if any(isinstance(part, str) and ".." in part for part in path.parts):
        return False
    if path.text is not None:
        return path.text.startswith("/") and is_kept_temporarily(context.resolve_place(path), context.cwd.text or "")
    return any(isinstance(part, Hole) and part.kind is HoleKind.TEMPORARY_FOLDER for part in path.parts)


def leads_into_temporary_folder(path: Word) -> bool:
    """Returns whether a path as it is written leads into `/tmp`, or into a folder that the call has made. Parts of its name may
    be unknown (`/tmp/share-$$`)."""
    return ".." not in path.outline and (is_in_temporary_folder(path) or path.starts_with("/tmp/") is True)


def _begins_in_temporary_folder(parts: tuple[str | Hole, ...]) -> bool:
    first = parts[0] if parts else ""
    return isinstance(first, Hole) and first.kind is HoleKind.TEMPORARY_FOLDER and first.like.startswith("/")
