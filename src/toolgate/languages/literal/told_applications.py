"""What AppleScript tells other applications to do, and what it asks the user for."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Connect, Delete, Operation, Read, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import known_word, unknown_word

_TURNS_OFF = re.compile(r"\b(?:shut down|restart|log out|sleep)\b")
_FINDER = re.compile(
    r"\bdelete\s*\(?\s*(?:every|all|items|(?:the\s+)?entire contents|contents|home|startup disk|desktop|files|folders"
    r"|folder\s+\"[^\"]*\"\s+of\b)"
)
_FINDER_OBJECT = re.compile(r"\bApplication\(\s*['\"]Finder['\"]\s*\)")
_DELETING_METHOD = re.compile(r"\.\s*delete\s*\(")
_NAMED_PATH = re.compile(r"\bPath\(\s*(?:\"([^\"]+)\"|'([^']+)'|(\w))")
_EMPTIES_TRASH = re.compile(r"\bempty\s+(?:the\s+)?trash\b")
_SENDS_MESSAGE = re.compile(r"(?s)\"(?:Mail|Messages|Microsoft Outlook)\".*\bsend\b")
_POSIX_FILE = re.compile(r"POSIX file\s*\(?\"([^\"]+)\"")
_MESSENGERS = re.compile(r"(?i)\"(?:Mail|Messages|Microsoft Outlook|Airmail|WhatsApp|Slack|Skype)\"")
_MAIL_PROGRAMS = re.compile(r"\"(?:Mail|Microsoft Outlook|Airmail)\"")
_REPEATS = re.compile(
    r"\brepeat\s+(?:with\s+\w+\s+in\s+(?P<list>\{[^}]*\}|[^\n]*)|with\s+\w+\s+from\s+[^\n]*|while\s+[^\n]*|until\s+[^\n]*|(?P<count>\d+)\s+times)?"
)
_LITERAL_LIST = r"\bset\s+{}\s+to\s+\{{"
_SENDS = re.compile(r"(?m)^\s*(?:tell\s+[^\n]*\bto\s+)?send\b|\bto\s+send\b")
_FEW = 5
_MOST_LOOPS = 40
_KEEPERS = re.compile(
    r"(?i)\"(Mail|Microsoft Outlook|Notes|Calendar|Contacts|Reminders|Photos|Messages|Music|Things3|OmniFocus)\""
)
_DELETES_EVERY = re.compile(r"\bdelete\s*\(?\s*(?:every|all)\s+(\w+)(?![^\n]*\bwhose\b)")


def report_told_applications(text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    if "make login item" in text or "make new login item" in text:
        yield Operation("schedule.change", context.origin)
    if "hidden answer" in text:
        yield Operation("credential.print", context.origin, known_word("a password that the user is asked for"))
    for file in map(known_word, _POSIX_FILE.findall(text) if _SENDS_MESSAGE.search(text) else ()):
        yield Read(context.resolve_place(file), context.origin)
        sources = context.read(file).src | {context.origin.command}
        yield Connect(known_word("mail"), context.origin, unknown_word("a file", sources))
    if _MESSENGERS.search(text) is not None and _sends_repeatedly(text):
        yield Operation("tool.act", context.origin, known_word("code with a message for each item of a list"), (("sends", True),))
    elif _MAIL_PROGRAMS.search(text) is not None and _SENDS.search(text) is not None:
        yield Operation("tool.act", context.origin, known_word("code with a mail in the user's name"), (("sends", True),))
    if _FINDER_OBJECT.search(text) and _DELETING_METHOD.search(text):
        yield from _report_deleted_objects(text, context)
    if "System Events" in text or '"Finder"' in text or "loginwindow" in text:
        yield from _report_changes_of_system(text, context)
    keeper, deleted = _KEEPERS.search(text), _DELETES_EVERY.search(text)
    if keeper is not None and deleted is not None and '"Finder"' not in text:
        yield Operation("tool.act", context.origin, known_word(f"every {deleted[1]} of {keeper[1]}"), (("deletes", True),))


def _report_deleted_objects(text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Reports what JavaScript makes the Finder delete: the paths it names, otherwise what the user keeps."""
    named = [double or single for double, single, _ in _NAMED_PATH.findall(text)]
    for path in named or [context.home]:
        yield Delete(context.resolve_place(known_word(path) if path else unknown_word("a path")), True, context.origin)


def _report_changes_of_system(text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    if match := _TURNS_OFF.search(text):
        yield Operation("power.off", context.origin, known_word(match[0]))
    if _EMPTIES_TRASH.search(text):
        yield Delete(context.resolve_place(known_word(f"{context.home}/.Trash")), True, context.origin)
    if _FINDER.search(text):
        yield Delete(context.resolve_place(known_word(context.home)), True, context.origin)


def _sends_repeatedly(text: str) -> bool:
    """Returns whether a message is sent for each item of a list that the code does not write out."""
    for repeat, _ in zip(_REPEATS.finditer(text), range(_MOST_LOOPS), strict=False):
        end = text.find("end repeat", repeat.end())
        if _SENDS.search(text, repeat.end(), end if end >= 0 else len(text)) and not _is_short(repeat, text):
            return True
    return False


def _is_short(repeat: re.Match[str], text: str) -> bool:
    if repeat["count"]:
        return int(repeat["count"]) <= _FEW
    items = (repeat["list"] or "").strip()
    if items.startswith("{"):
        return items.count(",") < _FEW
    name = re.fullmatch(r"\w+", items)
    return name is not None and re.search(_LITERAL_LIST.format(name[0]), text) is not None
