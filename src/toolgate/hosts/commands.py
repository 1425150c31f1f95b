"""How the gate is called by a host, whichever host: its client, then the host, the event and nothing more."""

from collections.abc import Sequence


def is_gate(words: Sequence[str], host: str) -> bool:
    """By whatever absolute path: the native client, its twin in Python, or `toolgate hook`."""
    if len(words) < 3 or words[-2] != host:
        return False
    *before, _, _ = words
    if before[-1] == "hook":
        return name_of(before[0]) == "toolgate" if len(before) == 2 else before[-3:-1] == ["-m", "toolgate"]
    if name_of(before[-1]) == "toolgate-hook":
        return len(before) == 1
    return len(before) > 1 and before[-1].replace("\\", "/").endswith("/toolgate/transport/client.py")


def name_of(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
