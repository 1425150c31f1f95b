"""Deleting or moving away the root, the home folder or the operating system.

This loses the machine or all of somebody's work: no version control has it, and no undo brings it back. Name the one file or
folder inside the project that is meant.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Delete, Environment, Move
from toolgate.model.rule import RuleContext
from toolgate.model.word import Maybe, Word, maybe_all, maybe_any
from toolgate.switch_variables import find_variable


def check(effect: Delete | Move, _options: None, context: RuleContext) -> Iterator[Match]:
    place = effect.place
    if place.machine.startswith("container:"):
        return
    recursive: Maybe = True if isinstance(effect, Move) else effect.recursive
    reached = place.can_reach("root", "home", "home-parent", "whole-tree", "system")
    is_whole = maybe_all((recursive, maybe_any((reached, place.is_in("whole-tree")))))
    sure = maybe_any((place.is_in("root", "home-parent"), place.is_in("system"), is_whole))
    if sure is None and (recursive is False or (recursive is None and place.is_anywhere)):
        return  # `rm $file`: one variable rarely names both an option and a folder
    between = "/" if isinstance(effect, Move) else ""  # `"$A/$B"` with both empty is the root, which nobody can move
    if sure is None and effect.origin.file and not any(isinstance(part, str) and part != between for part in place.word.parts):
        return  # a name computed by a file of the project: its author decided that, as in any program
    if sure is None and _is_empty_or_assigned(place.word, context):
        return
    if place.machine != "local" and sure is True and maybe_any((place.is_in("root", "home-parent"), is_whole)) is not True:
        sure = None  # which files of a server belong to the system is for its administrator to know
    if sure is not False:
        does, what = "Moves" if isinstance(effect, Move) else "Deletes", "is" if sure else "may be"
        message = f"{does} {place.display_text}, which {what} the root, a home folder or part of the operating system."
        yield Match(effect, message, "name single paths inside the project." if sure else "write the path out.", sure)


def _is_empty_or_assigned(word: Word, context: RuleContext) -> bool:
    """Returns whether a word is a variable that the call assigns elsewhere and that it did not begin with: where the assignment
    was not reached, it is empty (`make && T=$(mktemp -d); rm -rf $T`)."""
    name = find_variable(word)
    if not name or name in context.scene.environ or name in _SET_BY_SHELLS:
        return False
    return any(each.name == name for each in context.effects.of_kind(Environment))


_SET_BY_SHELLS = frozenset("HOME PWD OLDPWD PATH IFS SHELL USER LOGNAME UID EUID HOSTNAME BASH ZDOTDIR TMPDIR".split())
