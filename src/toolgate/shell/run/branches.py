"""`if` and `case`: each branch is a path of its own, except those that the known values of a test rule out."""

from toolgate.model.word import unknown_word
from toolgate.shell.domain.protocol import Evaluation
from toolgate.shell.domain.state import Shell
from toolgate.shell.syntax.tree import Case, If, Sequence, Text

from . import command_outcomes
from .builtin_context import Walk
from .expansion import expand_unsplit
from .test_outcomes import find_outcome, matches_pattern, names_unknown_argument


def walk_if(node: If, shell: Shell, walk: Walk) -> Evaluation:
    ends: list[Shell] = []
    current = shell.copy()
    for condition, body in node.branches:
        with current.enter_context(tested=True):
            yield from walk(condition, current)
        outcome = yield from find_outcome(condition, current, walk)
        if outcome is not False:
            taken = current.copy() if outcome is True else current.copy_as_possible()
            taken.assume_success()
            yield from _walk_branch(body, taken, ends, walk)
        if outcome is True:
            _join_ends(ends, current, shell)
            return
        always = current.always
        current = current.copy_after_failure()
        current.always = always and outcome is False
    if node.otherwise is not None:
        yield from _walk_branch(node.otherwise, current, ends, walk)
    else:
        ends.append(current)
    _join_ends(ends, current, shell)


def _join_ends(ends: list[Shell], otherwise: Shell, shell: Shell) -> None:
    """Continues after the branches that end here; if all of them leave, nothing that follows is reached."""
    shell.replace_by_join(ends or [otherwise])
    shell.ended = not ends and not command_outcomes.is_interrupted(shell)


def _walk_branch(body: Sequence, branch_shell: Shell, ends: list[Shell], walk: Walk) -> Evaluation:
    """Runs one branch and adds it to `ends` unless it leaves the text."""
    yield from walk(body, branch_shell)
    if not branch_shell.ended and not command_outcomes.is_sure_to_leave(body, branch_shell):
        branch_shell.accept_either_outcome()
        ends.append(branch_shell)


def walk_case(node: Case, shell: Shell, walk: Walk) -> Evaluation:
    subjects = yield from expand_unsplit(node.subject, shell, walk)
    if names_unknown_argument(node.subject, shell):
        subjects = (*subjects, unknown_word("an argument"))
    ends: list[Shell] = []
    through: Shell | None = None  # `;&` continues with the next arm
    again: Shell | None = None  # `;;&` tests the following patterns
    for arm in node.arms:
        outcomes = [matches_pattern(pattern, subjects) for pattern in arm.patterns]
        if through is None and all(outcome is False for outcome in outcomes):
            continue
        for pattern in arm.patterns:
            yield from expand_unsplit(pattern, shell, walk)
        taken = command_outcomes.join_optional(through, command_outcomes.join_optional(again, shell.copy_as_possible()))
        yield from _walk_branch(arm.body, taken, ends, walk)
        if True in outcomes and through is None and again is None and arm.end not in (";&", ";;&"):
            _join_ends(ends, shell.copy(), shell)
            return
        through = taken.copy() if arm.end == ";&" else None
        again = command_outcomes.join_optional(again, taken.copy()) if arm.end == ";;&" else again
    if not any(pattern.pieces == (Text("*", False),) for arm in node.arms for pattern in arm.patterns):
        ends.append(shell.copy())
    _join_ends(ends, shell.copy(), shell)
