"""git's refs: subcommands that move an existing branch away from its commits, or delete a ref."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Operation, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.place import LOCAL
from toolgate.model.stakes import Stakes
from toolgate.model.word import Maybe, Word, known_word
from toolgate.programs.argv.options import ParsedOptions
from toolgate.temporary_folders import is_in_temporary_folder

from .config_files import common_git_folder, effective_settings, work_tree, work_tree_git_folder

_BRANCH_PREFIX = "refs/heads/"


_REPOSITORY_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE", "GIT_COMMON_DIR")


def build_operation(
    name: str, context: ExecutionContext, target: Word | None = None, *, stakes: Stakes | None = None, **flags: Maybe
) -> Operation:
    tree = (_work_tree_or_empty(context) or _folder_without_repository(context)) if name in _LOCATED_SUBCOMMANDS else ""
    if not tree and is_in_temporary_folder(context.cwd):
        flags["temporary"] = True
    return Operation(f"git.{name}", context.origin, target, tuple(flags.items()), stakes, tree)


_LOCATED_SUBCOMMANDS = frozenset(("branch", "checkout", "clean", "commit", "erase", "reset", "restore", "stash", "switch"))
"""Subcommands that may discard uncommitted files, or commits that only one ref leads to, or that add a commit to a branch."""


def _work_tree_or_empty(context: ExecutionContext) -> str:
    return (work_tree(context) or "") if uses_surrounding_repository(context) else ""


def _folder_without_repository(context: ExecutionContext) -> str:
    """Returns the current directory, which this call may have made, if it was in no repository before."""
    place = context.resolve_place(known_word("."))
    is_outside = uses_surrounding_repository(context) and work_tree(context) is None
    return place.path or "" if is_outside and context.is_folder(place) is True else ""


def uses_surrounding_repository(context: ExecutionContext) -> bool:
    """Returns whether git uses the repository around the current directory: no variable or setting names another."""
    if context.site.machine != LOCAL or any(context.get_variables(name) for name in _REPOSITORY_VARIABLES):
        return False
    return not any(setting.name in ("core.worktree", "extensions.worktreeconfig") for setting in effective_settings(context))


def is_at_head(target: Word | None, context: ExecutionContext) -> bool:
    """Returns whether a revision is surely HEAD: `HEAD` itself, or the branch it names."""
    if target is None or target.text in ("HEAD", "@"):
        return True
    top = work_tree(context)
    own = work_tree_git_folder(top, context) if top is not None else None
    heads = context.read_alternatives(known_word(f"{own}/HEAD")) if own is not None else ()
    return len(heads) == 1 and target.text is not None and (heads[0].text or "").strip() == f"ref: {_BRANCH_PREFIX}{target.text}"


def move_branch(branch: Word, context: ExecutionContext) -> Iterator[Operation]:
    """Yields that an existing branch gets other commits; creating a branch loses nothing."""
    exists = _branch_exists(branch, context)
    if exists is not False:
        yield Operation("git.branch", context.origin, branch, (("force", exists),), work_tree=_work_tree_or_empty(context))


def create_branch(branch: Word, context: ExecutionContext) -> Iterator[Operation]:
    """Yields that a branch is created. It loses nothing; the session may own it (toolgate.branch_creations)."""
    top = _work_tree_or_empty(context)
    if top and branch.text:
        yield Operation("git.create-branch", context.origin, branch, work_tree=top)


def _branch_exists(branch: Word, context: ExecutionContext) -> Maybe:
    top = work_tree(context) if context.site.machine == LOCAL else None
    name = branch.text
    if top is None or name is None:
        return None
    folder = common_git_folder(top, context)
    if context.read_alternatives(known_word(f"{folder}/{_BRANCH_PREFIX}{name}")):
        return True
    packed = re.compile(rf"(?m)^\S+ {_BRANCH_PREFIX}{re.escape(name)}$")
    if any(packed.search(text.text or "") for text in context.read_alternatives(known_word(f"{folder}/packed-refs"))):
        return True
    return False if context.read_alternatives(known_word(f"{folder}/HEAD")) else None


def update_ref(options: ParsedOptions, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """A branch is moved by its full name, and `-d` deletes a ref. Moving HEAD alone is like `reset --soft`."""
    if options.has_flag("-d") is True and options.operands and options.operands[0].starts_with("refs/remotes/") is True:
        return  # the next fetch restores it
    if options.has_flag("-d") is True or (options.has_flag("--stdin") is True and context.stdin.contains("delete ") is not False):
        yield build_operation("erase", context, argv[0])
    elif len(options.operands) > 1 and options.operands[0].starts_with(_BRANCH_PREFIX) is True:
        yield from move_branch(options.operands[0].drop_first(len(_BRANCH_PREFIX)), context)


def symbolic_ref(options: ParsedOptions, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """HEAD is set to another branch; the files remain those of the old one."""
    if options.has_flag("--delete") is True:
        yield build_operation("erase", context, argv[0])
    elif len(options.operands) > 1:
        yield Operation("git.branch", context.origin, options.operands[0], (("force", None),))
