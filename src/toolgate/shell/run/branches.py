"""`if`, `case`, `&&` and `||`: each branch is a path of its own, except those that the known values of a test rule out."""

from toolgate.model.word import unknown_word
from toolgate.shell.domain.protocol import Evaluation
from toolgate.shell.domain.state import Shell
from toolgate.shell.syntax.tree import AndOr, Case, If, Node, Sequence, ShellWord, Text

from . import command_outcomes
from .builtin_context import Walk
from .expansion import expand_unsplit
from .narrowing import narrow_to_arm, narrow_to_outcome
from .test_outcomes import Outcome, find_outcome, matches_pattern, names_unknown_argument


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
            yield from narrow_to_outcome(condition, True, taken, walk)
            yield from _walk_branch(body, taken, ends, walk)
        if outcome is True:
            _join_ends(ends, current, shell)
            return
        always = current.always
        current = current.copy_after_failure()
        yield from narrow_to_outcome(condition, False, current, walk)
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
    earlier: list[ShellWord] = []  # patterns that the subject does not match
    for arm in node.arms:
        outcomes = [matches_pattern(pattern, subjects) for pattern in arm.patterns]
        if through is None and all(outcome is False for outcome in outcomes):
            continue
        for pattern in arm.patterns:
            yield from expand_unsplit(pattern, shell, walk)
        chosen = shell.copy_as_possible()
        narrow_to_arm(node.subject, arm.patterns, earlier, chosen)
        earlier += arm.patterns
        taken = command_outcomes.join_optional(through, command_outcomes.join_optional(again, chosen))
        yield from _walk_branch(arm.body, taken, ends, walk)
        if True in outcomes and through is None and again is None and arm.end not in (";&", ";;&"):
            _join_ends(ends, shell.copy(), shell)
            return
        through = taken.copy() if arm.end == ";&" else None
        again = command_outcomes.join_optional(again, taken.copy()) if arm.end == ";;&" else again
    if not any(pattern.pieces == (Text("*", False),) for arm in node.arms for pattern in arm.patterns):
        ends.append(shell.copy())
        narrow_to_arm(node.subject, (), earlier, ends[-1])
    _join_ends(ends, shell.copy(), shell)


def walk_and_or(node: AndOr, shell: Shell, walk: Walk) -> Evaluation:
    """`a && b || c`. A command that runs only after success or failure of another may not run at all; a branch that leaves the
    text (`|| exit`) takes its failure with it."""
    tested = shell.tested
    with shell.enter_context(tested=True):
        yield from walk(node.first, shell)
    if command_outcomes.has_left(node.first, shell):
        return
    before: Node = node.first
    outcome = yield from _find_outcome(before, shell, walk)
    skipped: Shell | None = None  # the path on which a command failed
    has_run = True  # the command before, on every path
    for n, (operator, command) in enumerate(node.rest, 1):
        if (outcome is False and operator == "&&") or (outcome is True and operator == "||" and skipped is None):
            continue
        if outcome is False and skipped is None:  # the command behind `||` certainly runs
            after = shell.copy_after_failure()
            after.always = shell.always
            shell.replace_by_join([after])
            with shell.enter_context(tested=tested or n < len(node.rest)):
                yield from walk(command, shell)
            if command_outcomes.has_left(command, shell):
                return
            before, outcome = command, None
            continue
        with shell.enter_context(always=shell.always, tested=tested or n < len(node.rest)):
            succeeds = outcome is True or command_outcomes.is_sure_to_succeed(before, shell)
            if not succeeds and not _is_certain_cd(before, shell):
                after = shell.copy_after_failure()
                yield from narrow_to_outcome(before, False, after, walk)
                skipped = command_outcomes.join_optional(skipped, after)
            shell.assume_success()
            if has_run:
                yield from narrow_to_outcome(before, True, shell, walk)
            if operator == "&&":
                shell.always = shell.always and skipped is None
                shell.ended = False
                yield from walk(command, shell)
                if command_outcomes.has_left(command, shell):
                    if skipped is None:
                        return
                    shell.replace_by_join([skipped])
                    skipped = None
            else:
                yield from _walk_after_failure(command, skipped if skipped is not None else shell.copy_as_possible(), shell, walk)
                skipped = None
        both = outcome is True and command_outcomes.is_sure_to_succeed(command, shell)
        before, outcome = command, (both or (yield from _find_outcome(command, shell, walk))) if operator == "&&" else None
        has_run = operator == "&&"
    if skipped is not None:
        shell.join(skipped)


def _walk_after_failure(command: Node, failed: Shell, shell: Shell, walk: Walk) -> Evaluation:
    """Runs the command behind `||` on the path of a failure, which joins the other one unless it leaves the text."""
    failed.tested = shell.tested
    yield from walk(command, failed)
    if not command_outcomes.has_left(command, failed) and not command_outcomes.is_sure_to_leave(command, shell):
        failed.accept_either_outcome()
        shell.join(failed)


def _find_outcome(node: Node, shell: Shell, walk: Walk) -> Outcome:
    """Returns whether a command certainly fails, or a test has this outcome. What else certainly succeeds is no reason to leave
    out what follows `||`."""
    return False if command_outcomes.is_sure_to_fail(node, shell) else (yield from find_outcome(node, shell, walk))


def _is_certain_cd(node: Node, shell: Shell) -> bool:
    """Returns whether this is a `cd` that cannot fail."""
    is_cd = command_outcomes.literal_name(node) == "cd" and "cd" not in shell.functions
    return is_cd and not shell.failed and command_outcomes.has_only_sure_redirects(node)
