"""Writing files that run automatically: shell start-up files, login items, git hooks, git's global settings.

They run again and again, outside this session and long after it. Put what the project needs into the project, and let the person
change their own start-up files.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.model.decision import Match
from toolgate.model.effect import Link, Move, Operation, Write
from toolgate.model.event import Scene
from toolgate.model.place import LOCAL
from toolgate.model.rule import RuleContext
from toolgate.model.word import maybe_all

_REACHES_OUT = re.compile(
    r"/(?:tmp|var/tmp|dev/shm|home|Users|root|opt|srv|mnt|media)/|~/|\$\{?HOME\b"
    r"|\b(?:curl|wget|nc|ncat|socat|telnet|scp|sftp|ftp|ssh|eval|source_url)\b|\b(?:push)?url\s*=|\bPATH=|\bGIT_\w+=|--(?:require|import)\b"
)
"""Text that leads out of the project: to files that anybody may change later, to the network, to programs of the same names."""

_ADVICE = "show the user the change, and let them make it."


@dataclass(frozen=True, slots=True)
class Options:
    """`git_settings`: `git config --global` matches, too, where git runs the value: hooks, `core.sshCommand`, `!` aliases."""

    git_settings: bool = False


def check(effect: Write | Move | Link | Operation, options: Options, context: RuleContext) -> Iterator[Match]:
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
    if sure is not False and not (isinstance(effect, Write) and _is_judged_by_content(effect, context.scene)):
        yield Match(effect, f"Changes {place.display_text}, which runs by itself, outside this session.", _ADVICE, sure)


def _is_judged_by_content(write: Write, scene: Scene) -> bool:
    """Returns whether nothing new would run, or only what other rules judge: all that a file of the project runs, if that is in
    the project, too. A project that holds the home folder holds the person's own start-up files."""
    holds_home = f"{scene.home.rstrip('/')}/".startswith(f"{scene.project.rstrip('/')}/")
    if not write.followed or holds_home or write.place.is_in("project") is not True:
        return write.folder
    text = (write.content.text or "") if write.content is not None else ""
    return bool(text) and _REACHES_OUT.search(text) is None  # an empty text takes something away
