"""Texts and paths of which one is known and the others depend on variables that are not set: the default is meant."""

from __future__ import annotations

from toolgate.model.word import Hole, Word

from .values import Choice, Instance, Reference, Value, words_of


def find_known_text(value: Value) -> Word | None:
    """Returns the only text that a value has where the variables in it are not set: `config.json` of `f"{NAME}.json"`, where
    `NAME` is `os.environ.get("NAME", "config")`."""
    words = words_of(value)
    known = [each for each in words if each.text is not None]
    others = (each for each in words if each.text is None)
    return known[0] if len(known) == 1 and all(map(_holds_variable, others)) else None


def prefer_known_paths(functions: tuple[Value, ...]) -> tuple[Value, ...]:
    """Leaves out reading methods of paths whose variables are not set, beside that of a known path: `Path(..).read_text`."""
    paths = {id(each): path for each in functions if (path := _find_path_read(each)) is not None}
    if len(paths) < len(functions) or find_known_text(Choice(tuple(paths.values()))) is None:
        return functions
    return tuple(each for each in functions if paths[id(each)].text is not None)


def _find_path_read(function: Value) -> Word | None:
    is_reading = isinstance(function, Reference) and function.name.rpartition(".")[2] in _READING_METHODS
    receiver = function.receiver if is_reading and isinstance(function, Reference) else None
    return receiver.text if isinstance(receiver, Instance) else None


_READING_METHODS = ("read_text", "read_bytes", "open")


def _holds_variable(word: Word) -> bool:
    return any(isinstance(part, Hole) and part.variable for part in word.parts)
