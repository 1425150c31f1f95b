"""Renders settings under which no question is necessary: folders, programs, and nothing else.

`permissions.allowOnly` is the plan enforcer's own key. Today's client accepts and ignores it, so its meaning is repeated in the
keys that the client enforces (tests/e2e/test_campaign.py checks the files).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .launch import HOOKS_ON
from .settings import TIMEOUT

DENIED_COMMANDS = (
    *("Bash(curl https://*)", "Bash(curl http://*)", "Bash(wget https://*)", "Bash(wget http://*)"),
    "Bash(rm -rf /*)",
)
"""Globs on text are the second line of defence. The first is the gate, which knows what a command does."""
_RULE_START, _RULE_END = "Bash(", ":*)"


def build_unattended_settings(
    folders: Sequence[str], programs: Iterable[str], stop_hook: str, command_hook: str
) -> dict[str, Any]:
    """Returns a whole settings file. Paths are absolute; a hook that is empty is left out."""
    hooks = {**_build_hook("Stop", stop_hook, {}), **_build_hook("PreToolUse", command_hook, {"matcher": "Bash"})}
    return {
        "permissions": {
            "allowOnly": list(folders),
            "allow": sorted({f"{_RULE_START}{name}{_RULE_END}" for name in programs}),
            "deny": [*DENIED_COMMANDS, *(f"Edit(/{folder}/.claude/**)" for folder in folders)],
            "defaultMode": "acceptEdits",
            "disableBypassPermissionsMode": "disable",
            "additionalDirectories": list(folders),
            "blockWritesOutsideWorkingDirectories": True,
            "blockReadsOutsideWorkingDirectories": True,
            "denyInsteadOfPrompting": True,
        },
        "sandbox": {
            "enabled": True,
            "autoAllowBashIfSandboxed": False,
            "allowUnsandboxedCommands": False,
            "filesystem": {"allowWrite": list(folders)},
        },
        **({"hooks": hooks, **HOOKS_ON} if hooks else {}),
    }


def list_allowed_programs(rendered: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the programs that such settings allow."""
    return tuple(rule.removeprefix(_RULE_START).removesuffix(_RULE_END) for rule in rendered["permissions"]["allow"])


def _build_hook(event: str, path: str, group: Mapping[str, str]) -> dict[str, Sequence[object]]:
    if not path:
        return {}
    handler = {"type": "command", "command": path, "timeout": TIMEOUT, "onFailure": "block"}
    return {event: [{**group, "hooks": [handler]}]}
