"""Installs and uninstalls on real files."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolgate.hosts import load_host
from toolgate.hosts.claude_code import settings as claude
from toolgate.install import Plan, apply_plan, check_wiring, own_command, plan_install, plan_uninstall
from toolgate.model.errors import SettingsError

EVENTS = load_host("claude-code").EVENTS


@dataclass
class Machine:
    """A home and a project of somebody who uses the client."""

    root: Path

    @property
    def home(self) -> str:
        return str(self.root / "home")

    @property
    def project(self) -> str:
        return str(self.root / "project")

    @property
    def backups(self) -> str:
        return str(self.root / "backups")

    @property
    def command(self) -> tuple[str, ...]:
        """An existing program, which the tests do not run."""
        return (str(self.root / "toolgate"), "hook")

    @property
    def user_file(self) -> Path:
        return Path(self.home, ".claude", "settings.json")

    def install(self, scope: str = "user", command: tuple[str, ...] = ()) -> Plan:
        plan = plan_install("claude-code", scope, self.home, self.project, {}, command or self.command)
        apply_plan(plan, self.backups)
        return plan

    def uninstall(self) -> Plan:
        plan = plan_uninstall("claude-code", ("user", "project", "local"), self.home, self.project, {})
        apply_plan(plan, self.backups)
        return plan


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    new_machine = Machine(tmp_path)
    new_machine.user_file.parent.mkdir(parents=True)
    Path(new_machine.project).mkdir()
    Path(new_machine.command[0]).touch(mode=0o755)
    return new_machine


THEIRS = """{
    "permissions": {"deny": ["Read(~/.ssh/**)"]},
    "hooks": {
        "PreToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "theirs.sh"}]}
        ],
        "Notification": []
    },   "model": "x" }"""


def test_what_is_registered(machine: Machine) -> None:
    machine.install()
    written = json.loads(machine.user_file.read_text())
    assert list(written["hooks"]) == list(EVENTS)
    assert written["hooks"]["Stop"] == [
        {
            "hooks": [
                {
                    "type": "command",
                    "command": machine.command[0],
                    "args": ["hook", "claude-code", "Stop"],
                    "timeout": 10,
                    "onFailure": "block",
                }
            ]
        }
    ]


def test_a_mention_of_a_file_of_credentials_is_kept_out_by_the_hosts_own_rules(machine: Machine) -> None:
    """No hook is called for a mention. `*` and `[x]` have the meaning of the host's own patterns."""
    machine.user_file.write_text(THEIRS)
    machine.install()
    theirs, *ours = json.loads(machine.user_file.read_text())["permissions"]["deny"]
    assert theirs == "Read(~/.ssh/**)"
    patterns = [rule.removeprefix("Read(").removesuffix(")") for rule in ours]
    secret = (
        "ssh/id_ed25519",
        "aws/credentials",
        "netrc",
        "kube/config",
        "git-credentials",
        "npmrc",
        "pypirc",
        "config/gh/hosts.yml",
    )
    plain = ("ssh/config", "ssh/id_ed25519.pub", "aws/config", "bashrc", "config/gh/config.yml", "claude/settings.json")
    assert [file for file in secret if not any(fnmatchcase(f"~/.{file}", pattern) for pattern in patterns)] == []
    assert [file for file in plain if any(fnmatchcase(f"~/.{file}", pattern) for pattern in patterns)] == []


def test_their_file_is_theirs_to_the_byte(machine: Machine) -> None:
    machine.user_file.write_text(THEIRS)
    plan = machine.install()
    assert [change.path for change in plan.changes] == [str(machine.user_file)]
    assert machine.user_file.read_text() != THEIRS
    machine.uninstall()
    assert machine.user_file.read_text() == THEIRS


def test_installing_twice_changes_nothing(machine: Machine) -> None:
    machine.user_file.write_text(THEIRS)
    machine.install()
    once = machine.user_file.read_bytes()
    assert machine.install().changes == ()
    assert machine.user_file.read_bytes() == once


def test_a_file_of_ours_is_made_and_removed(machine: Machine) -> None:
    for scope in ("user", "project", "local"):
        machine.install(scope)
    plan = machine.uninstall()
    assert len(plan.changes) == 3
    assert not machine.user_file.exists()
    assert machine.uninstall().changes == ()


def test_an_older_entry_is_replaced(machine: Machine) -> None:
    machine.user_file.write_text(THEIRS)
    machine.install()
    machine.install(command=(sys.executable, "-I", "-m", "toolgate", "hook"))
    written = machine.user_file.read_text()
    assert claude.list_commands(json.loads(written)) == ((sys.executable, "-I", "-m", "toolgate", "hook"),)
    assert len(claude.find_own_entries(json.loads(written))) == len(EVENTS) + len(claude.permission_additions())
    machine.uninstall()
    assert machine.user_file.read_text() == THEIRS


def test_the_backup_holds_what_was_there_for_the_owner_only(machine: Machine) -> None:
    machine.user_file.write_text(THEIRS)
    plan = plan_install("claude-code", "user", machine.home, machine.project, {}, machine.command)
    (backup,) = apply_plan(plan, machine.backups)
    assert Path(backup).read_text() == THEIRS
    assert Path(backup).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ('{\n  // mine\n  "model": "x"\n}', 2, "a comment"),
        ('{"model": "x",\n}', 2, "a comma before the closing }"),
        ("", 1, "a value is missing"),
        ('{\n\n"a": 1, "a": 2}', 3, "stands there twice"),
        ("[]", 1, "not a JSON object"),
        ("\xff", None, ""),
        ('{"hooks": []}', None, "`hooks` is not an object"),
        (
            '{"hooks": {"PreToolUse": [{"type": "command", "command": "x"}]}}',
            None,
            "`hooks.PreToolUse[0]`: it has no list `hooks`",
        ),
        ('{"permissions": {"deny": "Bash"}}', None, "`permissions.deny` is not a list"),
    ],
)
def test_what_the_client_would_not_take_is_refused(machine: Machine, text: str, line: int | None, says: str) -> None:
    machine.user_file.write_bytes(text.encode("latin-1"))
    with pytest.raises(SettingsError) as refused:
        machine.install()
    assert says in str(refused.value)
    assert str(refused.value).startswith(f"{machine.user_file}:{line}: " if line else str(machine.user_file))
    assert "nothing was changed" in str(refused.value)
    assert machine.user_file.read_bytes() == text.encode("latin-1")


def test_a_hook_that_the_client_leaves_out_is_told(machine: Machine) -> None:
    machine.user_file.write_text('{"hooks": {"Notification": [{"hooks": [{"type": "nosuch"}]}]}}')
    note, _about_host_rules = machine.install().notes
    assert note.startswith(f"{machine.user_file}: `hooks.Notification[0]`: `hooks[0]`: `type` is none of")
    assert note.endswith("; the host leaves it out")


@pytest.mark.parametrize("scope", ["launcher", "nonsense"])
def test_a_scope_that_cannot_be_edited_says_so(machine: Machine, scope: str) -> None:
    with pytest.raises(SettingsError, match="use one of user, project, local"):
        machine.install(scope)


@pytest.mark.parametrize("command", [("python3", "hook"), ("/gone/python3", "hook"), ("/bin/sh", "-m", "toolgate", "hook")])
def test_a_hook_that_could_not_start_is_not_registered(machine: Machine, command: tuple[str, ...]) -> None:
    with pytest.raises(SettingsError):
        machine.install(command=command)
    assert not machine.user_file.exists()


def test_this_installation_can_be_registered(machine: Machine) -> None:
    machine.install(command=own_command())
    assert own_command() in claude.list_commands(json.loads(machine.user_file.read_text()))


def test_a_file_that_changed_in_the_meantime_is_left_alone(machine: Machine) -> None:
    plan = plan_install("claude-code", "user", machine.home, machine.project, {}, machine.command)
    machine.user_file.write_text("{}")
    with pytest.raises(SettingsError, match="changed in the meantime"):
        apply_plan(plan, machine.backups)
    assert machine.user_file.read_text() == "{}"


def test_a_file_kept_elsewhere_stays_a_link(machine: Machine) -> None:
    real = machine.root / "dotfiles.json"
    real.write_text(THEIRS)
    machine.user_file.symlink_to(real)
    machine.install()
    assert machine.user_file.is_symlink()
    assert len(claude.find_own_entries(json.loads(real.read_text()))) == len(EVENTS) + len(claude.permission_additions())
    machine.uninstall()
    assert real.read_text() == THEIRS


def test_a_person_gets_out_of_a_file_that_the_client_drops(machine: Machine) -> None:
    machine.install()
    void = json.loads(machine.user_file.read_text())
    void["permissions"] = {"deny": "Bash"}
    machine.user_file.write_text(json.dumps(void))
    machine.uninstall()
    assert claude.find_own_entries(json.loads(machine.user_file.read_text())) == ()


def test_a_strange_project_does_not_keep_a_person_in(machine: Machine) -> None:
    machine.install()
    strange = Path(machine.project, ".claude")
    strange.symlink_to(machine.user_file.parent)
    plan = machine.uninstall()
    assert not machine.user_file.exists()
    assert all(note.startswith("left alone: ") and "leads out of" in note for note in plan.notes)
    assert len(plan.notes) == 2
    with pytest.raises(SettingsError):
        machine.uninstall()


def test_the_config_folder_may_be_elsewhere(machine: Machine) -> None:
    environ = {"CLAUDE_CONFIG_DIR": f"{machine.home}/elsewhere"}
    plan = plan_install("claude-code", "user", machine.home, machine.project, environ, machine.command)
    assert [change.path for change in plan.changes] == [f"{machine.home}/elsewhere/settings.json"]


@pytest.mark.skipif(shutil.which("patch") is None, reason="patch is the judge here")
def test_the_diff_applies(machine: Machine) -> None:
    machine.user_file.write_text(THEIRS)
    plan = plan_install("claude-code", "user", machine.home, machine.project, {}, machine.command)
    subprocess.run(["patch", "-p0", "-d", "/"], input=plan.diff.encode(), check=True, capture_output=True)
    assert machine.user_file.read_bytes() == plan.changes[0].after


HANDLERS = st.sampled_from([{"type": "command", "command": "x"}, {"type": "http", "url": "http://127.0.0.1:1/"}])
GROUPS = st.fixed_dictionaries({"hooks": st.lists(HANDLERS, max_size=2)}, optional={"matcher": st.sampled_from(["Bash", "*"])})
FILES = st.fixed_dictionaries(
    {},
    optional={
        "hooks": st.dictionaries(st.sampled_from([*EVENTS[:3], "Notification", "NoSuchEvent"]), st.lists(GROUPS, max_size=2)),
        "model": st.text(max_size=5),
        "permissions": st.fixed_dictionaries({}, optional={"deny": st.lists(st.text(max_size=5), max_size=2)}),
    },
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(FILES, st.sampled_from([None, 1, 2, 4, "\t"]), st.sampled_from(["", "\n", "\r\n"]), st.booleans())
def test_out_again_gives_back_what_was_found(
    machine: Machine, value: object, indent: int | str | None, end: str, mark: bool
) -> None:
    text = ("\ufeff" if mark else "") + json.dumps(value, indent=indent).replace("\n", end or "\n") + end
    machine.user_file.write_bytes(text.encode())
    machine.install()
    assert check_wiring("claude-code", machine.home, machine.project, {"PATH": os.devnull}) == []
    machine.uninstall()
    assert machine.user_file.read_bytes() == text.encode()


def test_host_rules_are_left_out_where_that_is_said_and_stay_out(tmp_path: Path) -> None:
    def plan(host_rules: bool | None) -> Plan:
        return plan_install("claude-code", "user", str(tmp_path), str(tmp_path), {}, own_command(), host_rules)

    settings = tmp_path / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"permissions": {"deny": ["Read(./mine)"]}}\n')
    without = plan(False)
    assert any("--host-rules adds" in note for note in without.notes)
    apply_plan(without, str(tmp_path / "kept"))
    assert json.loads(settings.read_text())["permissions"]["deny"] == ["Read(./mine)"]
    assert plan(None).changes == ()
    with_rules = plan(True)
    assert any("--no-host-rules" in note for note in with_rules.notes)
    apply_plan(with_rules, str(tmp_path / "kept"))
    assert len(json.loads(settings.read_text())["permissions"]["deny"]) == 1 + len(claude.permission_additions())
    assert plan(None).changes == ()
    apply_plan(plan(False), str(tmp_path / "kept"))
    assert json.loads(settings.read_text())["permissions"]["deny"] == ["Read(./mine)"]


def test_host_rules_are_left_out_of_a_new_file(tmp_path: Path) -> None:
    plan = plan_install("claude-code", "user", str(tmp_path), str(tmp_path), {}, own_command(), False)
    apply_plan(plan, str(tmp_path / "kept"))
    assert "permissions" not in json.loads((tmp_path / ".claude" / "settings.json").read_text())
