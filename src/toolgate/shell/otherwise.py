"""Where two shells read a text differently: what only the second does is there beside what the first does."""

from dataclasses import replace
from typing import Any

from toolgate.model.word import EMPTY

from .moment import Walk
from .protocol import Command, Walking
from .state import Frame, Shell
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
    return replace(frame, dialect="dash", sure=None)


_Done = tuple[object, ...]


def _done(command: Command) -> _Done:
    """What makes two commands the same, whoever read them."""
    words = (command.cwd, command.stdin, *command.argv)
    return (*((name, word.parts) for name, word in command.scope.assigned.items()), *(word.parts for word in words))


def _noted(walking: Walking, done: dict[_Done, Any]) -> Walking:
    answer = None
    while True:
        try:
            yielded = walking.send(answer)
        except StopIteration:
            return
        answer = yield yielded
        if isinstance(yielded, Command):
            done[_done(yielded)] = answer


def _only_new(walking: Walking, done: dict[_Done, Any]) -> Walking:
    """A command that was there before prints what it printed then."""
    answer = None
    while True:
        try:
            yielded = walking.send(answer)
        except StopIteration:
            return
        answer = done[same] if isinstance(yielded, Command) and (same := _done(yielded)) in done else (yield yielded)


def miscounted(node: Miscounted, shell: Shell, walk: Walk) -> Walking:
    """Where arithmetic was meant, a name that is not known is a number."""
    walking, answer = walk(node.body, shell), None
    while True:
        try:
            yielded = walking.send(answer)
        except StopIteration:
            return
        unknown_name = isinstance(yielded, Command) and yielded.argv[0].text is None
        answer = EMPTY if unknown_name else (yield yielded)
