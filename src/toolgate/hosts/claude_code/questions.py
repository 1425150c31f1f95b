"""Detects calls about which Claude Code would not ask although the gate tells it to.

In bypass mode a hook's `ask` makes it ask all the same, with one exception (measured, in a session with a person too): a call
that writes to one of the files that it guards itself. It then asks its own question instead of the gate's, and bypass mode
answers that. `sudo x; touch .npmrc` runs unasked.
"""

from collections.abc import Iterable

from toolgate.model.action import EditFile, RunShell, WriteFile
from toolgate.model.event import ToolCall

MODES_WITHOUT_QUESTIONS = ("bypassPermissions", "auto", "plan")
"""In the last two a classifier may answer the client's own questions, and the gate's with them."""
NOT_ASKED = "In this mode Claude Code might run it without asking, so it is denied; in its default mode it is asked about."
_DROP_QUOTES = str.maketrans("", "", "'\"\\")
_ENDS_TO_SLASHES = str.maketrans(dict.fromkeys("/ \t\r\n=:;|&<>(){},", "/"))
_GUARDED_NAMES = frozenset(
    (
        "bunfig.toml",
        "gradle-wrapper.properties",
        "lefthook.yaml",
        "lefthook.yml",
        "maven-wrapper.properties",
        "pyrightconfig.json",
    )
)


def explain_lost_question(call: ToolCall, changed_paths: Iterable[str] = ()) -> str:
    """Returns why the client could run this call without the question that the gate requests; empty where it could not.

    The client's list of guarded files changes with each version, and nearly all of them begin with a dot. So this looks for such
    names in the text of the call, and in `changed_paths`, the paths that it changes, with links followed as the client does."""
    if not call.scene.unasked:
        return ""
    match call.action:
        case RunShell(text):
            words = text
        case WriteFile(path) | EditFile(path):
            words = path
        case _:
            words = ""
    named = words.translate(_DROP_QUOTES).translate(_ENDS_TO_SLASHES)
    return NOT_ASKED if any(_is_guarded(each) for each in (named, *changed_paths)) else ""


def _is_guarded(path: str) -> bool:
    parts = path.lower().split("/")
    return any(part in _GUARDED_NAMES or (part.startswith(".") and part.strip(".")) for part in parts)
