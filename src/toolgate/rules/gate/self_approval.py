"""Approving in the person's place: with their code, at their terminal, in the gate's state, in a forged host payload.

Only the person approves: in the conversation, or with `toolgate approve` on a terminal of their own. An agent is told that the
user has been asked, and waits.
"""

from collections.abc import Iterator

from toolgate.consent.codes import has_code
from toolgate.model.decision import Match
from toolgate.model.effect import Environment, Interpret, Operation, Read, Run, Write
from toolgate.model.place import LOCAL, Place
from toolgate.model.rule import RuleContext
from toolgate.model.word import Hole, Maybe, Word

ANSWER_WORDS = ("approve", "deny")
KEY_SENDERS = ("tmux", "screen", "kitty", "kitten", "wezterm", "zellij", "xdotool", "ydotool", "wtype")
MULTIPLEXERS = ("tmux", "screen", "zellij")
DELAY_PROGRAMS = ("sleep", "at", "batch", "usleep")
HOOK_CLIENT = "toolgate/transport/client.py"
STATE_FILE = "state.db"
STORE_VARIABLE = "TOOLGATE_STORE_URL"
STORE_TABLES = ("toolgate.answers", "toolgate.documents")
DATABASE_CLIENTS = ("psql", "pgcli", "usql", "vacuumdb", "pg_restore", "pg_dump")
INTERPRETERS = ("perl", "ruby", "php", "node", "lua", "deno", "bun", "tclsh")
TERMINAL_INPUT_CALLS = ("TIOCSTI", "0x5412")
GATE_VARIABLES = frozenset(
    (
        "TOOLGATE_HOME",
        STORE_VARIABLE,
        "CLAUDE_PID",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_SESSION_ATTENDED",
    )
)
"""Variables that set where approvals are kept, or whether a person sits at the client."""

CheckedEffect = Operation | Run | Read | Write | Interpret | Environment

_ADVICE = "go on with other work until the user has answered."


def check(effect: CheckedEffect, _options: None, context: RuleContext) -> Iterator[Match]:
    match effect:
        case Operation(name="gate.answer"):
            message = f"Answers a request of the gate in the user's place: {context.effects.describe(effect)}."
            yield Match(effect, message, _ADVICE)
        case Operation(name="gate.code"):
            yield Match(effect, "Names a code that the gate gave to the user alone.", _ADVICE)
        case Operation() if effect.get_flag("answers") is True:
            yield from _check_keys(effect, context)
        case Operation():
            yield Match(effect, "Types into a terminal as if the user did.", _ADVICE)
        case Run(argv=argv):
            yield from _check_run(effect, argv, context)
        case Read(place=place) | Write(place=place):
            yield from _check_file(effect, place)
        case Interpret(code=code):
            if any(code.contains(word) is True for word in TERMINAL_INPUT_CALLS):
                yield Match(effect, "Types into a terminal as if the user did, from code.", _ADVICE)
        case Environment(name=name):
            if name in GATE_VARIABLES:
                reason = f"Sets {name}, which moves the gate's state or claims that a person sits at the client."
                yield Match(effect, reason, "leave the variable as it is.", None)


def _check_keys(keys: Operation, context: RuleContext) -> Iterator[Match]:
    """Matches keys that choose and confirm, which may answer a question of the host, above all after a delay."""
    runs = [effect for effect in context.effects.all if isinstance(effect, Run)]
    target = keys.target.display_text if keys.target is not None else ""
    session = ((keys.target.text if keys.target is not None else None) or "").lstrip("=").partition(":")[0]
    own = any(
        run.argv[0].text in MULTIPLEXERS and any(word.text == session for word in run.argv) for run in _find_session_starts(runs)
    )
    later = any(run.argv[0].text in DELAY_PROGRAMS for run in runs)
    if not own and (later or keys.get_flag("elsewhere") is not True):
        reason = f"Presses keys in {target}, which may answer a question that the host asks the user."
        yield Match(
            keys, reason, "start the program in a session of its own (`tmux new-session -d -s NAME`) and type there.", sure=None
        )


def _find_session_starts(runs: list[Run]) -> list[Run]:
    """Returns the runs that open a session of a terminal multiplexer."""
    return [
        run
        for run in runs
        if any(word.text in ("new", "new-session", "-dmS", "-S") for word in run.argv[1:])
        and not any(word.text == "-X" for word in run.argv)
    ]


def _check_run(run: Run, argv: tuple[Word, ...], context: RuleContext) -> Iterator[Match]:
    text = "\n".join([word.text or "" for word in argv])
    if has_code(text):
        yield Match(run, "Names a code that the gate gave to the user alone.", _ADVICE)
    elif HOOK_CLIENT in text and any((word.text or "").endswith(HOOK_CLIENT) for word in argv):
        yield Match(run, "Sends the gate a hook's event in the host's place.", _ADVICE)
    elif argv and argv[0].text in ANSWER_WORDS and any(carrier.program in KEY_SENDERS for carrier in run.origin.via):
        yield Match(run, "Types an answer to the gate at the user's terminal.", _ADVICE)
    elif (
        argv
        and argv[0].file_name in INTERPRETERS
        and any(word.contains(each) is True for word in argv[1:] for each in TERMINAL_INPUT_CALLS)
    ):
        yield Match(run, "Types into a terminal as if the user did, from code.", _ADVICE)
    elif argv and argv[0].file_name in DATABASE_CLIENTS and any(_has_store_name(word, context.store) for word in argv[1:]):
        yield Match(run, "Opens the store where the gate keeps approvals.", _ADVICE)


def _has_store_name(word: Word, url: str) -> bool:
    return (
        (bool(url) and word.contains(url) is True)
        or any(isinstance(part, Hole) and part.variable == STORE_VARIABLE for part in word.parts)
        or any(word.contains(each) is True for each in (STORE_VARIABLE, *STORE_TABLES))
    )


def _check_file(effect: Read | Write, place: Place) -> Iterator[Match]:
    if place.machine != LOCAL or place.is_anywhere:
        return
    name = (place.path or "").rpartition("/")[2]
    sure: Maybe = place.is_in("gate")
    if sure is True and name.startswith(STATE_FILE):
        yield Match(effect, f"Opens {place.display_text}, where the gate keeps approvals.", _ADVICE)
    elif isinstance(effect, Write) and (place.path or "").startswith("/dev/pts/"):
        yield Match(effect, f"Writes to {place.display_text}, a terminal that a person may be using.", _ADVICE, None)
