"""Programs with subcommands: which words after the name, with which options, are an operation of the vocabulary.

A form is written as one would type it: `db push --force-reset|--accept-data-loss`. `|` separates alternatives, `*` matches one
word, `**` any number of words, and a word may end or begin with `*` (`delete-*`). Every option of a form must be given (one of
its alternatives), with the value if the form has one (`--replicas=0`). Semicolons separate forms.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from toolgate.model.effect import Operation, PrintedOutput, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, join_words

from .options import Flags, ParsedOptions
from .program import Handler, Program, program_name

_SUBCOMMAND_WORD = re.compile(r"[a-z][a-z0-9_-]*(?:[:.][a-z][a-z0-9_-]*)*|[A-Z][a-z]+(?:[A-Z][a-z]+)+")
_WORD_PARTS = re.compile(r"[A-Z]?[a-z0-9]+")
_MAX_SUBCOMMAND_WORDS = 6


def split_subcommands(argv: tuple[Word, ...]) -> list[list[str]]:
    """Returns the parts of the first words that may be subcommands (`get-password-data`, `tokens:create`), without options."""
    words = [
        word
        for before, word in pairwise(argv)
        if word.starts_with("-") is False and (before.starts_with("-") is False or _SUBCOMMAND_WORD.fullmatch(word.text or ""))
    ]
    return split_words(words[:_MAX_SUBCOMMAND_WORDS])


def split_words(words: Iterable[Word]) -> list[list[str]]:
    """Returns the parts of each word, up to the first that cannot be a subcommand."""
    found: list[list[str]] = []
    for word in words:
        if word.text is None or not _SUBCOMMAND_WORD.fullmatch(word.text):
            break
        found.append([part.lower() for part in _WORD_PARTS.findall(word.text)])
    return found


@dataclass(frozen=True, slots=True)
class Form:
    """A form of an operation. `words`, `options`: the alternatives in each place."""

    operation: str
    words: tuple[tuple[str, ...], ...]
    options: tuple[tuple[str, ...], ...]


def parse_forms(table: Mapping[str, str]) -> tuple[Form, ...]:
    """Parses the forms of each operation."""
    found: list[Form] = []
    for operation, text in table.items():
        for form in text.split(";"):
            parts = [tuple(part.split("|")) for part in form.split()]
            words = tuple(part for part in parts if not part[0].startswith("-"))
            options = tuple(part for part in parts if part[0].startswith("-"))
            if parts:
                found.append(Form(operation, words, options))
    return tuple(found)


def build_flags(options: str, every: tuple[Form, ...], dry: str = "") -> Flags:
    """Returns the options of a tool: its own, those of its forms, and `--help`."""
    declared = {name for token in options.split() for name in token.partition("=")[0].split(",")}
    more = [
        name.partition("=")[0] + ("=" if "=" in name else "") for form in every for names in form.options for name in names
    ] + dry.split()
    spec = [token for token in dict.fromkeys(more) if token.rstrip("=") not in declared]
    given = {token.rstrip("=") for token in spec}
    help_names = ",".join(name for name in ("-h", "--help") if name not in declared | given)
    return Flags(" ".join([options, *spec, help_names if help_names.endswith("--help") else ""]))


def match_forms(every: tuple[Form, ...], parsed: ParsedOptions, shift: int = 0) -> Iterator[tuple[Form, Word]]:
    """Yields the forms that an argv matches, each with its words and the operand after them.

    `shift`: the number of unknown options before the words. Each may have consumed a word as its value, so that the form
    begins later.
    """
    texts = [word.text for word in parsed.operands]
    if texts and "help" in (texts[0], texts[-1]):
        return
    for form in every:
        if not all(any(_is_given(option, parsed) for option in options) for options in form.options):
            continue
        for start in range(min(shift, 3) + 1):
            end = _match_words(form.words, texts, start)
            if end is not None:
                yield form, join_words(parsed.operands[start : end + 1])
                break


def _is_given(option: str, options: ParsedOptions) -> bool:
    name, valued, value = option.partition("=")
    if not valued:
        return options.has_flag(name) is True
    return any(word.text == value for word in options.values_of(name))


def _match_words(places: tuple[tuple[str, ...], ...], texts: list[str | None], at: int) -> int | None:
    """Returns the index after the words of a form that match from here."""
    for n, place in enumerate(places):
        if place == ("**",):
            ends = (_match_words(places[n + 1 :], texts, later) for later in range(at, min(len(texts), at + 5) + 1))
            return next((end for end in ends if end is not None), None)
        if at >= len(texts) or not any(_matches_word(each, texts[at]) for each in place):
            return None
        at += 1
    return at


_READ_ONLY_VERBS = ("list", "ls", "get", "show", "describe", "info", "status", "search")
"""Verbs that change nothing; the words after them are names."""


def _matches_word(pattern: str, text: str | None) -> bool:
    if pattern == "*":
        return text not in _READ_ONLY_VERBS
    if text is None:
        return False
    if pattern.startswith("*"):
        return pattern[1:-1] in text if pattern.endswith("*") else text.endswith(pattern[1:])
    return text.startswith(pattern[:-1]) if pattern.endswith("*") else text == pattern


def provider_change_handler(*, rights: str, stops: str = "") -> Handler:
    """Returns a handler for forms that change permissions at a provider (`rights`), or stop something there (`stops`)."""
    every = parse_forms({"rights": rights, "stops": stops})
    flags = build_flags("", every)

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        options = flags.parse(argv)
        for form, target in match_forms(every, options, len(flags.parse(argv, stop=True).strange)):
            yield Operation("cloud.delete", context.origin, target, (("dry_run", False), (form.operation, True)))
            break

    return report_effects


def program_of_forms(table: Mapping[str, str], options: str = "", *, dry: str = "--dry-run=?") -> Program:
    """Returns a program described by its subcommands alone. `dry`: options that only show what would be done."""
    every = parse_forms(table)
    flags = build_flags(options, every, dry)
    dry_names = tuple(token.partition("=")[0].rpartition(",")[2] for token in dry.split())

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        parsed_options = flags.parse(argv)
        asks_help = parsed_options.has_flag("--help") is True or (
            parsed_options.has_flag("--version") is True and not parsed_options.operands
        )  # with a subcommand, --version is an option of it
        if not asks_help:
            for form, target in match_forms(every, parsed_options, len(flags.parse(argv, stop=True).strange)):
                yield Operation(form.operation, context.origin, target, (("dry_run", parsed_options.has_flag(*dry_names)),))
        yield PrintedOutput(context.unknown_output(program_name(argv)))

    return Program(does=report_effects)
