"""Redirects that may fail to open a file: then the command does not run, and the state is unchanged."""

from collections.abc import Generator, Iterable
from typing import Any

from toolgate.model.place import Place
from toolgate.model.word import known_word
from toolgate.shell.domain.protocol import AskIsFolder, Request, ResolvePlace
from toolgate.shell.domain.state import Shell
from toolgate.shell.domain.values import first_element


def may_fail_to_open(doubts: Iterable[Place | None], shell: Shell) -> Generator[Request, Any, bool]:
    """Returns whether one of these may fail to open."""
    for place in doubts:
        if place is None or (yield from _may_fail_to_open_place(place, shell)):
            return True
    return False


def _may_fail_to_open_place(place: Place, shell: Shell) -> Generator[Request, Any, bool]:
    """Returns whether a file to be written may fail to open: it needs an existing, writable folder."""
    text = place.word.text
    if text is None:
        return True
    if text in _DEVICES:
        return False
    folder, slash, _ = text.rpartition("/")
    if (text.startswith("/") and not _is_writable_folder(text, shell)) or (yield AskIsFolder(place)) is True:
        return True
    if not slash:
        return False
    above: Place = yield ResolvePlace(known_word(folder), place.base, shell.frame.site)
    return (yield AskIsFolder(above)) is not True


_DEVICES = frozenset(("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/zero"))


def _is_writable_folder(path: str, shell: Shell) -> bool:
    """Returns whether it is below a temporary folder, the home folder or the working directory."""
    writable = ("/tmp", *(first_element(home).text for home in shell.get_values("HOME")), *(cwd.text for cwd in shell.cwd))
    return any(folder and path.startswith(folder.rstrip("/") + "/") for folder in writable)
