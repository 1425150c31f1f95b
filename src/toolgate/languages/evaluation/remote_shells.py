"""Shells that code connects to another machine."""

from collections.abc import Iterator, Sequence

from toolgate.model.effect import Interpret, Operation, Run
from toolgate.model.shells import SHELLS

from .evaluator import Evaluator


def find_remote_shell(evaluator: Evaluator, connecting_calls: Sequence[str]) -> Iterator[Operation]:
    """Yields an operation if the code opens a connection and starts a shell that may use it. A program of the project may do
    both for different purposes: there, only a shell that reads its commands counts, and the operation is unsure."""
    report = evaluator.report
    started = [
        each for each in report.effects if isinstance(each, Run) or (isinstance(each, Interpret) and each.language == "shell")
    ]
    if any(name in evaluator.called for name in connecting_calls):
        if report.is_trusted:
            if any(map(_reads_commands, started)):
                yield Operation("network.shell", report.origin._replace(sure=None))
        elif any(map(_starts_shell, started)):
            yield Operation("network.shell", report.origin)


def _reads_commands(effect: Run | Interpret) -> bool:
    """Returns whether it is a shell without a script and without `-c`. Redirections may follow."""
    program, *words = _list_words(effect) or ("",)
    return _is_shell(program) and all(word[0] in "-0123456789<>&" and "c" not in word for word in words if word)


def _starts_shell(effect: Run | Interpret) -> bool:
    """Returns whether it is a shell, or shell text that is not known."""
    words = _list_words(effect)
    return _is_shell(words[0]) if words else isinstance(effect, Interpret) and effect.code.text is None


def _list_words(effect: Run | Interpret) -> list[str]:
    if isinstance(effect, Run):
        return [word.tail for word in effect.argv]
    return effect.code.head.split()


def _is_shell(program: str) -> bool:
    return program.rpartition("/")[2] in SHELLS
