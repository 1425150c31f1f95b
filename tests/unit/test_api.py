"""Tests the gate in a program's own process."""

import ast
import asyncio
import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import toolgate.api as api
from toolgate.api import Context, Gate, Spawn, Verdict
from toolgate.model.event import NO_SPAWN


def context(folder: Path, spawn: Spawn = NO_SPAWN) -> Context:
    return Context(str(folder / "project"), str(folder), {"TOOLGATE_HOME": str(folder / "gate")}, spawn=spawn)


def test_a_call_is_judged(tmp_path: Path) -> None:
    gate = Gate(context=context(tmp_path))
    assert gate.judge("Bash", {"command": "ls"}).verdict is Verdict.PASS
    assert gate.judge("Bash", {"command": "git push --force"}).verdict is Verdict.ASK
    assert gate.judge("Write", {"file_path": "/etc/passwd", "content": "x"}).verdict is Verdict.DENY
    assert asyncio.run(gate.judge_async("Bash", {"command": "rm -rf /"})).verdict is Verdict.DENY
    unread = gate.judge("Bash", {})
    assert (unread.verdict, unread.tell_agent) == (Verdict.DENY, "toolgate cannot read this call: Bash: `command` is missing")


def test_where_it_runs_counts(tmp_path: Path) -> None:
    gate = Gate(context=context(tmp_path))
    assert gate.judge("Bash", {"command": "rm -rf build"}).verdict is Verdict.PASS
    assert gate.judge("Bash", {"command": "rm -rf build"}, cwd="/usr").verdict is Verdict.DENY


def test_the_profile_and_the_host_are_the_programs(tmp_path: Path) -> None:
    assert (
        Gate(profile="ci-headless", context=context(tmp_path)).judge("Bash", {"command": "git push -f"}).verdict is Verdict.DENY
    )
    assert Gate(context=context(tmp_path), host="copilot").judge("bash", {"command": "rm -rf /"}).verdict is Verdict.DENY
    with pytest.raises(KeyError, match="there is no profile 'nothing'"):
        Gate(profile="nothing", context=context(tmp_path))


def test_whom_it_started_counts(tmp_path: Path) -> None:
    write = {"file_path": str(tmp_path / "project" / "src" / "a.py"), "content": "x"}
    coordinator, agent = (context(tmp_path, Spawn("ann", role)) for role in ("coordinator", "agent"))
    assert Gate(profile="squad", context=coordinator).judge("Write", write).verdict is Verdict.DENY
    assert Gate(profile="squad", context=agent).judge("Write", write).verdict is Verdict.PASS


@pytest.mark.parametrize("kind", [list, tuple])
def test_what_it_may_write_may_be_any_sequence(tmp_path: Path, kind: type) -> None:
    spawn = Spawn("ann", "agent", writes=kind(("src/**",)), reads=kind(("docs/a.md",)))
    gate = Gate(profile="squad", context=context(tmp_path, spawn))
    allowed, denied = (str(tmp_path / "project" / name) for name in ("src/a.py", "docs/a.md"))
    assert gate.judge("Write", {"file_path": allowed, "content": "x"}).verdict is Verdict.PASS
    found = gate.judge("Write", {"file_path": denied, "content": "x"})
    assert found.verdict is Verdict.DENY
    assert {each.rule for each in found.findings} >= {"team.write-outside-scope"}


def test_a_program_cannot_go_below_its_users_organisation(tmp_path: Path) -> None:
    """A profile that a program chooses lowers only what the organisation lets a user lower."""
    organisation = tmp_path / "gate" / "organisation" / "policy.toml"
    organisation.parent.mkdir(parents=True)
    organisation.write_text('[rules."git.force-push"]\nverdict = "deny"\n')
    gate = Gate(profile="observe", context=context(tmp_path))
    assert gate.judge("Bash", {"command": "git push --force"}).verdict is Verdict.DENY


def test_nothing_is_kept(tmp_path: Path) -> None:
    Gate(context=context(tmp_path)).judge("Bash", {"command": "rm -rf /"})
    assert not (tmp_path / "gate" / "state").exists()


def test_the_example_of_the_docstring_runs() -> None:
    code = inspect.cleandoc(inspect.getdoc(api) or "").split("\n\n")
    example = "\n".join(line.removeprefix("    ") for part in code for line in part.splitlines() if line.startswith("    "))
    result = subprocess.run([sys.executable, "-c", example], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert "git.force-push" in result.stdout


def test_the_examples_of_the_page_run_or_would(tmp_path: Path) -> None:
    """tests/e2e/test_sdks.py plays those with an SDK with other texts: here, their imports from toolgate exist."""
    text = (Path(__file__).parents[2] / "docs" / "embedding.md").read_text()
    first, *others = [part.partition("```")[0] for part in text.split("```python\n")[1:]]
    words = [sys.executable, "-c", first.replace("/work/api", str(tmp_path))]
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert "git.force-push" in result.stdout
    imported = [node for each in others for node in ast.walk(ast.parse(each)) if isinstance(node, ast.ImportFrom)]
    ours = [node for node in imported if str(node.module).startswith("toolgate")]
    assert len(ours) == 2 * len(others)
    for node in ours:
        module = import_module(str(node.module))
        assert all(hasattr(module, name.name) for name in node.names)


def test_everything_that_is_named_in_its_signatures_is_there() -> None:
    assert set(api.__all__) >= {"Gate", "Context", "Decision", "Verdict", "Finding", "Match"}
    assert all(hasattr(api, name) for name in api.__all__)
