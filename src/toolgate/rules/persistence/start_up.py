"""Writing files that run automatically: shell start-up files, login items, git hooks, git's global settings.

They run again and again, outside this session and long after it. Put what the project needs into the project, and let the person
change their own start-up files.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.model.decision import Match
from toolgate.model.effect import Link, Move, Operation, Write
from toolgate.model.place import LOCAL
from toolgate.model.rule import RuleContext
from toolgate.model.word import maybe_all

PROJECT_HOOKS = ("/.husky/", "/.vscode/tasks.json")
"""Hooks and tasks that a team keeps in its repository: where their content is fully known, it is judged instead."""

_ADVICE = "show the user the change, and let them make it."


@dataclass(frozen=True, slots=True)
class Options:
    """`git_settings`: `git config --global` matches, too, where git runs the value: hooks, `core.sshCommand`, `!` aliases."""

    git_settings: bool = False


def check(effect: Write | Move | Link | Operation, options: Options, _context: RuleContext) -> Iterator[Match]:
    if isinstance(effect, Operation):
        sure = maybe_all((effect.get_flag("global"), effect.get_flag("runs"))) if options.git_settings else False
        if sure is not False:
            setting = effect.target.display_text if effect.target else "a setting"
            reason = f"Sets {setting} for every repository, and git runs the program that it names."
            yield Match(effect, reason, _ADVICE, sure)
        return
    place = effect.to if isinstance(effect, Move) else effect.place
    if place.machine != LOCAL or place.is_anywhere:
        return
    sure = place.is_in("start-up")
    if sure is not False and not (isinstance(effect, Write) and _is_judged_by_content(place.path or "", effect)):
        yield Match(effect, f"Changes {place.display_text}, which runs by itself, outside this session.", _ADVICE, sure)


def _is_judged_by_content(path: str, write: Write) -> bool:
    if write.folder:
        return True  # an empty folder has nothing to run
    is_whole = write.content is not None and write.content.text is not None and write.append is False
    return is_whole and any(part in path for part in PROJECT_HOOKS)
