"""Tells whether earlier commands of a call change what git reported: relief applies to files and refs as they were before the
call."""

from toolgate.model.effect import Interpret, Opaque, Operation, Run
from toolgate.model.rule import RuleContext
from toolgate.model.world import ABSENT

_HARMLESS_SUBCOMMANDS = frozenset(
    ("fetch", "status", "log", "diff", "show", "rev-parse", "branch", "ls-files", "remote", "describe", "clean", "restore")
)
_HARMLESS_PROGRAMS = frozenset(
    (
        *("cd", "echo", "ls", "pwd", "cat", "set", "true", "mkdir", "rm", "rmdir", "test", "[", "printf", "head", "tail", "grep"),
        *("wc", "sort", "uniq", "which", ":", "date", "sleep"),
    )
)
"""Programs that can precede git without changing a file that it tracks."""


def is_made_by_call(operation: Operation, context: RuleContext) -> bool:
    """Returns whether the working tree did not exist before this call, so that everything in it is the call's own."""
    if operation.get_flag("temporary") is True:
        return True
    return bool(operation.work_tree) and context.world.kind(operation.work_tree) is ABSENT


def is_unchanged_before(operation: Operation, context: RuleContext, also: frozenset[str] = frozenset()) -> bool:
    """Returns whether no earlier command of this call could change what git was found to hold. Files that it wrote were examined
    already. `also`: further subcommands of git that are harmless there."""
    for effect in context.effects.all:
        if effect.origin.command >= operation.origin.command:
            continue
        if isinstance(effect, Opaque | Interpret):
            return False
        if isinstance(effect, Run):
            words = [word.text for word in effect.argv]
            name = (words[0] or "").rpartition("/")[2]
            if name not in _HARMLESS_PROGRAMS and (
                name != "git" or words[1:2] == [None] or not set(words[1:2]) & (_HARMLESS_SUBCOMMANDS | also)
            ):
                return False
    return True
