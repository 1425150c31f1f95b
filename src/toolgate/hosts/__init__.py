"""The hosts: programs in which an agent runs. One folder each; no host imports another."""

from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, cast

from toolgate.model.host import Host, HostPlaces, HostSettings, OwnFile, TextSettings

if TYPE_CHECKING:
    from toolgate.model.permission import PromptHost

HOSTS: dict[str, str] = {
    "claude-code": "claude_code",
    "copilot": "copilot",
    "opencode": "opencode",
    "codex": "codex",
    "gemini": "gemini",
    "qwen": "qwen",
    "kimi": "kimi",
    "cline": "cline",
    "kilo": "kilo",
    "cursor": "cursor",
    "antigravity": "antigravity",
    "vscode": "vscode",
}
"""Name on the command line -> folder. A test compares it with the existing folders."""
READABLE = ("claude-code",)
"""Hosts whose own permission rules can be read, in every scope."""


def load_host(name: str) -> Host:
    """Returns the module that reads payloads of a host and answers them. Raises KeyError for a host that is not in the table."""
    return cast(Host, _load_module(name, "host"))


def load_places(name: str) -> HostPlaces:
    """Returns the module that lists a host's files: separate, because every call needs it for all hosts."""
    return cast(HostPlaces, _load_module(name, "places"))


def load_settings(name: str) -> HostSettings | OwnFile | TextSettings:
    """Returns what registers the gate with a host, the module or its REGISTRATION: separate, because no hook call needs it."""
    module = _load_module(name, "settings")
    return cast(HostSettings | OwnFile | TextSettings, getattr(module, "REGISTRATION", module))


def prompts(name: str) -> "PromptHost | None":
    """What a host's own question hangs on; None for a host whose rules nobody can read, so that it is always left to ask."""
    return cast("PromptHost", _load_module(name, "prompts")) if name in READABLE else None


@cache
def _load_module(name: str, part: str) -> ModuleType:
    return import_module(f"{__name__}.{HOSTS[name]}.{part}")
