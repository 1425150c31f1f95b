"""Access that each command of `toolgate` requires: what an agent may call, and what only a person may.

The command line is checked against this table (tests/unit/cli/test_commands.py); a command that is not listed requires ACT.
"""

from collections.abc import Iterable
from enum import Enum


class Access(Enum):
    """READ changes nothing of the gate. ACT changes or stops it. PERSON answers for the person."""

    READ = "read"
    ACT = "act"
    PERSON = "person"


READ, ACT, PERSON = Access

_READ_COMMANDS = (
    "check, completion, confirm, doctor, explain, inventory, log, prompt, redact, rules, scan, stats, statusline, test, watch, "
    "why, approvals, approvals show, policy show, policy schema, policy check, daemon status, daemon logs, daemon unit, "
    "lockout list, team show, settings render, settings diff, audit verify, audit checkpoint"
)
_PERSON_COMMANDS = "allow, approve, approvals deny, approvals revoke, hook, policy suggest, replay, ui, undo"
COMMANDS: dict[str, Access] = {
    **dict.fromkeys(_READ_COMMANDS.split(", "), READ),
    **dict.fromkeys(_PERSON_COMMANDS.split(", "), PERSON),
}
GROUPS = frozenset(("approvals", "audit", "daemon", "lockout", "policy", "settings", "store", "team"))
"""Verbs followed by a command of their own."""
TEAM_VERBS = frozenset(("inventory", "lockout", "prompt"))
"""Verbs that are also commands of `team`."""
CHANGING_OPTIONS: dict[str, tuple[frozenset[str], Access]] = {
    "doctor": (frozenset(("--repair", "--live")), ACT),
    "log": (frozenset(("--delete",)), PERSON),
}
"""Options with which a command that otherwise reads requires more."""
_FLAGS = frozenset(("--json", "--all"))
_HELP = frozenset(("-h", "--help", "--version"))


def required_access(words: Iterable[str | None]) -> Access:
    """Returns the access that a command line requires, from the words after `toolgate`; None is an unknown word.

    A word's position matters: `settings init --work-dir render` is `settings init`.
    """
    words_without_aliases = resolve_aliases(words)
    verb = words_without_aliases[0] if words_without_aliases else "--help"
    if verb is None or verb in _HELP:
        return ACT if verb is None else READ
    rest, name = words_without_aliases[1:], verb
    if verb in GROUPS:
        while rest and rest[0] in _FLAGS:
            rest = rest[1:]
        if rest and rest[0] not in _HELP:
            name = f"{verb} {rest[0]}"  # an unknown option gives a name that is not in the table
            rest = rest[1:]
    if rest[:1] and rest[0] in _HELP:
        return READ
    found = COMMANDS.get(name, ACT)
    if found is ACT and _is_dry_run(rest):
        return READ
    options, access = CHANGING_OPTIONS.get(name, (frozenset(), found))
    return access if any(word is None or word in options for word in rest) else found


def resolve_aliases(words: Iterable[str | None]) -> list[str | None]:
    """Returns a command line with each verb under the name that it has in the table."""
    resolved = list(words)
    if resolved[:1] == ["team"] and resolved[1:2] and resolved[1] in TEAM_VERBS:
        return resolved[1:]
    return ["settings", *resolved[1:]] if resolved[:1] == ["campaign"] else resolved


def _is_dry_run(words: list[str | None]) -> bool:
    """Returns whether `--dry-run` is an option, and not the value of another one."""
    own = words[: words.index("--")] if "--" in words else words
    return any(
        word == "--dry-run" and (not n or (own[n - 1] is not None and not str(own[n - 1]).startswith("-")))
        for n, word in enumerate(own)
    )
