"""The branches that a session created, with the commits that its own calls added to them, as the repository proves them.

They are part of the facts of toolgate.creations. `branches`: by working tree and name, the commit at which the session's part
begins, and its own commits after it, oldest first. A commit is the session's own if its object was written while a call of the
session ran that creates the branch or commits to it. Merges and rebased commits are not.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .model.effect import Effects, Operation
from .model.rule import RuleContext
from .model.store import MADE, ledger_key
from .model.world import ABSENT, CommitEntry, NoAnswer, World

MAX_COMMITS = 64  # own commits of one branch
MAX_BRANCHES = 64  # branches of a session
_SECOND = 1_000_000_000  # nanoseconds


def list_created_branches(effects: Effects) -> tuple[str, ...]:
    """Returns the branches that a call certainly creates."""
    return tuple(_name_branch(each) for each in _iter_operations(effects, "git.create-branch"))


def list_extended_branches(effects: Effects, branches: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the session's branches to which a call may commit."""
    tops = {each.work_tree for each in _iter_operations(effects, "git.commit")}
    return tuple(key for key in branches if key.rpartition(" ")[0] in tops)


def _iter_operations(effects: Effects, name: str) -> Iterator[Operation]:
    found = (each for each in effects.of_kind(Operation) if each.name == name)
    return (each for each in found if each.origin.sure is True and each.work_tree)


def _name_branch(operation: Operation) -> str:
    """Returns the key of a branch: git allows no blank in its name."""
    return f"{operation.work_tree} {operation.target.text if operation.target else ''}"


def _read_commits(key: str, limit: int, world: World) -> tuple[CommitEntry, ...] | NoAnswer:
    top, _, name = key.rpartition(" ")
    return world.commits(top, f"refs/heads/{name}", limit)


def is_absent(key: str, world: World) -> bool:
    return _read_commits(key, 1, world) is ABSENT


def is_as_left(key: str, commits: Sequence[str], world: World) -> bool:
    """Returns whether the branch still ends with the commit with which the session left it."""
    found = _read_commits(key, 1, world)
    return not isinstance(found, NoAnswer) and found[0].digest == commits[-1]


def settle_branch(key: str, before: Sequence[str], world: World, at: int) -> list[str]:
    """Returns the commits of a branch after a call that began at `at`; none if it has others than the session's own.

    `before`: the commits until then, none if the call created the branch."""
    found = _read_commits(key, MAX_COMMITS, world)
    new: list[str] = []
    for commit in () if isinstance(found, NoAnswer) else found:
        if commit.digest in before:
            return [*before[: before.index(commit.digest) + 1], *reversed(new)][-MAX_COMMITS:]
        if commit.parents == 1 and commit.time >= at // _SECOND and commit.written >= at:
            new.append(commit.digest)
        else:
            return [] if before else [commit.digest, *reversed(new)]
    return []


def is_made_in_call(branch: Operation, context: RuleContext) -> bool:
    """Returns whether the branch did not exist before the call, and an earlier command of the call creates it."""
    earlier = _iter_operations(context.effects, "git.create-branch")
    key = _name_branch(branch)
    made = any(each.origin.command < branch.origin.command and _name_branch(each) == key for each in earlier)
    return made and is_absent(key, context.world)


def is_own_loss(branch: Operation, context: RuleContext) -> bool:
    """Returns whether deleting a branch loses only commits of this session.

    History is linear along the session's commits, so the commits that only this branch reaches are its newest ones."""
    if branch.get_flag("delete") is not True or branch.get_flag("alone") is not True or branch.stakes is None:
        return False
    caller, key = context.scene.caller, _name_branch(branch)
    facts = context.load_document(ledger_key(caller.host, caller.session, MADE))
    commits: Sequence[str] = facts.get("branches", {}).get(key, ())
    return 0 < branch.stakes.commits < len(commits) and is_as_left(key, commits, context.world)
