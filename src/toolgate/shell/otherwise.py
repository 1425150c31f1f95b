"""Text that two shells read differently: effects that only the second has are added to those of the first."""

from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Any

from toolgate.model.word import EMPTY

from .frame import Frame
from .moment import Walk
from .protocol import Command, Walking, Yielded
from .state import Shell
from .syntax import Either, Miscounted


def either(node: Either, shell: Shell, walk: Walk) -> Walking:
    """Runs lines that two shells read differently: what only dash does is added to what bash does."""
    other = shell.maybe()
    done: dict[_Done, Any] = {}
    yield from _noted(walk(node.bash, shell), done)
    other.frame = as_dash(shell.frame)
    yield from _only_new(walk(node.dash, other), done)
    other.frame = shell.frame
    if node.stops:
        other.leave("exit")
    else:
        shell.join(other)


def as_dash(frame: Frame) -> Frame:
    """Returns the frame for text that only dash reads, if the shell is dash."""
    return replace(frame, dialect="dash", sure=frame.sure if frame.is_dash else None)


_Done = tuple[object, ...]
Answering = Callable[[Yielded], Generator[Yielded, Any, Any]]


def _done(command: Command) -> _Done:
    """Returns a key that is equal for equal commands, in either shell."""
    words = (command.cwd, command.stdin, *command.argv)
    return (*((name, word.parts) for name, word in command.scope.assigned.items()), *(word.parts for word in words))


def _relayed(walking: Walking, answering: Answering) -> Walking:
    """Relays requests; `answering` returns the answer to each."""
    answer = None
    while True:
        try:
            yielded = walking.send(answer)
        except StopIteration:
            return
        answer = yield from answering(yielded)


def _noted(walking: Walking, done: dict[_Done, Any]) -> Walking:
    def answering(yielded: Yielded) -> Generator[Yielded, Any, Any]:
        answer = yield yielded
        if isinstance(yielded, Command):
            done[_done(yielded)] = answer
        return answer

    return _relayed(walking, answering)


def _only_new(walking: Walking, done: dict[_Done, Any]) -> Walking:
    """Answers a command that was already run with its previous output."""

    def answering(yielded: Yielded) -> Generator[Yielded, Any, Any]:
        if isinstance(yielded, Command) and (same := _done(yielded)) in done:
            return done[same]
        return (yield yielded)

    return _relayed(walking, answering)


def miscounted(node: Miscounted, shell: Shell, walk: Walk) -> Walking:
    """Runs an intended expression as subshells; an unknown command name in it is a number."""

    def answering(yielded: Yielded) -> Generator[Yielded, Any, Any]:
        if isinstance(yielded, Command) and yielded.argv[0].text is None:
            return EMPTY
        return (yield yielded)

    return _relayed(walk(node.body, shell), answering)
