"""toolgate's own command line: verbs that change or stop the gate, answer for the person, or only read."""

from collections.abc import Iterator

from toolgate.model.command_line import Access, required_access, resolve_aliases
from toolgate.model.effect import Operation, PrintedOutput, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, join_words, known_word

from .argv.program import Program


def toolgate(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    texts = resolve_aliases(word.text for word in argv[1:])
    allowed = required_access(texts)
    if texts[:1] == ["lockout"] and allowed is Access.ACT:
        named = argv[len(argv) - len(texts) + 1 :]
        yield Operation("team.lockout", context.origin, join_words(named), (("adds", texts[1:2] == ["add"]),))
    elif allowed is Access.PERSON:
        yield Operation("gate.answer", context.origin, argv[1])
    elif allowed is Access.ACT:
        yield Operation("gate.control", context.origin, argv[1])
    yield PrintedOutput(context.unknown_output("toolgate"))


def run_hook(_argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """A host starts the hook itself; on a command line it could only be fed a forged payload."""
    yield Operation("gate.answer", context.origin, known_word("hook"))


ROWS: dict[str, Program] = {"toolgate": Program(does=toolgate), "toolgate-hook": Program(does=run_hook)}
