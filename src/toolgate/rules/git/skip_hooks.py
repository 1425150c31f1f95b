"""Skipping the repository's hooks, or switching them off.

A hook is a check that the people of a project agreed on: a formatter, a secret scanner, the tests. Mend what it complains about.
`git commit --no-verify` is asked about only where a hook exists that it would skip.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.model.decision import Match
from toolgate.model.effect import Delete, Move, Operation, Permission
from toolgate.model.place import LOCAL, Place
from toolgate.model.rule import RuleContext

_HOOK_FOLDERS = (".husky", ".githooks", ".lefthook")


@dataclass(frozen=True, slots=True)
class Options:
    """`once_is_fine`: skipping the hooks of one command passes; only switching them off for all asks."""

    once_is_fine: bool = False


def check(effect: Operation | Delete | Move | Permission, options: Options, _context: RuleContext) -> Iterator[Match]:
    if isinstance(effect, Operation):
        what = effect.target.display_text if effect.target else "the hooks"
        if effect.get_flag("once") is not True:
            yield Match(effect, f"Switches off the repository's hooks ({what}).", "mend what the hook complains about.")
        elif not options.once_is_fine:
            yield Match(
                effect,
                f"Skips {what}, which the project runs.",
                "mend what the hook complains about.",
                without=("--no-verify", "-n"),
            )
    elif _is_hook(effect.place) and not (isinstance(effect, Permission) and not _takes_execution(effect)):
        message = f"Takes away {effect.place.display_text}: the project's checks no longer run."
        yield Match(effect, message, "mend what the hook complains about, or ask the user whether the hook should go.")


def _is_hook(place: Place) -> bool:
    """Returns whether a place is the folder of a project's hooks, or one of them."""
    if place.machine != LOCAL or place.is_anywhere or (place.is_in("temporary") is True and place.is_in("project") is not True):
        return False
    *folders, name = (place.path or f"{place.anchor or ''}/{place.rest}").split("/")
    parent = folders[-1] if folders else ""
    return name in _HOOK_FOLDERS or ("." not in name and (parent in _HOOK_FOLDERS or (parent == "hooks" and ".git" in folders)))


def _takes_execution(permission: Permission) -> bool:
    mode = permission.mode.text or ""
    return "-x" in mode or mode.lstrip("0") in ("644", "600", "444", "640")
