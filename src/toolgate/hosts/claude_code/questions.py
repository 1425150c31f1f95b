"""When would Claude Code not ask although the gate tells it to?

In bypass mode a hook's `ask` makes it ask all the same, with one exception (measured, in a session with a person too): a call
that writes to one of the files it guards by itself. It would have asked about that of its own accord, puts its own question
in the place of the gate's, and bypass mode then waves its own question through. `sudo x; touch .npmrc` runs unasked.
"""

from toolgate.model.action import EditFile, RunShell, WriteFile
from toolgate.model.event import ToolCall

MODES_WITHOUT_QUESTIONS = ("bypassPermissions", "auto", "plan")
"""In the last two a classifier may answer the client's own questions; it stands there in the place of the gate's as well."""
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


def may_be_dropped(call: ToolCall) -> bool:
    """Could the client run this call without the question that the gate would have it ask?

    Its list changes from version to version, and nearly all of it begins with a dot: so does what is looked for here, in the
    text of the call. A link by another name is followed by the client and not seen here.
    """
    if not call.scene.unasked:
        return False
    match call.action:
        case RunShell(text):
            words = text
        case WriteFile(path) | EditFile(path):
            words = path
        case _:
            return False
    parts = words.translate(_QUOTES).translate(_ENDS).lower().split("/")
    return any(part in _WITHOUT_DOT or (part.startswith(".") and part.strip(".")) for part in parts)
