"""Scenarios for OpenCode and the clients that are built from it: the results of each answer and each failure, on disk and in what
the model receives.
"""

import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import pytest

from e2e import clients
from e2e.conftest import SANDBOXES
from e2e.host_scenarios import FAULTS
from e2e.served_session import PASS_ON, ServedSandbox, serve
from toolgate.canary import ROWS, Trial, load_proof
from toolgate.canary.client import Client
from toolgate.canary.host_proof import INNER_TASK, TOKEN
from toolgate.canary.scripted_server import ScriptedCall, ScriptedTurn
from toolgate.hosts.capabilities import Capabilities, load_capabilities
from toolgate.install import own_command
from toolgate.transport.running_daemons import find_daemons, stop_daemon

RULE = re.compile(r"\[[a-z]+\.[a-z-]+\]")
"""The rule at the end of a reason."""


def bash(command: str, **fields: object) -> ScriptedCall:
    return ScriptedCall("bash", {"command": command, **fields})


class OpenCodeScenarios:
    """The conversations of a class share one start of the client and one home: the first finds no earlier policy in it, and the
    last uninstalls the gate."""

    CLIENT: Client
    PROGRAM: Callable[[], Path]

    def further_calls(self, served: ServedSandbox) -> Mapping[str, ScriptedCall]:
        """Returns calls whose names begin with `pass` or `stop`, as the gate should decide."""
        raise NotImplementedError

    @property
    def declared_capabilities(self) -> Capabilities:
        return load_capabilities(self.CLIENT.name)

    @pytest.fixture(scope="class")
    @classmethod
    def served_sandbox(cls) -> Iterator[ServedSandbox]:
        SANDBOXES.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=SANDBOXES, ignore_cleanup_errors=True) as root:
            with serve(cls.CLIENT, cls.PROGRAM(), os.environ["PATH"], Path(root)) as served:
                yield served
            for daemon in find_daemons(str(served.sandbox.home / ".cache" / "toolgate" / "run")):
                stop_daemon(daemon)

    def test_the_client_is_the_one_that_was_measured(self) -> None:
        assert clients.version(type(self).PROGRAM()) == self.declared_capabilities.version

    def test_the_proof_holds_in_every_row(self, tmp_path: Path) -> None:
        trial = Trial(own_command(), str(type(self).PROGRAM()), os.environ, str(tmp_path / "cache"), lambda _: None)
        proof = load_proof(self.CLIENT.name)(trial)
        assert proof.holds, proof.told
        offered = [row for row in ROWS if row != "background shells" or self.CLIENT.background]
        assert proof.rows == dict.fromkeys(offered, "held")
        faults = self.declared_capabilities.sections["faults"]
        assert {faults[fault] for fault in FAULTS} == {"held"}

    def test_a_policy_that_cannot_be_read_refuses(self, served_sandbox: ServedSandbox) -> None:
        served_sandbox.sandbox.policy("[rules\n")
        outcome = served_sandbox.talk(ScriptedTurn((bash("touch unjudged"),)))
        assert not (served_sandbox.sandbox.project / "unjudged").exists()
        assert "[policy.broken]" in outcome.results[0].text

    def test_what_each_answer_becomes(self, served_sandbox: ServedSandbox) -> None:
        sandbox, plugins = served_sandbox.sandbox, self.CLIENT.settings(served_sandbox.sandbox.home).parent
        home, project = sandbox.home, sandbox.project
        sandbox.policy('log = "decisions"\n[rules."git.force-push"]\nverdict = "warn"\n')
        (project / "notes").write_text(f"token = {TOKEN}\n")
        (project / "keys").write_text(f"key = {TOKEN}\n")
        calls = {
            "pass": bash("touch passed"),
            "stop: ask": bash(f"touch {home}/outside"),
            "stop: deny": bash("rm -rf ~"),
            "pass: warn": bash("git push --force; true"),
            "stop: its own folder": bash("touch here", workdir=str(home)),
            "stop: write": ScriptedCall("write", {"filePath": str(home / ".bashrc"), "content": "x"}),
            "stop: another plugin": ScriptedCall(
                "write", {"filePath": str(plugins / "mine.js"), "content": "export const A = 1"}
            ),
            "redact": bash("cat notes"),
            "redact a file": ScriptedCall("read", {"filePath": str(project / "keys")}),
            "stop: MCP": ScriptedCall("stub_peek", {"path": str(home / ".ssh" / "id_rsa")}),
            "redact MCP": ScriptedCall("stub_peek", {"path": str(project / "notes")}),
            **self.further_calls(served_sandbox),
            "pass: edit": ScriptedCall("edit", {"filePath": str(project / "keys"), "oldString": "key", "newString": "name"}),
        }
        *first, edit = calls.values()
        outcome = served_sandbox.talk(ScriptedTurn(tuple(first)), ScriptedTurn((edit,)))
        text_by_call = dict(zip(calls, (each.text for each in outcome.results), strict=True))
        ran = {
            name: text_by_call[name]
            for name in text_by_call
            if name.startswith("stop") and RULE.search(text_by_call[name]) is None
        }
        assert not ran, ran
        stopped = {
            name: text_by_call[name] for name in text_by_call if name.startswith("pass: ") and "Instead:" in text_by_call[name]
        }
        assert not stopped, stopped
        assert (project / "passed").exists()
        assert home.exists()
        assert [name for name in ("outside", "here", ".bashrc") if (home / name).exists()] == []
        assert not (plugins / "mine.js").exists()
        assert "outside the project" in text_by_call["stop: ask"]
        assert "lets no hook ask" in text_by_call["stop: ask"]
        assert "[filesystem.delete-protected]" in text_by_call["stop: deny"]
        assert ".bashrc" in text_by_call["stop: write"]
        assert "SECRET" not in text_by_call["stop: MCP"]
        assert TOKEN not in outcome.heard
        assert "token = " in text_by_call["redact"]
        assert "key = " in text_by_call["redact a file"]
        assert "token = " in text_by_call["redact MCP"]
        assert (project / "keys").read_text() == f"name = {TOKEN}\n"
        records = sandbox.records()
        assert any(each["verdict"] == "warn" for each in records)
        assert {each["host"] for each in records} == {self.CLIENT.name}
        assert {"bash", "write", "edit", "read", "stub_peek"} <= {each["tool"] for each in records}

    def test_an_agent_within_the_agent_is_judged_too(self, served_sandbox: ServedSandbox) -> None:
        assert self.CLIENT.agent is not None
        key = served_sandbox.sandbox.home / ".ssh" / "authorized_keys"
        inner = (ScriptedTurn((bash(f"mkdir -p ~/.ssh; echo key >> {key}"),)),)
        served_sandbox.sandbox.policy('log = "decisions"\n')
        earlier = len(served_sandbox.sandbox.records())
        served_sandbox.talk(*(ScriptedTurn((use,)) for use in self.CLIENT.agent(INNER_TASK)), threads={INNER_TASK: inner})
        assert not key.exists()
        records = served_sandbox.sandbox.records()[earlier:]
        assert [bool(each["agent"]) for each in records if each["verdict"] == "deny"] == [True]
        assert len({each["session"] for each in records}) == 1

    def test_a_call_in_plan_mode_reaches_the_gate(self, served_sandbox: ServedSandbox) -> None:
        (served_sandbox.sandbox.project / "plain").write_text("hello\n")
        read = ScriptedCall("read", {"filePath": str(served_sandbox.sandbox.project / "plain")})
        served_sandbox.sandbox.policy('log = "decisions"\n')
        earlier = len(served_sandbox.sandbox.records())
        served_sandbox.talk(ScriptedTurn((read,)), ScriptedTurn((bash("touch ~/.profile"),)), agent="plan")
        assert "read" in [each["tool"] for each in served_sandbox.sandbox.records()[earlier:]]
        assert not (served_sandbox.sandbox.home / ".profile").exists()
        assert self.declared_capabilities.sections["reach"]["plan mode"] == "yes"

    def test_a_rewritten_call_runs_as_it_was_rewritten(self, served_sandbox: ServedSandbox) -> None:
        served_sandbox.sandbox.policy("wrap_commands = true\n")
        (served_sandbox.sandbox.project / "notes").write_text(f"token = {TOKEN}\n")
        outcome = served_sandbox.talk(ScriptedTurn((bash("cat notes; touch ran"),)))
        assert (served_sandbox.sandbox.project / "ran").exists()
        assert TOKEN not in outcome.heard + outcome.output

    def test_when_the_gate_itself_breaks(self, served_sandbox: ServedSandbox) -> None:
        """The plugin starts the gate's program for each call, whatever has become of it. The proof tries the other failures."""
        scripts = {
            "bad output": FAULTS["bad output"],
            "no output": FAULTS["no output"],
            "unknown key": """echo '{"decision": "pass", "unheard-of": 1}'""",
        }
        turns = [
            ScriptedTurn((bash(f"touch '{fault}'"),), partial(served_sandbox.sandbox.stand_in, script))
            for fault, script in scripts.items()
        ]
        outcome = served_sandbox.talk(*turns)
        served_sandbox.sandbox.stand_in(PASS_ON)
        for fault, result in zip(scripts, outcome.results, strict=True):
            ran = (served_sandbox.sandbox.project / fault).exists()
            assert ran is (self.declared_capabilities.sections["faults"][fault] == "harmless"), fault
            assert ran or "toolgate doctor" in result.text

    def test_a_plugin_without_its_package_refuses_and_tells_why(self, served_sandbox: ServedSandbox) -> None:
        """The plugin belongs to another project: the client loads those of all scopes."""
        project = served_sandbox.sandbox.scratch.root / "broken"
        plugin = project / f".{self.CLIENT.name}" / "plugin" / "toolgate.js"
        plugin.parent.mkdir(parents=True)
        text = self.CLIENT.settings(served_sandbox.sandbox.home).read_text()
        plugin.write_text(text.replace("/clients/node/index.js", "/nowhere/index.js"))
        outcome = served_sandbox.talk(ScriptedTurn((bash("touch ran"),)), folder=project)
        assert not (project / "ran").exists()
        assert f"toolgate install {self.CLIENT.name}" in outcome.results[0].text

    def test_a_client_that_the_gate_was_taken_out_of_asks_nobody(self, served_sandbox: ServedSandbox) -> None:
        """The project is only opened then."""
        project = served_sandbox.sandbox.scratch.root / "later"
        project.mkdir()
        served_sandbox.sandbox.uninstall()
        assert not self.CLIENT.settings(served_sandbox.sandbox.home).exists()
        served_sandbox.sandbox.stand_in("exit 1")
        served_sandbox.talk(ScriptedTurn((bash("touch uninstalled"),)), folder=project)
        assert (project / "uninstalled").exists()
