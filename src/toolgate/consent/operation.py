"""Identifies the operation that an approval covers, to the last character (law 6).

It includes the input with every flag of its tool, the directory, the variables that choose its programs, the located effects
(with links followed), the contents of the files that it would run, and the commits that it would push. A script that is edited
after the person looked makes another operation.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import sha256
from typing import TYPE_CHECKING

from toolgate.model.effect import Effects
from toolgate.model.event import ToolCall

from .pushes import Commits

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

FollowedFiles = tuple[tuple[str, str], ...]
"""Path and digest of every file that was read to understand the call."""


RESOLVING_VARIABLES = (
    *("PATH", "SHELL", "BASH_ENV", "ENV", "ZDOTDIR", "LD_PRELOAD", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME", "NODE_OPTIONS"),
    *("NODE_PATH", "PERL5LIB", "PERL5OPT", "RUBYOPT", "RUBYLIB", "GIT_DIR", "GIT_WORK_TREE", "GIT_SSH_COMMAND"),
)
"""Variables that choose which programs and modules the names in a call refer to."""
DESCRIBING_KEYS = frozenset(("description",))
"""Keys of a tool's input that describe the call and change nothing of it."""


def digest_operation(call: ToolCall, effects: Effects, followed: FollowedFiles, commits: Commits = ()) -> str:
    scene = call.scene
    flags = {key: value for key, value in call.raw_input.items() if key not in DESCRIBING_KEYS}
    resolving = {name: scene.environ[name] for name in RESOLVING_VARIABLES if name in scene.environ}
    surroundings = (scene.cwd, scene.project, scene.home, resolving)
    identity = (call.tool, call.action, flags, surroundings, effects.all, sorted(effects.flows), followed, commits)
    return sha256(render_canonical(identity).encode(errors="surrogatepass")).hexdigest()


def render_canonical(value: object) -> str:
    """Returns the same text for the same value, in every process: unordered values are sorted."""
    return _render(value, {})


def _render(value: object, rendered: dict[int, str]) -> str:
    """`rendered`: texts of the parts so far, by their addresses: a thousand effects share their words, places and origins."""
    kind = type(value)
    if kind in _PLAIN_TYPES:
        return repr(value)
    if (known := rendered.get(id(value))) is not None:
        return known
    if isinstance(value, tuple):  # most of all values
        parts = [
            repr(each) if type(each) in _PLAIN_TYPES else rendered.get(id(each)) or _render(each, rendered) for each in value
        ]
        text = rendered[id(value)] = f"{kind.__name__}({','.join(parts)})"
        return text
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, bool | int | float | str):
        return repr(value)
    match value:
        case frozenset() | set():
            text = "{" + ",".join(sorted(_render(each, rendered) for each in value)) + "}"
        case Mapping():
            text = (
                "{" + ",".join(sorted(f"{_render(key, rendered)}:{_render(each, rendered)}" for key, each in value.items())) + "}"
            )
        case list():
            text = f"{kind.__name__}({','.join([_render(each, rendered) for each in value])})"
        case _ if is_dataclass(value) and not isinstance(value, type):
            inner = ",".join([_render(getattr(value, name), rendered) for name in _field_names(value)])
            text = f"{kind.__name__}({inner})"
        case _:
            raise TypeError(f"{kind.__name__} has no canonical text")
    rendered[id(value)] = text
    return text


_PLAIN_TYPES = frozenset((type(None), bool, int, float, str))
_NAMES: dict[type, tuple[str, ...]] = {}


def _field_names(value: "DataclassInstance") -> tuple[str, ...]:
    kind = type(value)
    if kind not in _NAMES:
        _NAMES[kind] = tuple(each.name for each in fields(value))
    return _NAMES[kind]
