"""Recognises a host's call of the gate: its client, optionally the agent's identity, then the host and the event."""

import shlex
from collections.abc import Mapping, Sequence

from toolgate.model.event import AGENT, PHASE, ROLE


def is_gate_command(words: Sequence[str], host: str) -> bool:
    """Returns whether the words call the gate, under any path: the native client, its Python twin, or `toolgate hook`."""
    if len(words) < 3 or words[-2] != host:
        return False
    before = [word for word in words[:-2] if word.partition("=")[0] not in (AGENT, ROLE, PHASE)]
    if not before:
        return False
    if before[-1] == "hook":
        return program_name(before[0]) == "toolgate" if len(before) == 2 else before[-3:-1] == ["-m", "toolgate"]
    if program_name(before[-1]) == "toolgate-hook":
        return len(before) == 1
    return len(before) > 1 and before[-1].replace("\\", "/").endswith("/toolgate/transport/client.py")


def program_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2].removesuffix(".exe")


def is_own_handler(handler: object, host: str) -> bool:
    """Returns whether a hook of a host's settings is the gate's."""
    return isinstance(handler, Mapping) and handler.get("type") == "command" and is_gate_command(split_command(handler), host)


def split_command(handler: Mapping[str, object], key: str = "command") -> tuple[str, ...]:
    """Returns the words of a hook's command line; none where it is not one. `key`: where the handler has it."""
    line = handler.get(key)
    if not isinstance(line, str):
        return ()
    try:
        return tuple(shlex.split(line))
    except ValueError:  # an open quote
        return ()
