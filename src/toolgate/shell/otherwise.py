"""Where two shells read a text differently: what only the second does is there beside what the first does."""

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
    """Lines that two shells read differently: what only dash does with them is there beside what bash does."""
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
    """Where dash alone reads what is to come, if it is dash."""
    return replace(frame, dialect="dash", sure=frame.sure if frame.is_dash else None)


_Done = tuple[object, ...]
Answering = Callable[[Yielded], Generator[Yielded, Any, Any]]


def _done(command: Command) -> _Done:
    """What makes two commands the same, whoever read them."""
    words = (command.cwd, command.stdin, *command.argv)
    return (*((name, word.parts) for name, word in command.scope.assigned.items()), *(word.parts for word in words))


def _relayed(walking: Walking, answering: Answering) -> Walking:
    """The same walk; `answering` says what it is told of each thing that it yields."""
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
    """A command that was there before prints what it printed then."""

    def answering(yielded: Yielded) -> Generator[Yielded, Any, Any]:
        if isinstance(yielded, Command) and (same := _done(yielded)) in done:
            return done[same]
        return (yield yielded)

    return _relayed(walking, answering)


def miscounted(node: Miscounted, shell: Shell, walk: Walk) -> Walking:
    """Where arithmetic was meant, a name that is not known is a number."""

    def answering(yielded: Yielded) -> Generator[Yielded, Any, Any]:
        if isinstance(yielded, Command) and yielded.argv[0].text is None:
            return EMPTY
        return (yield yielded)

    return _relayed(walk(node.body, shell), answering)
