"""Variables that code sets for itself and for the programs that it starts: `os.environ["HOME"] = folder`, and their defaults."""

from __future__ import annotations

from toolgate.model.word import Hole, HoleKind, Word, is_never_empty, known_word
from toolgate.switch_variables import find_variable, is_switch
from toolgate.temporary_folders import is_temporary_path

from .shared_state import Evaluation
from .values import Choice, Instance, MapValue, Unknown, Value, text_of, unknown_from, unknown_of_kind, word_of, words_of

_ANY_VARIABLE = unknown_of_kind(HoleKind.ENVIRONMENT)
"""An entry of a map that holds a copy of the environment: `{**defaults, **os.environ}`."""


def set_variable(evaluation: Evaluation, name: str, value: Value) -> None:
    """Reports that a variable is set. A temporary home folder is where `~` leads from then on."""
    report, word = evaluation.report, word_of(value)
    report.environment(name, word)
    if name != "HOME":
        hold_variable(evaluation, name, value)
        return
    home: Value = word if is_temporary_path(word, report.seen) else known_word(report.seen.home)
    if evaluation.journal.is_linear:
        home = evaluation.join_values(report.home, home)
    evaluation.journal.set_cell(report.home_cell, name, home)


def hold_variable(evaluation: Evaluation, name: str, value: Value) -> None:
    """Keeps a variable's value for the code that reads it. On a path that does not set it, it stays what it was."""
    report = evaluation.report
    report.variables.setdefault(name, report.variable(known_word(name)))
    kept = evaluation.join_values(report.variables[name], value) if evaluation.journal.is_linear else value
    evaluation.journal.set_cell(report.variables, name, kept)
    report.openings.variables[name] = word_of(report.openings.likely.find(value))


def set_default(evaluation: Evaluation, name: str, value: Value) -> Value:
    """Reports that a variable is set unless it is set already, and returns what it then holds."""
    report = evaluation.report
    report.environment(name, word_of(value))
    known = report.variable(known_word(name))
    if not text_of(known):
        known = note_default(evaluation, known, evaluation.join_values(known, value))
        hold_variable(evaluation, name, known)
    return known


def store_variable(evaluation: Evaluation, type_: str, key: Value, value: Value) -> None:
    """Sets a variable where code stores an item of an object, if the object is the environment."""
    for name in words_of(key) if type_ == "os.environ" else ():
        if name.text is not None:
            set_variable(evaluation, name.text, value)


def read_variable(evaluation: Evaluation, name: Value, default: Value | None = None) -> Value:
    """Returns a variable, or else its default: `ENV.fetch("URL", "redis://localhost")`. An empty one may be unset."""
    value = evaluation.report.variable(name)
    if default is None or (isinstance(value, Word) and is_never_empty(value)):
        return value
    return note_default(evaluation, value, evaluation.join_values(value, default))


def read_variable_or_empty(evaluation: Evaluation, name: Value) -> Value:
    """Returns a variable as a language reads it that takes one which nothing sets for an empty text. What switches something on
    stays a variable."""
    value, openings = evaluation.report.variable(name), evaluation.report.openings
    is_unset = isinstance(value, Word) and bool(find_variable(value)) and not is_switch(value)
    is_unset = is_unset and openings.environment_file is None and openings.likely.find(value) == value
    return evaluation.join_values(value, known_word("")) if is_unset else value


def note_default(evaluation: Evaluation, variable: Value, made: Value) -> Value:
    """Records what a variable or its only default make, and returns it: `process.env.URL ?? "redis://localhost"`."""
    if not isinstance(variable, Word) or not isinstance(made, Choice) or len(made.alternatives) != 2:
        return made
    is_variable = len(variable.parts) == 1 and isinstance(variable.parts[0], Hole) and bool(variable.parts[0].variable)
    others = [each for each in made.alternatives if each != variable]
    if (is_variable or not variable.parts) and len(others) == 1:
        evaluation.report.openings.likely.note_default(made, variable, others[0])
    return made


def entry_of_any_name(source: Value) -> Value:
    """Returns what a map holds under any name after another object was copied into it."""
    is_environment = isinstance(source, Instance) and source.type == "os.environ"
    return _ANY_VARIABLE if is_environment else unknown_from("an entry", source)


def read_entry(evaluation: Evaluation, owner: MapValue, key: object, default: Value | None = None) -> Value:
    """Returns an entry of a map by a known key, or else the default. In a copy of the environment it is the variable of that
    name; nothing else of the environment is in it."""
    own, rest = owner.entries.get(key), owner.rest
    if rest is not _ANY_VARIABLE or not isinstance(key, str):
        found = (own, rest, default)
        return evaluation.join_values(*found) if any(each is not None for each in found) else Unknown("an entry")
    variable = evaluation.report.variable(known_word(key))
    fallback = default if own is None else own
    return variable if fallback is None else note_default(evaluation, variable, evaluation.join_values(variable, fallback))
