"""Recognises the gate's own entries in a file of hooks."""

import shlex
from collections.abc import Mapping

from toolgate.hosts.commands import is_gate_command

from .wire import NAME


def is_own_handler(handler: object) -> bool:
    return isinstance(handler, Mapping) and handler.get("type") == "command" and is_gate_command(split_command(handler), NAME)


def split_command(handler: Mapping[str, object]) -> tuple[str, ...]:
    line = handler.get("command")
    if not isinstance(line, str):
        return ()
    try:
        return tuple(shlex.split(line))
    except ValueError:  # an open quote
        return ()
