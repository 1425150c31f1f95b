"""Letting every account on the machine write a file (`chmod 777`, `o+w`), or setting its set-user-ID bit.

Any other program on the machine can then change what the project runs. `chmod +x` or `chmod u+rwX` is usually what is meant.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Permission
from toolgate.model.place import LOCAL
from toolgate.model.rule import Context


def check(effect: Permission, _options: None, _context: Context) -> Iterator[Match]:
    mode = effect.mode.text
    if effect.place.machine != LOCAL or mode is None:
        return
    if opens_to_all(mode):
        yield Match(
            effect, f"This lets every account on this machine write {effect.place.shown} (mode {mode}).", instead="chmod u+rwX"
        )
    elif sets_user(mode):
        yield Match(effect, f"This makes {effect.place.shown} run as its owner for everybody (mode {mode}).")


def opens_to_all(mode: str) -> bool:
    if mode.isdigit():
        return len(mode) >= 3 and int(mode[-1]) & 2 != 0 and (len(mode) < 4 or int(mode[-4]) & 1 == 0)
    return any(_grants(clause, "oa", "w") for clause in mode.split(","))


def sets_user(mode: str) -> bool:
    if mode.isdigit():
        return len(mode) == 4 and int(mode[0]) & 6 != 0
    return any(_grants(clause, "uga", "s") for clause in mode.split(","))


def _grants(clause: str, who: str, what: str) -> bool:
    """`o+w`, `a=rw`, but not `+w`: that is limited by the umask."""
    for sign in "+=":
        left, found, right = clause.partition(sign)
        if found:
            return what in right and (any(each in left for each in who) or (what == "s" and not left))
    return False
