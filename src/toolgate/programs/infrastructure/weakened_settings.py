"""Settings by which the command line of a service takes a safeguard away, leaves nothing running, or starts very much.

`--backup-retention-period 0`, `--no-versioning`, `--versioning-configuration Status=Suspended` and `-p '{"spec": {"replicas": 0}}'`
are read as names and values. Something that is only being created has nothing to lose.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Operation, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, join_words, known_word
from toolgate.programs.argv.subcommands import split_subcommands
from toolgate.safeguards import Setting, find_weakened, list_settings, starts_many, stops_everything

_CHANGING_VERBS = frozenset(
    (
        *(
            "modify",
            "update",
            "set",
            "put",
            "patch",
            "alter",
            "edit",
            "change",
            "configure",
            "config",
            "resize",
            "scale",
            "label",
        ),
        *("toggle", "annotate", "upsert"),
    )
)
_STARTING_VERBS = frozenset("run create launch scale resize set update modify".split())
_DISABLING_VERBS = frozenset("disable suspend pause unschedule off deactivate".split())
_ENDING_VERBS = frozenset("clear cancel disassociate".split())
"""Verbs that switch a safeguard off, and mean less for anything else."""
_NAME_OF_PACKAGE = re.compile(r"(?:com|org|net|io|dev|app|de|fr|uk|eu)(?:\.\w+){2,}").fullmatch
"""Matches a name in reverse notation, whose words say nothing of settings: `com.acme.trail.debug`."""
_METHODS = frozenset("PUT PATCH POST".split())
_READING_VERBS = frozenset("describe list get show search help ls view status print explain diff".split())
_FLAGS = frozenset("flag flags feature features".split())
_PEOPLE = frozenset("user users account accounts member members".split())


def find_weakened_settings(
    family: str | None, argv: tuple[Word, ...], context: ExecutionContext, *, local: bool = False
) -> Iterator[ReportedEffect]:
    """Yields the safeguard that a command of a service switches off, and what it stops by a number or a word."""
    unnamed = (word for before, word in pairwise(argv) if before.starts_with("-") is not True)  # without values of options
    plain = [word for word in unnamed if not _NAME_OF_PACKAGE(word.outline)]
    commands = split_subcommands((argv[0], *plain))
    words = [part for parts in commands for part in parts]
    if _READING_VERBS.intersection(parts[0] for parts in commands[1:]) or not words:
        return
    if family is None and (len(commands) < 2 or not _CHANGING_VERBS.isdisjoint(commands[0])):
        return  # a program that nobody described: its settings are its own, unless it names a kind of thing first
    outer = ("backup", " ".join(words)) if family == "databases.backups" else (" ".join(words),)
    texts = {word.text for word in argv}
    changes = not _CHANGING_VERBS.isdisjoint(words) or not _METHODS.isdisjoint(texts)
    settings = list(_list_options(argv, outer)) if changes else []
    disables = not _DISABLING_VERBS.isdisjoint(words)
    if disables or not _ENDING_VERBS.isdisjoint(words):
        settings.append((outer, True))
    target, flags = join_words(argv[:5]), (("dry_run", False), ("local", local))
    if weakened := find_weakened(settings):
        yield Operation("safeguard.weaken", context.origin, known_word(f"{weakened}: ") + target, flags)
    elif disables and not _FLAGS.isdisjoint(words):
        yield Operation("cloud.delete", context.origin, target, (*flags, ("stops", True)))
    elif disables and not _PEOPLE.isdisjoint(words):
        yield Operation("cloud.delete", context.origin, target, (*flags, ("rights", True)))
    elif any(stops_everything(names, value) for names, value in settings) or ("scale" in words and "0" in texts):
        yield Operation("cloud.delete", context.origin, target, (*flags, ("stops", True)))
    elif ("scale" in words and family is not None and any(_is_large_number(text) for text in texts)) or (
        not _STARTING_VERBS.isdisjoint(words) and any(starts_many(names, value) for names, value in _list_options(argv, outer))
    ):
        yield Operation("cloud.delete", context.origin, target, (*flags, ("costs", True)))


def _is_large_number(text: str | None) -> bool:
    """Returns whether an operand is the number of very many machines: `scale POOL 200`."""
    return text is not None and text.isdecimal() and len(text) < _MAX_DIGITS and int(text) >= _MANY


_MANY, _MAX_DIGITS = 50, 7


def _list_options(argv: tuple[Word, ...], outer: tuple[str, ...]) -> Iterator[Setting]:
    """Yields each option with its value, and each pair of a name and a value among the operands."""
    texts = [word.text for word in argv[1:]]
    for text, following in pairwise((*texts, None)):
        if text is None:
            continue
        if not text.startswith("-"):
            yield from list_settings(text, outer) if "=" in text else ()
            continue
        option, attached, value = text.partition("=")
        names = (*outer, option)
        if attached:
            yield from list_settings(value, names)
        elif following is not None and not following.startswith("-"):
            yield from list_settings(following, names)
        else:
            yield names, True
