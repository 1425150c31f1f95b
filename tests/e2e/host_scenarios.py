"""Scenarios for the real client of each host: a few conversations with many calls, and their results on disk and in what the
model receives.
"""

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import pytest

from e2e import clients
from e2e.conftest import SANDBOXES
from e2e.host_session import HostSandbox
from toolgate.canary import Trial, load_proof
from toolgate.canary.client import Client, Scratch
from toolgate.canary.host_proof import INNER_TASK, LINGER, TOKEN
from toolgate.canary.scripted_server import ScriptedCall, ScriptedTurn
from toolgate.hosts.capabilities import Capabilities, load_capabilities
from toolgate.install import own_command
from toolgate.transport.running_daemons import find_daemons, stop_daemon

FAULTS: Mapping[str, str | None] = {
    "crash": "exit 1",
    "bad output": "echo '{'",
    "no output": "true",
    "hang": "exec sleep 60",
    "missing program": None,
}


class HostScenarios:
    """A host's module names its client, the event before a call, a refusing answer with an unknown key, and the calls that only
    its client has."""

    CLIENT: Client
    PROGRAM: Callable[[], Path]
    CALL_EVENT: str
    UNKNOWN_KEY: str

    def further_calls(self, sandbox: HostSandbox) -> Mapping[str, ScriptedCall]:
        """Returns calls whose names begin with `pass` or `stop`, as the gate should decide."""
        raise NotImplementedError

    @property
    def declared_capabilities(self) -> Capabilities:
        return load_capabilities(self.CLIENT.name)

    @property
    def path(self) -> str:
        return f"{clients.node()}:{os.environ['PATH']}"

    @pytest.fixture
    def sandbox(self) -> Iterator[HostSandbox]:
        SANDBOXES.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=SANDBOXES, ignore_cleanup_errors=True) as root:
            sandbox = HostSandbox(self.CLIENT, type(self).PROGRAM(), self.path, Scratch(Path(root))).prepare()
            yield sandbox
            for daemon in find_daemons(str(sandbox.home / ".cache" / "toolgate" / "run")):
                stop_daemon(daemon)

    def test_the_client_is_the_one_that_was_measured(self) -> None:
        assert clients.version(type(self).PROGRAM(), {**os.environ, "PATH": self.path}) == self.declared_capabilities.version

    def test_the_proof_holds_in_every_row(self, tmp_path: Path) -> None:
        trial = Trial(
            own_command(), str(type(self).PROGRAM()), {**os.environ, "PATH": self.path}, str(tmp_path / "cache"), lambda _: None
        )
        proof = load_proof(self.CLIENT.name)(trial)
        assert proof.holds, proof.told
        faults, result = self.declared_capabilities.sections["faults"], self.declared_capabilities.sections["result"]
        declared_open = {fault for fault in ("crash", "hang", "missing program") if faults[fault] == "open"}
        if result["redact"] == "none":
            declared_open.add("redaction")
        assert {row for row, came in proof.rows.items() if came != "held"} == declared_open

    def test_what_each_answer_becomes(self, sandbox: HostSandbox) -> None:
        home, project, shell = sandbox.home, sandbox.project, self.CLIENT.shell
        sandbox.policy('log = "decisions"\n[rules."git.force-push"]\nverdict = "warn"\n')
        (project / "notes").write_text(f"token = {TOKEN}\n")
        calls = {
            "pass": shell("touch passed"),
            "stop: ask": shell(f"touch {home}/outside"),
            "stop: deny": shell("rm -rf ~"),
            "pass: warn": shell("git push --force; touch warned"),
            "redact": shell(f"cat notes; {LINGER}"),
            "redact a failure": shell(f"cat notes; {LINGER}; false"),
            "stop: server": self.CLIENT.call_server("peek", path=str(home / ".ssh" / "id_rsa")),
            "redact server": self.CLIENT.call_server("peek", path=str(project / "notes")),
            **self.further_calls(sandbox),
        }
        outcome = sandbox.talk(*(ScriptedTurn((use,)) for use in calls.values()))
        assert len(outcome.results) == len(calls), outcome.output[-2000:]
        text_by_call = dict(zip(calls, (each.text for each in outcome.results), strict=True))
        assert (project / "passed").exists()
        assert (project / "warned").exists()
        assert home.exists()
        assert not (home / "outside").exists()
        assert "outside the project" in outcome.heard
        assert "[filesystem.delete-protected]" in text_by_call["stop: deny"]
        assert all("SECRET" not in text for text in text_by_call.values())
        redacts, failed = (
            self.declared_capabilities.sections["result"]["redact"],
            self.declared_capabilities.sections["result"]["failed calls"],
        )
        calls_with_token = {name for name, text in text_by_call.items() if TOKEN in text}
        assert calls_with_token == {
            *(("redact", "redact server") if redacts == "none" else ()),
            *(("redact a failure",) if failed == "shown raw" else ()),
        }
        unread = {name: text for name, text in text_by_call.items() if name.startswith("redact") and "token = " not in text}
        assert not unread, unread
        records = sandbox.records()
        refused = {each["tool"] for each in records if each["verdict"] in ("ask", "deny")}
        assert f"{self.CLIENT.server_prefix}peek" in refused
        assert any(each["verdict"] == "warn" for each in records)
        refused_by_gate = [
            name
            for name in text_by_call
            if name.startswith("stop") and (self.declared_capabilities.no_question or "ask" not in name)
        ]
        left = [name for name in refused_by_gate if "[" not in text_by_call[name]]
        assert not left, {name: text_by_call[name] for name in left}
        stopped = {name for name in text_by_call if name.startswith("pass") and "[filesystem" in text_by_call[name]}
        assert not stopped, {name: text_by_call[name] for name in stopped}

    def test_an_agent_within_the_agent_is_judged_too(self, sandbox: HostSandbox) -> None:
        assert self.CLIENT.agent is not None
        key = sandbox.home / ".ssh" / "authorized_keys"
        inner = (ScriptedTurn((self.CLIENT.shell(f"mkdir -p ~/.ssh; echo key >> {key}; touch {sandbox.project}/inside"),)),)
        sandbox.policy('log = "decisions"\n')
        sandbox.talk(*(ScriptedTurn((use,)) for use in self.CLIENT.agent(f"{INNER_TASK}: write")), threads={INNER_TASK: inner})
        assert not key.exists()
        assert not (sandbox.project / "inside").exists()
        assert len([each for each in sandbox.records() if each["verdict"] == "deny"]) == 1
        assert len({each["session"] for each in sandbox.records()}) == 1

    def test_when_the_gate_itself_breaks_and_when_it_is_taken_out(self, sandbox: HostSandbox) -> None:
        """The client starts the program for each call, whatever has become of it."""
        sandbox.install_stand_in("true")
        faults = {**FAULTS, "unknown key": self.UNKNOWN_KEY}

        def become(script: str | None) -> None:
            if script is None:
                sandbox.stand_in(None)
            else:
                sandbox.stand_in(f'case "$*" in *{self.CALL_EVENT}) {script};; esac')

        turns = [
            ScriptedTurn((self.CLIENT.shell(f"touch {number}"),), partial(become, faults[fault]))
            for number, fault in enumerate(faults)
        ]
        outcome = sandbox.talk(*turns, ScriptedTurn((self.CLIENT.shell("true"),), partial(become, "true")))
        assert len(outcome.results) == len(turns) + 1, outcome.output[-2000:]
        measured = {
            fault: ("harmless" if fault == "unknown key" else "held") if not (sandbox.project / str(number)).exists() else "open"
            for number, fault in enumerate(faults)
        }
        assert measured == dict(self.declared_capabilities.sections["faults"])
        become("echo no >&2; exit 2")
        sandbox.uninstall()
        sandbox.talk(ScriptedTurn((self.CLIENT.shell("touch uninstalled"),)))
        assert (sandbox.project / "uninstalled").exists()
