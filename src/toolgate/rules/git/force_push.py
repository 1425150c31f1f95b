"""Force-pushing, which rewrites a branch that others may have built on, or deleting it on the server.

Their commits become unreachable on the server. `--force-with-lease` does the same only where nobody pushed in between.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.flows.made_folders import is_made_here
from toolgate.model.decision import Match
from toolgate.model.effect import Effects, Operation, Run
from toolgate.model.rule import RuleContext
from toolgate.model.word import Word, maybe_any
from toolgate.model.world import GitState


@dataclass(frozen=True, slots=True)
class Options:
    """`lease_is_fine`: `--force-with-lease` alone passes. `delete_is_fine`: deleting a remote branch passes."""

    lease_is_fine: bool = True
    delete_is_fine: bool = False


def check(push: Operation, options: Options, context: RuleContext) -> Iterator[Match]:
    remotes = _list_remotes(push, context.effects)
    if (
        push.get_flag("dry_run") is True
        or (remotes and all(remote is not None and is_made_here(remote, push, context.effects) for remote in remotes))
        or (push.get_flag("temporary") is True and _is_of_own_clone(push, context.effects))
    ):
        return
    state = context.world.git(context.scene.cwd)
    branch = push.target.display_text if push.target else (isinstance(state, GitState) and state.branch) or "a branch"
    force = maybe_any(
        (push.get_flag("force"), push.get_flag("mirror"), False if options.lease_is_fine else push.get_flag("lease"))
    )
    if force is not False:
        yield Match(
            push,
            f"Force-push to {branch.lstrip('+')} discards commits that others may have pushed there.",
            "git push --force-with-lease",
            sure=force,
            without=("--force", "-f"),
            advice="push to a branch of your own.",
        )
    deleted = False if options.delete_is_fine else push.get_flag("delete")
    if deleted is None and push.target is not None and _are_names_of_server(push.target, context.effects):
        deleted = True
    if deleted is not False and not _is_pushed_before(push, context.effects):
        message = f"Deletes {branch.lstrip(':')} on the server, where others may still use it."
        yield Match(push, message, "leave it to the user.", deleted)


def _are_names_of_server(names: Word, effects: Effects) -> bool:
    """Returns whether the names come from a list of the server's branches or tags: pushing those again deletes them, or does
    nothing."""
    feeding = effects.commands_feeding(names.src)
    listing = (run.argv for run in effects.of_kind(Run) if run.origin.command in feeding and run.argv)
    return any(argv[0].file_name == "git" and _lists_server({word.text for word in argv[1:]}) for argv in listing)


def _lists_server(words: set[str | None]) -> bool:
    return "ls-remote" in words or ("branch" in words and not words.isdisjoint(("-r", "--remotes", "-a", "--all")))


def _is_pushed_before(push: Operation, effects: Effects) -> bool:
    """Returns whether an earlier command of the call pushes the branch without force, so that the local one holds its commits."""
    if push.target is None or push.get_flag("delete") is not True:
        return False
    earlier = (each for each in effects.of_kind(Operation) if each.origin.command < push.origin.command)
    return any(
        each.name == "git.push"
        and each.target is not None
        and each.get_flag("force") is False
        and each.get_flag("delete") is False
        and _pushed_branch(each.target) == _pushed_branch(push.target)
        and _list_remotes(each, effects) == _list_remotes(push, effects)
        for each in earlier
    )


def _is_of_own_clone(push: Operation, effects: Effects) -> bool:
    """Returns whether all repositories that earlier commands clone are ones that the call itself has made."""
    clones = [
        run.argv[2:-1]
        for run in effects.of_kind(Run)
        if run.argv
        and run.origin.command < push.origin.command
        and run.argv[0].file_name == "git"
        and any(word.text == "clone" for word in run.argv[1:3])
    ]
    return bool(clones) and all(any(is_made_here(word, push, effects) for word in words) for words in clones)


def _list_remotes(push: Operation, effects: Effects) -> list[Word | None]:
    """Returns what a push is sent to."""
    own = effects.of_command(push.origin.command)
    return [each.target for each in own if isinstance(each, Operation) and each.name == "git.send"]


def _pushed_branch(target: Word) -> Word:
    """Returns the branch on the server that a refspec names."""
    before, colon, after = target.as_single_word().partition(":")
    branch = after if colon else before
    return branch.drop_first(len(_HEADS)) if branch.starts_with(_HEADS) is True else branch


_HEADS = "refs/heads/"
