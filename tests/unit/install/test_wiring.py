"""Tests what doctor finds in the settings of a host."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolgate.hosts import load_host
from toolgate.hosts.claude_code import settings as claude
from toolgate.hosts.claude_code.settings import is_own_handler
from toolgate.install import Problem, check_wiring

COMMAND = (sys.executable, "-I", "-m", "toolgate", "hook")
Settings = dict[str, Any]


class Machine:
    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "bin").mkdir()
        self.environ = {"PATH": str(root / "bin")}
        self.write("home", claude.register({}, COMMAND))

    def write(self, where: str, settings: object, name: str = "settings.json") -> None:
        path = self.root / where / ".claude" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(settings if isinstance(settings, str) else json.dumps(settings))

    def problems(self) -> list[Problem]:
        return check_wiring("claude-code", str(self.root / "home"), str(self.root / "project"), self.environ)

    def describe_problems(self) -> str:
        return "\n".join(f"{problem.where}: {problem.what}; {problem.remedy}" for problem in self.problems())

    def client(self, version: str) -> None:
        program = self.root / "bin" / "claude"
        program.write_text(f"#!/bin/sh\necho '{version}'\n")
        program.chmod(0o755)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_good_registration_has_no_problem(machine: Machine) -> None:
    assert machine.problems() == []


def change(path: str, value: object) -> Callable[[Settings], None]:
    def change_settings(settings: Settings) -> None:
        group = settings["hooks"]["PreToolUse"][0]
        target = group if path == "matcher" else group["hooks"][0]
        if value is None:
            del target[path]
        else:
            target[path] = value

    return change_settings


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (change("timeout", 600), "hooks.PreToolUse: `timeout` is not 10"),
        (change("timeout", None), "hooks.PreToolUse: `timeout` is not 10"),
        (change("onFailure", None), 'hooks.PreToolUse: `onFailure` is not "block"'),
        (change("matcher", "Bash"), "hooks.PreToolUse: a `matcher` keeps tools from the gate"),
        (change("if", "Bash(rm *)"), "hooks.PreToolUse: `if` keeps calls from the gate"),
        (change("async", True), "hooks.PreToolUse: `async`: the client does not wait"),
        (change("once", True), "hooks.PreToolUse: `once`"),
        (change("command", "/gone/python3"), "the hook command names /gone/python3, which is not there"),
        (change("command", "python3"), "the hook command python3 has no absolute path"),
        (change("onFailure", "deny"), '`onFailure` is not "continue" or "block": the host drops the whole file'),
        (lambda settings: settings.update(disableAllHooks=True), "`disableAllHooks` switches every hook off"),
        (lambda settings: settings["hooks"].pop("Stop"), "not registered for Stop; toolgate install claude-code"),
        (lambda settings: settings["hooks"].clear(), "not registered in any settings file"),
        (
            lambda settings: settings["hooks"]["Stop"].append(settings["hooks"]["Stop"][0]),
            "hooks.Stop: the gate is registered twice",
        ),
        (
            lambda settings: settings["hooks"].update(Stop=settings["hooks"]["PreToolUse"]),
            "hooks.Stop: the gate is called for PreToolUse",
        ),
    ],
)
def test_what_opens_the_gate_is_found(machine: Machine, spoil: Callable[[Settings], object], says: str) -> None:
    settings: Settings = json.loads(json.dumps(claude.register({}, COMMAND)))
    spoil(settings)
    machine.write("home", settings)
    assert says in machine.describe_problems()


def test_a_project_can_switch_it_off_and_that_is_found(machine: Machine) -> None:
    machine.write("project", {"disableAllHooks": True}, "settings.local.json")
    assert [problem.where for problem in machine.problems()] == [str(machine.root / "project/.claude/settings.local.json")]


@pytest.mark.parametrize("broken", ["{", "// x\n{}", '{"hooks": [],}', "[]"])
def test_a_file_that_the_client_drops_is_found(machine: Machine, broken: str) -> None:
    machine.write("project", broken)
    assert "the host drops the whole file" in machine.describe_problems()


@pytest.mark.parametrize("huge", ["[" * 5_000_000, '{"a": "' + "x" * 8_000_000 + '"'])
def test_a_huge_file_of_a_stranger_is_no_json_either(machine: Machine, huge: str) -> None:
    machine.write("project", huge)
    assert "it is no JSON" in machine.describe_problems()


def test_events_count_over_all_files(machine: Machine) -> None:
    settings: Settings = json.loads(json.dumps(claude.register({}, COMMAND)))
    stop = settings["hooks"].pop("Stop")
    machine.write("home", settings)
    machine.write("project", {"hooks": {"Stop": stop}})
    assert machine.problems() == []


@pytest.mark.parametrize(
    ("version", "says"),
    [
        ("2.1.328 (Claude Code)", ""),
        ("2.1.295 (Claude Code)", ""),
        ("2.1.197 (Claude Code)", "2.1.197 runs the call when the gate fails: it is older than 2.1.295; update it"),
        ("hello", "it does not tell its version"),
    ],
)
def test_an_old_client_is_open(machine: Machine, version: str, says: str) -> None:
    machine.client(version)
    assert says in machine.describe_problems()
    assert bool(says) == bool(machine.problems())


def test_which_files_can_unhook_the_gate() -> None:
    files = load_host("claude-code").settings_files("/home/ann", "/work/api", {})
    assert "/home/ann/.claude/settings.json" in files
    assert "/work/api/.claude/settings.local.json" in files
    assert "/etc/claude-code/managed-settings.d/" in files
    assert "/work/api/.claude/hooks/" in files
    moved = load_host("claude-code").settings_files("/home/ann", "/work/api", {"CLAUDE_CONFIG_DIR": "/elsewhere/"})
    assert "/elsewhere/settings.json" in moved
    assert not [file for file in moved if file.startswith("/home/ann")]


@pytest.mark.parametrize(
    ("words", "ours"),
    [
        (["/opt/x/bin/toolgate-hook", "claude-code", "Stop"], True),
        (["/usr/bin/python3", "-I", "-S", "/opt/lib/toolgate/transport/client.py", "claude-code", "Stop"], True),
        (["/x/python3.12", "-I", "-X", "utf8", "-m", "toolgate", "hook", "claude-code", "Stop"], True),
        (["/x/bin/toolgate", "hook", "claude-code", "Stop"], True),
        (["/x/bin/toolgate-hook", "TOOLGATE_ROLE=coordinator", "TOOLGATE_AGENT=Squad", "claude-code", "Stop"], True),
        (["/x/bin/toolgate", "hook", "TOOLGATE_ROLE=reviewer", "claude-code", "Stop"], True),
        (["/x/bin/toolgate-hook", "TOOLGATE_HOME=/", "claude-code", "Stop"], False),
        (["/x/bin/toolgate", "hook", "copilot", "Stop"], False),
        (["/x/bin/toolgate", "check", "claude-code", "Stop"], False),
        (["/x/bin/toolgate-hook", "claude-code", "Stop", "extra"], False),
        (["/usr/bin/python3", "/home/ann/client.py", "claude-code", "Stop"], False),
        (["/usr/bin/echo", "-m", "mytoolgate", "hook", "claude-code", "Stop"], False),
        (["hook", "claude-code", "Stop"], False),
        (["x"], False),
    ],
)
def test_a_command_of_ours_is_known_by_any_path(words: list[str], ours: bool) -> None:
    command, *arguments = words
    assert is_own_handler({"type": "command", "command": command, "args": arguments}) is ours
    assert is_own_handler({"type": "command", "command": " ".join(words)}) is ours


@pytest.mark.parametrize(
    "odd", [None, 3, {}, {"type": "command"}, {"type": "http", "url": "x"}, {"type": "command", "command": []}]
)
def test_what_is_no_handler_is_not_ours(odd: object) -> None:
    assert not is_own_handler(odd)
