"""What code prints: its text as far as it is known, and the variables in it."""

from __future__ import annotations

from collections.abc import Iterator

from toolgate.flows.issuers import secret_of_variable
from toolgate.model.word import EMPTY, Hole, HoleKind, Word, encoded_word, join_words

from .reporter import Reporter
from .shared_state import Evaluation
from .values import Instance, Reference, Unknown, Value, holds_environment, holds_kind, list_parts, word_of

_MAX_DEPTH = 3


def print_text(evaluation: Evaluation, text: Word, *argument: Value, is_whole: bool = True) -> None:
    """Records a text that code prints, made from these values. `is_whole`: nothing else is printed with it."""
    report = evaluation.report
    if any(holds_environment(each, 2) for each in argument):
        report.operation("environment.print")
        if report.openings.environment_file is not None:
            report.read(report.openings.environment_file)
    if not report.is_excused and any(holds_kind(each, HoleKind.SECRET, 2) or _is_secret_setting(each) for each in argument):
        report.operation("credential.print")
    held = dict.fromkeys(hole for each in argument for hole in _list_held_variables(each, evaluation))
    text = text if held.keys() <= set(text.parts) else text + Word(tuple(held), False)
    is_sure = is_whole and evaluation.is_certain
    report.printed.append(text if is_sure else encoded_word("a printed text", text, report.own_command))


def _list_held_variables(value: Value, evaluation: Evaluation, depth: int = _MAX_DEPTH) -> Iterator[Hole]:
    """Yields the variables in a container, or in an object that is printed with its fields."""
    if isinstance(value, Instance) and not (evaluation.prints_fields or (value.cls is not None and value.cls.annotated)):
        return
    for each in list_parts(value) if depth else ():
        yield from (part for part in word_of(each).parts if isinstance(part, Hole) and part.variable)
        yield from _list_held_variables(each, evaluation, depth - 1)


def _is_secret_setting(value: Value) -> bool:
    """Returns whether a value is a setting of a framework with a secret in it: `settings.SECRET_KEY`,
    `Rails.application.credentials`."""
    name = value.name if isinstance(value, Reference | Unknown) else ""
    owner, _, last = name.rpartition(".")
    return bool(owner) and (secret_of_variable(last) is not None or "application.credentials" in name)


def describe_output(report: Reporter, language: str, *, only_prints: bool) -> Word:
    """Returns the output of code that has been read. What is not known completely still holds the variables of the printed
    texts; the output of a file is its author's responsibility."""
    printed = join_words(report.printed, "") if report.printed else EMPTY
    if not only_prints or not report.printed:
        return encoded_word(f"the output of {language}", EMPTY if report.is_excused else printed, report.own_command)
    return printed.from_commands(report.own_command) if "environment.print" in report.operations else printed
