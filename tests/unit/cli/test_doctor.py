"""Tests `toolgate doctor` on scratch homes: everything it checks, right and wrong."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from toolgate.cli import main
from toolgate.cli.tier import list_proven_hosts
from toolgate.install import own_command


@dataclass
class Machine:
    """A home with a project in it, and the report of `toolgate doctor` on them."""

    home: Path
    capsys: pytest.CaptureFixture[str]

    @property
    def settings(self) -> Path:
        return self.home / ".claude" / "settings.json"

    @property
    def audit(self) -> Path:
        return self.home / ".local" / "state" / "toolgate" / "audit"

    def toolgate(self, *words: str) -> tuple[int, str, str]:
        code = main(words)
        captured = self.capsys.readouterr()
        return code, captured.out, captured.err

    def doctor(self, *words: str) -> tuple[int, list[dict[str, str]]]:
        code, out, _ = self.toolgate("doctor", "--json", *words)
        checks: list[dict[str, str]] = json.loads(out)
        return code, checks

    def check(self, about: str, *words: str) -> dict[str, str]:
        """Returns the check on one topic; of several, the first."""
        return next(check for check in self.doctor(*words)[1] if check["about"] == about)

    def list_wrong(self, *words: str) -> list[str]:
        return [f"{check['found']}; {check['remedy']}" for check in self.doctor(*words)[1] if check["state"] == "wrong"]

    def spoil(self, change: Callable[[dict[str, Any]], object]) -> None:
        settings = json.loads(self.settings.read_text())
        change(settings)
        self.settings.write_text(json.dumps(settings))

    def program(self, name: str, text: str) -> Path:
        path = self.home / "bin" / name
        path.write_text(text)
        path.chmod(0o755)
        return path


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Machine:
    """A machine with no client on PATH, on which no agent starts toolgate."""
    for name in list(os.environ):
        if name.startswith(("CLAUDE", "XDG_", "TOOLGATE_")):
            monkeypatch.delenv(name)
    home, project = tmp_path / "home", tmp_path / "home" / "project"
    for folder in (home / ".claude", home / "bin", project):
        folder.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", str(home / "bin"))
    monkeypatch.chdir(project)
    monkeypatch.setattr("toolgate.machine.ancestry.PROC", str(tmp_path / "no-proc"))
    return Machine(home, capsys)


@pytest.fixture
def gated_machine(machine: Machine) -> Machine:
    assert machine.toolgate("install", "claude-code")[0] == 0
    return machine


# ---- how it is told


def test_a_whole_gate_has_nothing_wrong(gated_machine: Machine) -> None:
    code, checks = gated_machine.doctor()
    assert code == 0
    assert {check["state"] for check in checks} == {"fine", "note"}
    assert all(check.keys() == {"about", "state", "found", "remedy", "rows"} for check in checks)
    assert [check["about"] for check in checks] == [
        "toolgate",
        "client",
        "tier of claude-code",
        "wiring of claude-code",
        "limits of claude-code",
        "policy",
        "store",
        "audit",
    ]


def test_for_people_each_check_is_a_line_with_its_remedy(machine: Machine) -> None:
    code, out, err = machine.toolgate("doctor")
    assert (code, err) == (1, "")
    assert "wrong tier of claude-code: not registered: nothing is guarded; toolgate install claude-code" in out.splitlines()
    assert out.splitlines()[0].startswith("ok    toolgate: 0.")


def test_a_client_without_a_proof_is_wrong_usage(machine: Machine) -> None:
    code, _, err = machine.toolgate("doctor", "--client", "x")
    assert (code, "--client goes with --live" in err) == (64, True)


# ---- tier and wiring


def test_not_registered(machine: Machine) -> None:
    assert machine.doctor()[0] == 1
    assert machine.list_wrong() == [
        *(f"not registered: nothing is guarded; toolgate install {host}" for host in list_proven_hosts()),
        *(f"not registered in any settings file; toolgate install {host}" for host in list_proven_hosts()),
    ]


@pytest.mark.parametrize(("scope", "tier"), [("user", "user"), ("project", "project"), ("local", "local")])
def test_the_tier_names_the_settings(machine: Machine, scope: str, tier: str) -> None:
    machine.toolgate("install", "claude-code", "--scope", scope)
    assert machine.check("tier of claude-code") == {
        "about": "tier of claude-code",
        "state": "note",
        "found": f"registered in the {tier} settings: code that runs as you can remove it",
        "remedy": "",
        "rows": {},
    }
    assert machine.check("wiring of claude-code")["state"] == "fine"


def test_in_ones_own_home_the_settings_are_one_file(gated_machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(gated_machine.home)
    assert "registered in the user settings" in gated_machine.check("tier of claude-code")["found"]


def test_broken_settings_are_named_with_the_line(gated_machine: Machine) -> None:
    gated_machine.settings.write_text('{\n  "hooks": {},\n}')
    code, checks = gated_machine.doctor()
    assert code == 1
    broken = next(check for check in checks if check["about"] == f"{gated_machine.settings}:3")
    assert (broken["state"], broken["remedy"]) == ("wrong", "fix it in an editor")
    assert "the host drops the whole file" in broken["found"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda settings: settings["hooks"].pop("Stop"), "not registered for Stop; toolgate install claude-code"),
        (lambda settings: settings.update(disableAllHooks=True), "`disableAllHooks` switches every hook off"),
        (lambda settings: settings["hooks"]["Stop"][0]["hooks"][0].pop("onFailure"), "`onFailure` is not"),
    ],
)
def test_what_opens_the_gate_is_wrong(gated_machine: Machine, change: Callable[[dict[str, Any]], object], says: str) -> None:
    gated_machine.spoil(change)
    (wrong,) = gated_machine.list_wrong()
    assert says in wrong


@pytest.mark.parametrize(("version", "wrong"), [("2.1.197", True), ("2.1.295", False), ("2.1.328", False)])
def test_a_client_that_does_not_know_onfailure_is_wrong(gated_machine: Machine, version: str, wrong: bool) -> None:
    gated_machine.program("claude", f"#!/bin/sh\necho '{version} (Claude Code)'\n")
    message = f"{version} runs the call when the gate fails: it is older than 2.1.295; update it to 2.1.295 or later"
    assert gated_machine.list_wrong() == ([message] if wrong else [])


# ---- policy and audit


def test_a_broken_policy_is_wrong(gated_machine: Machine) -> None:
    policy = gated_machine.home / ".config" / "toolgate" / "policy.toml"
    policy.parent.mkdir(parents=True)
    policy.write_text("humn = true")
    assert gated_machine.doctor()[0] == 1
    assert "policy.toml:1: humn: unknown key; did you mean human?" in gated_machine.check("policy")["found"]


def test_a_lowered_floor_is_shown_with_its_reason(gated_machine: Machine) -> None:
    policy = gated_machine.home / ".config" / "toolgate" / "policy.toml"
    policy.parent.mkdir(parents=True)
    policy.write_text('[floors."gate.tamper"]\nverdict = "ask"\nreason = "this machine is where toolgate is written"\n')
    code, checks = gated_machine.doctor()
    assert code == 0
    notes = [check["found"] for check in checks if check["about"] == "policy" and check["state"] == "note"]
    assert notes == [f"{policy} lowers the floor of gate.tamper to ask: this machine is where toolgate is written"]


def test_the_audit_log_is_looked_at(gated_machine: Machine) -> None:
    assert gated_machine.check("audit")["found"] == f"{gated_machine.audit}: nothing is recorded yet"
    gated_machine.audit.mkdir(parents=True, mode=0o700)
    for day in ("2026-11-19", "2026-11-20"):
        (gated_machine.audit / f"{day}.jsonl").touch()
    assert gated_machine.check("audit")["found"] == f"{gated_machine.audit}: the last day is 2026-11-20.jsonl, of 2"


def test_a_log_that_cannot_be_written_is_wrong(gated_machine: Machine) -> None:
    gated_machine.audit.parent.mkdir(parents=True, exist_ok=True)
    gated_machine.audit.write_text("in the way")
    assert gated_machine.list_wrong() == [f"{gated_machine.audit} is no folder: decisions go on, unrecorded; take it away"]
    gated_machine.audit.unlink()
    gated_machine.audit.mkdir()
    gated_machine.audit.chmod(0o777)
    assert gated_machine.list_wrong() == [
        f"others may write to {gated_machine.audit}: decisions go on, unrecorded; chmod go-w {gated_machine.audit}"
    ]
    gated_machine.audit.chmod(0o700)
    assert gated_machine.list_wrong() == []


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unwritable for root")
def test_a_log_in_a_folder_of_others_is_wrong(gated_machine: Machine) -> None:
    gated_machine.audit.mkdir(parents=True)
    gated_machine.audit.chmod(0o500)
    assert gated_machine.list_wrong() == [
        f"{gated_machine.audit} cannot be written: decisions go on, unrecorded; chmod u+wx {gated_machine.audit}"
    ]


# ---- mending


def test_repair_registers_what_is_not_registered(machine: Machine) -> None:
    """Only the user can give the trust that a host requires."""
    _, out, _ = machine.toolgate("doctor", "--repair")
    assert f"+++ {machine.settings}" in out
    assert "ok    repair of claude-code: registered in the user settings" in out
    assert [each.partition(":")[0] for each in machine.list_wrong()] == ["the host skips what its user does not trust"]


def test_repair_mends_where_it_was_and_keeps_what_it_found(machine: Machine) -> None:
    machine.toolgate("install", "claude-code", "--scope", "local")
    local = machine.home / "project" / ".claude" / "settings.local.json"
    spoilt = local.read_text().replace('"onFailure": "block"', '"onFailure": "continue"')
    local.write_text(spoilt)
    assert len(machine.list_wrong()) > 1
    mended = machine.check("repair of claude-code", "--repair")
    assert mended["found"].startswith("registered in the local settings; what was there is kept: ")
    assert Path(mended["found"].rpartition(" ")[2]).read_text() == spoilt
    assert not machine.settings.exists()
    assert machine.list_wrong() == []


def test_repair_of_what_is_whole_changes_nothing(gated_machine: Machine) -> None:
    before = gated_machine.settings.read_bytes()
    for _ in range(2):
        assert gated_machine.check("repair of claude-code", "--repair")["found"] == "the user settings needed nothing"
    assert gated_machine.settings.read_bytes() == before
    assert not (gated_machine.audit.parent / "backups").exists()


def test_what_cannot_be_mended_is_said_and_the_rest_looked_at(gated_machine: Machine) -> None:
    gated_machine.settings.write_text("{ // mine\n}")
    code, checks = gated_machine.doctor("--repair")
    assert code == 1
    repair, *others = checks
    assert (repair["about"], repair["state"]) == ("repair of claude-code", "wrong")
    assert f"{gated_machine.settings}:1: a comment, which JSON does not allow" in repair["found"]
    assert len(others) > 5
    assert gated_machine.settings.read_text() == "{ // mine\n}"


def test_repair_is_refused_beneath_an_agent(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    code, out, err = machine.toolgate("doctor", "--repair")
    assert (code, out) == (77, "")
    assert "an agent may not repair its own gate: CLAUDECODE is set" in err
    assert not machine.settings.exists()
    assert machine.toolgate("doctor")[0] == 1  # looking is anybody's


# ---- proofs


def test_the_cases_that_ship_are_judged(gated_machine: Machine) -> None:
    judged = gated_machine.check("selftest", "--selftest")
    assert judged["state"] == "fine"
    assert int(judged["found"].split()[0]) > 300


def test_nothing_is_proved_where_nothing_is_registered(machine: Machine) -> None:
    assert machine.check("canary of claude-code", "--live")["found"] == "nothing is registered that could be proved"


def test_without_a_client_there_is_no_proof(gated_machine: Machine) -> None:
    code, checks = gated_machine.doctor("--live")
    assert code == 1
    assert checks[-1] == {
        "about": "canary of claude-code",
        "state": "wrong",
        "found": "the gate of the user settings: there is no program claude to prove it in",
        "remedy": "name it: toolgate doctor --live --client PATH",
        "rows": {},
    }


@pytest.mark.parametrize("named", ["on the path", "by the variable", "by the option"])
def test_the_client_is_found(gated_machine: Machine, monkeypatch: pytest.MonkeyPatch, named: str) -> None:
    """A client without any output is enough to see which one was started."""
    program = gated_machine.program("claude" if named == "on the path" else "another", "#!/bin/sh\necho 2.1.328; exit 7\n")
    if named == "by the variable":
        monkeypatch.setenv("CLAUDE_BIN", str(program))
    words = ("--client", str(program)) if named == "by the option" else ()
    found = gated_machine.check("canary of claude-code", "--live", *words)["found"]
    assert found == f"the gate of the user settings: {program} ended with 7 before everything was tried: 2.1.328"


def test_a_gate_that_a_project_names_is_not_started(machine: Machine) -> None:
    """The author of the project chose the program."""
    machine.toolgate("install", "claude-code", "--scope", "project")
    settings = machine.home / "project" / ".claude" / "settings.json"
    theirs = machine.program("toolgate-hook", f"#!/bin/sh\ntouch '{machine.home}/started'\n")
    text = settings.read_text().replace(json.dumps(own_command()[0]), json.dumps(str(theirs)))
    for word in own_command()[1:]:  # the twin's
        text = text.replace(f"{json.dumps(word)}, ", "")
    settings.write_text(text)
    client = machine.program("another", "#!/bin/sh\nexit 7\n")
    proof = machine.check("canary of claude-code", "--live", "--client", str(client))
    assert (proof["state"], proof["remedy"]) == ("note", "toolgate install claude-code")
    assert f"{theirs} of the project settings is not started" in proof["found"]
    assert not (machine.home / "started").exists()
