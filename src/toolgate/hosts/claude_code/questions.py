"""When would Claude Code not ask although the gate tells it to?

In bypass mode a hook's `ask` makes it ask all the same, with one exception (measured, in a session with a person too): a call
that writes to one of the files it guards by itself. It would have asked about that of its own accord, puts its own question
in the place of the gate's, and bypass mode then waves its own question through. `sudo x; touch .npmrc` runs unasked.
"""

from collections.abc import Iterable

from toolgate.model.action import EditFile, RunShell, WriteFile
from toolgate.model.event import ToolCall

MODES_WITHOUT_QUESTIONS = ("bypassPermissions", "auto", "plan")
"""In the last two a classifier may answer the client's own questions; it stands there in the place of the gate's as well."""
NOT_ASKED = "In this mode Claude Code might run it without asking, so it is denied; in its default mode it is asked about."
_QUOTES = str.maketrans("", "", "'\"\\")
_ENDS = str.maketrans(dict.fromkeys("/ \t\r\n=:;|&<>(){},", "/"))
_WITHOUT_DOT = frozenset(
    (
        "bunfig.toml",
        "gradle-wrapper.properties",
        "lefthook.yaml",
        "lefthook.yml",
        "maven-wrapper.properties",
        "pyrightconfig.json",
    )
)


def may_drop(call: ToolCall, changed: Iterable[str] = ()) -> str:
    """Why the client could run this call without the question that the gate would have it ask; empty where it could not.

    Its list changes from version to version, and nearly all of it begins with a dot: so does what is looked for here, in the
    text of the call, and in `changed`, the paths that it changes. The client follows links, and so do those.
    """
    if not call.scene.unasked:
        return ""
    match call.action:
        case RunShell(text):
            words = text
        case WriteFile(path) | EditFile(path):
            words = path
        case _:
            words = ""
    named = words.translate(_QUOTES).translate(_ENDS)
    return NOT_ASKED if any(_is_guarded(each) for each in (named, *changed)) else ""


def _is_guarded(path: str) -> bool:
    parts = path.lower().split("/")
    return any(part in _WITHOUT_DOT or (part.startswith(".") and part.strip(".")) for part in parts)
