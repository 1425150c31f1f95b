"""Tests the client's own rules, in the scopes that are not settings files of the user or the project."""

import pytest

from toolgate.hosts.claude_code.prompts import permission_rules
from toolgate.machine.simulated_world import SimulatedWorld
from toolgate.model.event import Caller, Scene
from toolgate.model.permission import HostRule, Unreadable

PROJECT = "/home/u/project"
SCENE = Scene(Caller("claude-code", "s"), PROJECT, PROJECT, "/home/u", {"HOME": "/home/u"}, "u")
MANAGED = "/etc/claude-code/managed-settings.json"
DROP_IN = "/etc/claude-code/managed-settings.d/10-more.json"


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("--disallowedTools", "Bash(touch *)", "Read"), [("Bash", "touch *"), ("Read", None)]),
        (("--disallowed-tools", "Bash(a, b) Edit,Write"), [("Bash", "a, b"), ("Edit", None), ("Write", None)]),
        (("--disallowedTools=Bash(rm *)", "--model", "opus"), [("Bash", "rm *")]),
        (("--allowedTools", "Bash(ls)", "-p", "--disallowedTools", "Read(.env)"), [("Read", ".env")]),
        (("-p", "go", "--output-format", "stream-json", "--verbose", "--permission-mode", "default"), []),
    ],
)
def test_rules_of_the_command_line(words: tuple[str, ...], found: list[tuple[str, str | None]]) -> None:
    parsed = permission_rules(SCENE, ("/opt/claude", *words), SimulatedWorld({}))
    assert parsed == tuple(HostRule(tool, pattern, PROJECT) for tool, pattern in found)


@pytest.mark.parametrize(
    "words",
    [
        ("sleep", "5"),
        (),
        ("claude", "--settings", "{}"),
        ("claude", "--settings", "relative.json"),
        ("claude", "--a-new-flag"),
        ("claude", "--disallowedTools", "Bash("),
        ("claude", "--setting-sources", "user"),
    ],
)
def test_a_command_line_that_is_not_understood_is_unreadable(words: tuple[str, ...]) -> None:
    with pytest.raises(Unreadable):
        permission_rules(SCENE, words, SimulatedWorld({}))


def test_settings_that_the_command_line_names_are_read() -> None:
    text = '{"permissions": {"deny": ["Bash(ls *)"]}}'
    found = permission_rules(SCENE, ("claude", "--settings", "/x/policy.json"), SimulatedWorld({"/x/policy.json": text}))
    assert found == (HostRule("Bash", "ls *", "/x"),)


@pytest.mark.parametrize("file", [MANAGED, DROP_IN, "/home/u/.claude/remote-settings.json", "/home/.claude/settings.json"])
def test_rules_of_every_scope(file: str) -> None:
    found = permission_rules(SCENE, ("claude",), SimulatedWorld({file: '{"permissions": {"ask": ["Read"]}}'}))
    assert [(rule.tool, rule.pattern) for rule in found] == [("Read", None)]
    with pytest.raises(Unreadable):
        permission_rules(SCENE, ("claude",), SimulatedWorld({file: "{"}))


def test_managed_preferences_cannot_be_read() -> None:
    preferences = "/Library/Managed Preferences/com.anthropic.claudecode.plist"
    with pytest.raises(Unreadable):
        permission_rules(SCENE, ("claude",), SimulatedWorld({preferences: "x"}))
