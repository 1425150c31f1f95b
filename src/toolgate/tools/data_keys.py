"""Arguments that contain free text, which is data whatever it mentions."""

_DATA_KEYS = frozenset(
    "body bodytext description title text content contents message messages comment comments note notes summary subject prompt "
    "instructions instruction thought thoughts question questions answer answers observation observations plan reason "
    "explanation oldstring newstring oldtext newtext oldstr newstr markdown html snippet example documentation details detail "
    "topic search searchquery pattern regex label labels keywords heading caption reply todos value insight activeform".split()
)


def is_data_key(key: str) -> bool:
    """Returns whether an argument of this name contains text that is never executed."""
    return key in _DATA_KEYS or key.endswith("pattern")
