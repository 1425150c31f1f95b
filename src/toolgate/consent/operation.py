"""What an approval is an approval of: one operation, to the last character (law 6).

The input, the directory, what it comes to here (effects with their places, links followed), and what the files held that it
would run. A script that is edited after the person looked makes another operation.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import sha256

from toolgate.model.action import Action
from toolgate.model.effect import Effects
from toolgate.model.event import Scene

Followed = tuple[tuple[str, str], ...]
"""Path and digest of every file that was read to understand the call."""


def digest(tool: str, action: Action, scene: Scene, effects: Effects, followed: Followed) -> str:
    whole = (tool, action, scene.cwd, scene.project, scene.home, effects.all, sorted(effects.flows), followed)
    return sha256(canonical(whole).encode(errors="surrogatepass")).hexdigest()


def canonical(value: object) -> str:
    """The same text for the same value, in every process: what has no order is sorted."""
    match value:
        case Enum():
            return value.name
        case None | bool() | int() | float() | str():
            return repr(value)
        case frozenset() | set():
            return "{" + ",".join(sorted(canonical(each) for each in value)) + "}"
        case Mapping():
            return "{" + ",".join(sorted(f"{canonical(key)}:{canonical(each)}" for key, each in value.items())) + "}"
        case tuple() | list():
            return type(value).__name__ + "(" + ",".join(canonical(each) for each in value) + ")"
        case _ if is_dataclass(value):
            inner = ",".join(canonical(getattr(value, each.name)) for each in fields(value))
            return f"{type(value).__name__}({inner})"
        case _:
            raise TypeError(f"{type(value).__name__} has no canonical text")
