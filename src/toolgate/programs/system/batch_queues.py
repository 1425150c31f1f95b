"""Queues of computing clusters: what cancels the jobs of others, or all of them."""

from collections.abc import Iterator

from toolgate.model.effect import Operation, PrintedOutput, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.program import INFORMATION_OPTIONS, Program, program_name

_OWN = ("--me", "-v", "--verbose", "-Q", "--quiet", "-i", "--interactive")
_EVERY_JOB = ("0", "all")
"""Arguments that stand for every job of the user, where there is no number."""


def cancel_jobs(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`scancel --partition=gpu`, `bkill 0`, `qdel all`: jobs that no number names. `scancel 4711` cancels one."""
    texts = [word.text or "" for word in argv[1:]]
    given = [text for text in texts if text not in _OWN]
    is_numbered = any(text[:1].isdecimal() and text not in _EVERY_JOB for text in given)
    if given and not is_numbered and set(texts).isdisjoint(INFORMATION_OPTIONS):
        target = known_word(f"jobs of the cluster ({program_name(argv)})")
        yield Operation("process.kill", context.origin, target, (("everything", True),))
    yield PrintedOutput(context.unknown_output(program_name(argv)))


ROWS: dict[str, Program] = dict.fromkeys(("scancel", "bkill", "qdel"), Program(does=cancel_jobs))
