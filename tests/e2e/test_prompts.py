"""Tests the host's own questions, answered by proof in the real client: what runs without a question, and what is still asked
about. Under `-p` nobody can answer, so a call that the client would ask about is refused.
"""

import json
import time
from pathlib import Path

import pytest

from e2e.claude_session import Sandbox, bash, turn
from e2e.scripted_day import asked_about
from toolgate import stores
from toolgate.canary.scripted_server import ScriptedCall
from toolgate.consent.approvals import build_grant
from toolgate.consent.grants import Clause, Deed
from toolgate.model.store import Scope
from toolgate.sessions.approval_answers import keep_answer

pytestmark = pytest.mark.e2e
SHELL = {"SHELL": "/bin/bash", "PATH": "/usr/local/bin:/usr/bin:/bin"}
READING = 'for f in a.txt src/m.py; do echo "== $f"; head -n 2 "$f"; done | wc -l; sed -n \'1,2p\' a.txt'


def policy(sandbox: Sandbox, text: str) -> None:
    path = sandbox.home / ".config" / "toolgate" / "policy.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def work(sandbox: Sandbox) -> None:
    (sandbox.project / "src").mkdir()
    (sandbox.project / "build").mkdir()
    (sandbox.project / "src" / "m.py").write_text("x = 1\n")
    (sandbox.project / "a.txt").write_text("hi\n")


def find_runs(sandbox: Sandbox, *uses: ScriptedCall, mode: str = "default") -> list[bool]:
    outcome = sandbox.talk(*(turn(use) for use in uses), mode=mode, environ=SHELL)
    assert len(outcome.results) == len(uses), outcome.output
    return [not result.refused for result in outcome.results]


@pytest.mark.parametrize(("key", "answered"), [("off", False), ("read-only", True)])
def test_reading_runs_unasked_where_the_policy_says_so(gated_sandbox: Sandbox, key: str, answered: bool) -> None:
    work(gated_sandbox)
    policy(gated_sandbox, f'answer_prompts = "{key}"\n')
    assert find_runs(gated_sandbox, bash(READING), bash("touch build/x"), bash("cat ~/.claude.json | head -1")) == [
        answered,
        False,
        False,
    ]


def test_the_persons_own_rules_and_modes_come_first(gated_sandbox: Sandbox) -> None:
    work(gated_sandbox)
    policy(gated_sandbox, 'answer_prompts = "read-only"\n')
    settings = json.loads(gated_sandbox.settings.read_text())
    gated_sandbox.settings.write_text(
        json.dumps({**settings, "permissions": {"deny": ["Read(./src/**)"], "ask": ["Bash(sed *)"]}})
    )
    assert find_runs(
        gated_sandbox, bash(READING), bash("head -n 1 src/m.py | wc -l"), bash("head -n 1 a.txt | wc -l; nl a.txt | nl")
    ) == [
        False,
        False,
        True,
    ]


def grant(sandbox: Sandbox, *clauses: Clause) -> None:
    store = stores.find_store("", str(sandbox.home / ".local" / "state" / "toolgate"))
    now = time.time()
    assert keep_answer(store, Scope("project", str(sandbox.project)), *build_grant(clauses, now, now + 86400, "n", "x"), now)
    store.close()


@pytest.mark.parametrize(("key", "asked"), [("", 13), ("read-only", 10), ("granted", 1)])
def test_a_task_of_the_scripted_day(program: Path, key: str, asked: int) -> None:
    """Counts the questions of twenty calls; ten grants answer nine of ten."""
    number, left = asked_about(program, key, tasks=1)
    assert number == asked, left


def test_what_was_granted_runs_unasked_and_nothing_else(gated_sandbox: Sandbox) -> None:
    work(gated_sandbox)
    policy(gated_sandbox, 'answer_prompts = "granted"\n')
    grant(gated_sandbox, Clause("touch", (), (Deed("write", f"{gated_sandbox.project}/build/*"),)))
    assert find_runs(
        gated_sandbox, bash("touch build/x && head -n 1 a.txt"), bash("touch src/x"), bash("touch build/x; curl -s localhost")
    ) == [
        True,
        False,
        False,
    ]
    assert Path(gated_sandbox.project / "build" / "x").exists()
