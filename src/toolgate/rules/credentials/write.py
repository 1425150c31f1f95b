"""Changing or deleting keys, tokens, password stores, or who may log in.

Write access there decides who can log in, and a lost key cannot be recreated.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Delete, Link, Move, Permission, Write
from toolgate.model.place import LOCAL, Place
from toolgate.model.rule import RuleContext
from toolgate.model.word import Maybe, maybe_any
from toolgate.temporary_folders import is_in_temporary_folder


def check(effect: Write | Delete | Move | Link | Permission, _options: None, _context: RuleContext) -> Iterator[Match]:
    if isinstance(effect, Permission) and _is_restrictive_mode(effect.mode.text):
        return
    places = (effect.place, effect.to) if isinstance(effect, Move) else (effect.place,)
    for place in places:
        sure = _touches_credentials(effect, place)
        if sure is not False and place.machine == LOCAL and not place.is_anywhere:
            message = f"Changes {place.display_text}, which holds keys or decides who may log in."
            yield Match(effect, message, "leave it to the user.", sure)
            return


def _touches_credentials(effect: Write | Delete | Move | Link | Permission, place: Place) -> Maybe:
    """Returns whether the effect changes a credential place or a folder that is one. A recursive delete of `~` has a rule of its
    own."""
    with_content = isinstance(effect, Move) or (isinstance(effect, Delete | Permission) and effect.recursive is True)
    above = place.can_reach("credentials") if with_content and place.path is not None and place.is_in("credentials") else False
    return maybe_any((place.is_in("credentials", "public-credentials"), above, _is_of_some_home(place)))


def _is_of_some_home(place: Place) -> bool:
    """Returns whether it is the list of keys that log in as somebody whose home folder is not known:
    `$home/.ssh/authorized_keys`."""
    is_list = place.path is None and place.word.tail.endswith("/.ssh/authorized_keys")
    return is_list and not is_in_temporary_folder(place.word)


def _is_restrictive_mode(mode: str | None) -> bool:
    """Returns whether the mode is one that ssh accepts for its keys (600, 700, 400 and the like)."""
    return mode is not None and (
        mode.lstrip("0") in ("600", "700", "400", "500", "644", "755", "") or mode in ("go-rwx", "u=rw,go=", "go=")
    )
