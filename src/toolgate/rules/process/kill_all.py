"""Ending every process, every process of a user, or processes that logins and the system depend on.

This ends other people's work, this session and often the machine. End one process by its id, or by a specific name.
"""

import re
from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation, Run
from toolgate.model.rule import RuleContext
from toolgate.model.word import Word

_ALL_PROCESSES = re.compile(r"-[A-Za-z]*[eA][A-Za-z]*|-?(?=[a-z]*a)(?=[a-z]*x)[a-z]+")
"""`ps -e`, `-A`, `ax`, `aux`: all processes of all users."""
_USER_OPTION = re.compile(r"-[uU]\w*|--(?:user|User)(?:=.*)?")
_ANY_NAME = re.compile(r"\^?(?:\.[*+]?)?\$?")
_ANY_NUMBER = re.compile(r"\^?\[(?:0-9|[:]digit[:])\][+*]?\$?|\^?\\d\+?\$?")
_MANY_PROCESSES = 1000
_DATABASE_PORT = re.compile(
    r"(?:-?[a-zA-Z]*i?(?:tcp|TCP)?)?@?[\w.]*:?(?:5432|3306|27017|6379|1433|1521|9200|5672|9092|2379|5984|26257)(?:/tcp)?"
)
"""`:5432`, `-i:3306`, `tcp:6379`, `27017/tcp`: databases and queues."""
_SELECTING_PROGRAMS = (
    "grep", "egrep", "fgrep", "rg", "ag", "head", "tail", "sed", "pgrep", "fzf", "perl", "python", "python3", "ruby",
)  # fmt: skip
_UNCONDITIONAL_PRINT = re.compile(r"\s*(?:NR\s*(?:>|!=)\s*=?\s*\d+\s*)?\{\s*print\b[^{}]*\}\s*")

_EXCLUDES_ONE = re.compile(r"\s*\$\d+\s*!=\s*[\w\"\ufffc]+\s*(?:\{\s*print\b[^{}]*\}\s*)?").fullmatch
"""Matches a program of awk that leaves out one process, mostly its own."""


def check(kill: Operation, _options: None, context: RuleContext) -> Iterator[Match]:
    sure = (
        kill.get_flag("everything") is True or _is_from_full_process_list(kill, context) or _uses_port_of_database(kill, context)
    )
    if sure is True and not kill.origin.site.machine.startswith("container:"):
        message = f"Ends processes far beyond your own work: {context.effects.describe(kill)}."
        yield Match(kill, message, instead="end single processes, each by its id.")


def _is_from_full_process_list(kill: Operation, context: RuleContext) -> bool:
    """Returns whether the process ids come from an unfiltered list of every process (`kill $(ps -e -o pid=)`)."""
    if kill.target is None or kill.target.text is not None:
        return False
    feeding = context.effects.commands_feeding(kill.target.src) - {kill.origin.command}
    runs = [run.argv for run in context.effects.of_kind(Run) if run.origin.command in feeding]
    if any(_is_process_selector(argv) for argv in runs):
        return False
    return any(_is_full_process_list(argv) for argv in runs)


def _uses_port_of_database(kill: Operation, context: RuleContext) -> bool:
    """Returns whether the process ids are those that use a database's port: its server, and all programs that talk to it."""
    if kill.target is None or kill.target.text is not None:
        return kill.target is not None and _DATABASE_PORT.fullmatch(kill.target.text or "") is not None
    feeding = context.effects.commands_feeding(kill.target.src) - {kill.origin.command}
    argvs = [run.argv for run in context.effects.of_kind(Run) if run.origin.command in feeding]
    return any(
        argv[0].file_name in ("lsof", "fuser", "ss") and any(_DATABASE_PORT.fullmatch(word.text or "") for word in argv[1:])
        for argv in argvs
    )


def _is_full_process_list(argv: tuple[Word, ...]) -> bool:
    name = argv[0].file_name
    if name in ("ls", "find", "fd", "basename", "echo") and any(_is_proc_folder(word) for word in argv[1:]):
        return True
    if name == "pgrep" and [word.text for word in argv[1:2]] in (["-u"], ["-U"], ["--euid"]) and len(argv) == 3:
        return True
    if name == "ps" and any(_USER_OPTION.fullmatch(word.text or "") for word in argv[1:]):
        return not any(word.starts_with("-C") is True for word in argv[1:])
    if name == "seq":
        return any(word.text is not None and word.text.isdigit() and int(word.text) >= _MANY_PROCESSES for word in argv[1:])
    every = _ALL_PROCESSES.fullmatch if name == "ps" else _ANY_NAME.fullmatch if name == "pgrep" else None
    return every is not None and any(word.text is not None and every(word.text) for word in argv[1:])


def _is_proc_folder(word: Word) -> bool:
    """Returns whether the word is /proc itself, or all numbers in it."""
    numbers = ("/proc/[[]", "/proc/[0", "/proc/[1")
    return word.text in ("/proc", "/proc/") or (word.text is None and word.pattern.startswith(numbers))


def _is_process_selector(argv: tuple[Word, ...]) -> bool:
    name = argv[0].file_name
    if name in ("awk", "gawk", "mawk"):
        return not any(_UNCONDITIONAL_PRINT.fullmatch(word.outline) or _EXCLUDES_ONE(word.outline) for word in argv[1:])
    if name in ("grep", "egrep") and any(word.text is not None and _ANY_NUMBER.fullmatch(word.text) for word in argv[1:]):
        return False
    return name in _SELECTING_PROGRAMS and not _is_full_process_list(argv)
