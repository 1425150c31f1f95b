"""Tests whether the client reads a settings file exactly where the installer says, and what switches a registered gate off."""

import json
from typing import Any

import pytest

from e2e.claude_session import Sandbox, bash, turn
from e2e.conftest import Observe
from toolgate.hosts.claude_code.settings import find_dropped_hooks, find_faults, find_weaknesses

pytestmark = pytest.mark.e2e


def hook(event: str, **changes: Any) -> dict[str, Any]:
    """Returns another hook, with an error in it, beside the gate's."""
    whole = {"type": "command", "command": "true", **changes}
    return {"hooks": {event: [{"hooks": [{key: value for key, value in whole.items() if value is not None}]}]}}


VOID = {
    "an unknown type": hook("PreToolUse", type="nosuch"),
    "no command": hook("PreToolUse", command=None),
    "arguments that are text": hook("PreToolUse", args="x"),
    "a negative timeout": hook("PreToolUse", timeout=-1),
    "no time at all": hook("PreToolUse", timeout=0),
    "a bad onFailure": hook("PreToolUse", onFailure="deny"),
    "a bad shell": hook("PreToolUse", shell="zsh"),
    "text as async": hook("PreToolUse", **{"async": "yes"}),
    "a list as statusMessage": hook("PreToolUse", statusMessage=[]),
    "a handler without its group": {"hooks": {"PreToolUse": [{"type": "command", "command": "true"}]}},
    "a bad hook for permission requests": hook("PermissionRequest", type="nosuch"),
    "hooks that are a list": {"hooks": []},
    "deny rules that are text": {"permissions": {"deny": "Bash"}},
    "text as disableAllHooks": {"disableAllHooks": "no"},
}
LEFT_OUT = {
    "hooks": {
        "Notification": [
            {"type": "command", "command": "true"},
            {"matcher": 3, "hooks": []},
            *({"hooks": [each]} for each in ({"type": "nosuch"}, {"type": "command", "command": "true", "timeout": "5"}, 7)),
        ],
        "PostToolUse": {},
    }
}
TAKEN = {
    "whatever": 1,
    "hooks": {
        "NoSuchEvent": 7,
        "PreToolUse": [
            {"matcher": "[x", "hooks": []},
            {"hooks": [{"type": "command", "command": "true", "nosuch": 1, "timeout": 0.5}]},
        ],
    },
    "permissions": {"allow": ["Bash(", 3]},
}


def is_guarded(sandbox: Sandbox, other_settings: dict[str, Any]) -> bool:
    """Returns whether the gate still denies with these settings in the same file."""
    settings = {**other_settings}
    if isinstance(other_settings.get("hooks", {}), dict):
        hooks = other_settings.get("hooks", {})
        gate = sandbox.stand_in("as_told", "PreToolUse")["hooks"]["PreToolUse"]
        settings["hooks"] = {**hooks, "PreToolUse": [*hooks.get("PreToolUse", []), *gate]}
    sandbox.settings.write_text(json.dumps(settings))
    sandbox.talk(turn(bash("touch through # DENY-ME")))
    return "through" not in sandbox.list_created()


@pytest.mark.parametrize("name", VOID)
def test_what_the_installer_refuses_voids_the_file(sandbox: Sandbox, name: str) -> None:
    assert find_faults(VOID[name])
    assert not is_guarded(sandbox, VOID[name])


def test_what_is_left_out_alone_leaves_the_gate(sandbox: Sandbox) -> None:
    assert find_faults(LEFT_OUT) == ()
    assert len(find_dropped_hooks(LEFT_OUT)) == 6
    assert is_guarded(sandbox, LEFT_OUT)


def test_what_the_installer_takes_the_client_takes(sandbox: Sandbox) -> None:
    assert (find_faults(TAKEN), find_dropped_hooks(TAKEN)) == ((), ())
    assert is_guarded(sandbox, TAKEN)


def test_a_project_switches_every_hook_off(sandbox: Sandbox, observe: Observe) -> None:
    (sandbox.project / ".claude" / "settings.json").write_text('{"disableAllHooks": true}')
    assert find_weaknesses({"disableAllHooks": True}) == ("`disableAllHooks` switches every hook off",)
    assert not is_guarded(sandbox, {})
    observe(
        "gap", "`disableAllHooks` in a project's settings", reaches="no hook", harm="the gate is off: `toolgate doctor` says so"
    )


def test_a_client_without_settings_asks_nobody(sandbox: Sandbox, observe: Observe) -> None:
    sandbox.use(sandbox.stand_in("as_told", "PreToolUse"))
    sandbox.talk(turn(bash("touch through # DENY-ME")), arguments=("--setting-sources", "project"))
    assert sandbox.list_created() == {"through"}
    what = "a client started with `--setting-sources` that leave out the file"
    observe("gap", what, reaches="no hook", harm="the gate is off")
