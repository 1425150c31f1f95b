"""Documents that a call shares with one person outside."""

from collections.abc import Mapping

from .arguments import find_leaves

_OWN_KEYS = ("usergoogleemail", "useremail", "accountemail", "account")
_RECIPIENT_KEYS = ("sharewith", "emailaddress", "email", "recipient", "grantee", "user", "to")
_CHANGING_ROLES = frozenset("writer editor owner organizer fileorganizer edit write manage fullcontrol".split())


def shares_outside(words: frozenset[str], arguments: Mapping[str, object]) -> bool:
    """Returns whether a call shares a document with somebody of another domain than the caller's or, if that is not told, lets
    somebody change it. `words`: those of the tool's name."""
    if "share" not in words and not {"add", "permission"} <= words and not {"create", "permission"} <= words:
        return False
    texts = [(key, value.lower()) for key, value in find_leaves(arguments) if isinstance(value, str)]
    own = {value.rpartition("@")[2] for key, value in texts if key in _OWN_KEYS and "@" in value}
    others = {value.rpartition("@")[2] for key, value in texts if key in _RECIPIENT_KEYS and "@" in value}
    if own:
        return not others <= own
    return bool(others) and any(key.endswith("role") and value in _CHANGING_ROLES for key, value in texts)
