"""Text that two shells read differently: effects that only the second has are added to those of the first."""

from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Any

from toolgate.model.effect import Effect
from toolgate.model.word import EMPTY, unknown_word
from toolgate.shell.domain.frame import Frame
from toolgate.shell.domain.protocol import Body, Command, Evaluation, Request
from toolgate.shell.domain.state import Shell
from toolgate.shell.syntax.tree import ArithmeticAsSubshells, DialectVariants

from .builtin_context import Walk


def walk_dialect_variants(node: DialectVariants, shell: Shell, walk: Walk) -> Evaluation:
    """Runs lines that two shells read differently: what only dash does is added to what bash does."""
    other = shell.copy_as_possible()
    done: dict[_CommandKey, Any] = {}
    yield from _record_answers(walk(node.bash, shell), done)
    other.frame = frame_as_dash(shell.frame)
    yield from _skip_known_commands(walk(node.dash, other), done)
    other.frame = shell.frame
    if node.stops:
        other.record_exit("exit")
    else:
        shell.join(other)


def frame_of_body(body: Body, frame: Frame) -> Frame:
    """Returns the frame in which the body of a function or an alias runs."""
    return frame_as_dash(frame) if body.dialect.is_dash else frame


def frame_as_dash(frame: Frame) -> Frame:
    """Returns the frame for text that only dash reads, if the shell is dash."""
    dialect = frame.dialect._replace(may_be_dash=True, is_dash=True)
    return replace(frame, dialect=dialect, sure=frame.sure if frame.dialect.is_sh_dash else None)


_CommandKey = tuple[object, ...]
AnswerRequest = Callable[[Request], Generator[Request, Any, Any]]


def _command_key(command: Command) -> _CommandKey:
    """Returns a key that is equal for equal commands, in either shell."""
    words = (command.cwd, command.stdin, *command.argv)
    return (*((name, word.parts) for name, word in command.scope.assigned.items()), *(word.parts for word in words))


def _relay_requests(walking: Evaluation, answering: AnswerRequest) -> Evaluation:
    """Relays requests; `answering` returns the answer to each."""
    answer = None
    while True:
        try:
            yielded = walking.send(answer)
        except StopIteration:
            return
        answer = yield from answering(yielded)


def _record_answers(walking: Evaluation, answers: dict[_CommandKey, Any]) -> Evaluation:
    def answer_and_record(yielded: Request) -> Generator[Request, Any, Any]:
        answer = yield yielded
        if isinstance(yielded, Command):
            answers[_command_key(yielded)] = answer
        return answer

    return _relay_requests(walking, answer_and_record)


def _skip_known_commands(walking: Evaluation, answers: dict[_CommandKey, Any]) -> Evaluation:
    """Answers a command that was already run with its previous output."""

    def answer_from_record(yielded: Request) -> Generator[Request, Any, Any]:
        if isinstance(yielded, Command) and (same := _command_key(yielded)) in answers:
            return answers[same]
        return (yield yielded)

    return _relay_requests(walking, answer_from_record)


def run_unobserved(walking: Evaluation) -> Evaluation:
    """Runs for the changes of the shell alone: commands have unknown output, and effects are dropped."""

    def answer_silently(yielded: Request) -> Generator[Request, Any, Any]:
        if isinstance(yielded, Command):
            return unknown_word("output")
        return None if isinstance(yielded, Effect) else (yield yielded)

    return _relay_requests(walking, answer_silently)


def walk_arithmetic_as_subshells(node: ArithmeticAsSubshells, shell: Shell, walk: Walk) -> Evaluation:
    """Runs an intended expression as subshells; an unknown command name in it is a number."""

    def answer_unless_unknown(yielded: Request) -> Generator[Request, Any, Any]:
        if isinstance(yielded, Command) and yielded.argv[0].text is None:
            return EMPTY
        return (yield yielded)

    return _relay_requests(walk(node.body, shell), answer_unless_unknown)
