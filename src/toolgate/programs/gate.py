"""toolgate's own command line: verbs that change or stop the gate, answer for the person, or only read."""

from collections.abc import Iterator

from toolgate.model.command_line import Access, access
from toolgate.model.effect import Operation, Prints, Reported
from toolgate.model.seen import Seen
from toolgate.model.word import Word, joined, known

from .program import Program


def toolgate(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    texts = [word.text for word in argv[1:]]
    allowed = access(texts)
    if texts[:1] == ["lockout"] and allowed is Access.ACT:
        yield Operation("team.lockout", seen.origin, joined(argv[2:]), (("adds", texts[1:2] == ["add"]),))
    elif allowed is Access.PERSON:
        yield Operation("gate.answer", seen.origin, argv[1])
    elif allowed is Access.ACT:
        yield Operation("gate.control", seen.origin, argv[1])
    yield Prints(seen.output("toolgate"))


def hook(_argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """A host starts the hook itself; on a command line it could only be fed a forged payload."""
    yield Operation("gate.answer", seen.origin, known("hook"))


ROWS: dict[str, Program] = {"toolgate": Program(does=toolgate), "toolgate-hook": Program(does=hook)}
