"""Tests grants: what a person granted, what it covers, and what it never covers."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolgate.app import App
from toolgate.cli.allow import covered_stops
from toolgate.consent.approvals import build_grant
from toolgate.consent.grants import Clause, Deed, Grant, describe_clause, narrowest_clause
from toolgate.locate import make_zone_finder
from toolgate.model.action import EditFile, Replacement, RunShell, WriteFile
from toolgate.model.permission import HostRule
from toolgate.model.rule import Policy
from toolgate.model.store import Scope
from toolgate.prompts.proving import GRANTED, TESTS, Answered, Asked, prove
from toolgate.prompts.writers import read_test_command
from toolgate.session_places import find_session_places
from toolgate.sessions.approval_answers import iter_valid_approvals, keep_answer, revoke_approval
from unit.prompts.test_proving import PROJECT, SCENE, SETUP, world
from unit.sessions.keyboard import sit_down
from unit.sessions.simulated_client import SimulatedClient, client_in

CHANGING = "mkdir touch cp mv rm rmdir tee ln chmod sudo bash sed npm make pytest frobnicate python3 curl".split()
BUILD = {
    f"{PROJECT}/build/a.txt": "x",
    f"{PROJECT}/.git/hooks/pre-commit.sample": "x",
    **{f"/usr/bin/{name}": "" for name in CHANGING},
}


def proof(command: str, *clauses: Clause, rules: tuple[HostRule, ...] = (), more: dict[str, str] | None = None) -> Answered:
    here = world(files={**BUILD, **(more or {})})
    judgement = App(lambda: here).judge(RunShell(command), SCENE, Policy())
    zones_of = make_zone_finder(find_session_places(SCENE), here)
    grants = (Grant("g", 1.0, clauses),) if clauses else ()
    return prove(
        Asked(RunShell(command), "Bash", judgement.effects, judgement.decision, SCENE, here, zones_of, rules, SETUP, grants)
    )


def clauses(command: str) -> tuple[Clause, ...]:
    """Returns what `toolgate allow` would grant for a call."""
    return tuple(narrowest_clause(need, PROJECT) for need in proof(command).needs)


LIKE = [  # granted; covered by it; left to the host
    (
        "mkdir -p build/x",
        ["mkdir build/y", "mkdir -p build/y"],
        ["mkdir -p src/x", "mkdir -p x", "touch build/x", "mkdir -m 777 build/x"],
    ),
    (
        "touch build/x",
        ["touch build/y build/z", "ls && touch build/q"],
        ["touch build/s/x", "touch x", "touch ~/x", "touch build/.npmrc", "touch build/id_rsa"],
    ),
    (
        "echo x > build/log",
        ["echo y > build/l2"],
        ["echo x > log", "echo x > src/m.py", ": > build/log"],
    ),
    (
        "cp a.txt build/",
        ["cp src/m.py build/m.py"],
        ["cp a.txt src/", "cp -f a.txt build/", "cp ~/.ssh/id_rsa build/", "cp deploy/.env build/"],
    ),
    ("touch a.new", ["touch a.new"], ["touch b.new"]),
    ("git add src/m.py", ["git add a.txt"], ["git add -A", "git add deploy/.env", "git commit -m x"]),
    (
        "git commit -m x",
        ["git commit -m 'another text'"],
        ["git commit --amend -m x", "git commit", "git commit -a -m x", "git push"],
    ),
]


@pytest.mark.parametrize(("granted", "covered", "left"), LIKE, ids=lambda each: each if isinstance(each, str) else "")
def test_a_grant_covers_the_like_of_a_call_and_nothing_else(granted: str, covered: list[str], left: list[str]) -> None:
    grants = clauses(granted)
    assert proof(granted).reason == ""
    assert proof(granted, *grants).reason == GRANTED
    for command in covered:
        assert proof(command, *grants).doubt == "", command
    for command in left:
        assert proof(command, *grants).reason == "", command


@pytest.mark.parametrize(
    "command",
    [
        "git add -A",
        "frobnicate build/x",
        "rm -r build",
        "ln -s / build/l",
        "chmod 777 build/a.txt",
        "python3 -c 'print(1)'",
        "curl http://localhost/",
        "sudo touch build/x",
        "bash -c 'touch build/x'",
        "touch $X",
        "cp *.txt /tmp/",
        "touch .git/hooks/pre-commit",
        "echo x > .claude/settings.json",
        "touch ../x",
        "mv a.txt /tmp/x",
        "sed -i s/a/b/ build/a.txt",
        "npm install",
    ],
)
def test_nothing_can_be_granted_of_it(command: str) -> None:
    assert clauses(command) == ()


def test_a_hook_of_git_is_never_run_by_a_grant() -> None:
    grants = clauses("git commit -m x")
    assert proof("git commit -m x", *grants, more={f"{PROJECT}/.git/hooks/pre-commit": "#!/bin/sh\nrm x"}).reason == ""


def test_the_persons_own_rules_come_before_a_grant() -> None:
    grants = clauses("touch build/x")
    for tool, pattern in (("Bash", "touch *"), ("Edit", "build/**"), ("Write", None), ("Edit", "/build/x")):
        assert proof("touch build/x", *grants, rules=(HostRule(tool, pattern, PROJECT),)).reason == "", (tool, pattern)
    assert proof("echo x > build/x", *clauses("echo x > build/x"), rules=(HostRule("Bash", "touch *", PROJECT),)).reason == ""


def test_a_grant_for_edits_covers_the_folder() -> None:
    here = world(files=BUILD)
    zones_of = make_zone_finder(find_session_places(SCENE), here)

    def prove_edit(action: WriteFile | EditFile, tool: str, *grants: Grant) -> Answered:
        judgement = App(lambda: here).judge(action, SCENE, Policy())
        return prove(Asked(action, tool, judgement.effects, judgement.decision, SCENE, here, zones_of, (), SETUP, grants))

    first = prove_edit(EditFile(f"{PROJECT}/src/m.py", (Replacement("x", "y"),)), "Edit")
    grants = Grant("g", 1.0, tuple(narrowest_clause(need, PROJECT) for need in first.needs))
    assert grants.clauses == (Clause("Edit", (), (Deed("write", f"{PROJECT}/src/*"),)),)
    assert prove_edit(EditFile(f"{PROJECT}/src/n.py", (Replacement("", "y"),)), "Edit", grants).reason == GRANTED
    assert prove_edit(EditFile(f"{PROJECT}/a.txt", (Replacement("hi", "y"),)), "Edit", grants).reason == ""
    assert prove_edit(WriteFile(f"{PROJECT}/src/m.py", "y"), "Write", grants).reason == ""


def test_a_grant_covers_no_stopped_call() -> None:
    grants = (
        *clauses("touch build/x"),
        *clauses("mkdir -p src/x"),
        *clauses("git commit -m x"),
        Clause("make", test=("make", "test")),
    )
    assert list(covered_stops(grants, PROJECT)) == []
    everything = Clause("rm", ("-f",), (Deed("delete", f"{PROJECT}/**"),))
    assert list(covered_stops((everything,), PROJECT)) != []


def test_a_clause_is_told_in_full() -> None:
    lines = [line for clause in clauses("cp a.txt build/") for line in describe_clause(clause)]
    assert lines == [f"cp (without options): write {PROJECT}/build/*"]


# ---- the project's own tests


@pytest.mark.parametrize("command", ["pytest -q", "npm test", "python3 -m pytest tests/unit", "make test", "go test ./..."])
def test_a_test_command_is_known(command: str) -> None:
    assert read_test_command(command) == tuple(command.split())


@pytest.mark.parametrize(
    "command", ["npm install", "make", "make deploy", "pytest -q; ls", "pytest $X", "npm test > x", "pytest ../x", "pytest /x"]
)
def test_any_other_command_is_none(command: str) -> None:
    assert read_test_command(command) == ()


def test_exactly_the_test_command_that_was_granted_runs() -> None:
    grants = Clause("npm", test=("npm", "test"))
    assert proof("npm test", grants).reason == TESTS
    other = ("npm test -- --x", "npm test; ls", "npm test &", "X=1 npm test", "npm\ntest", "npm run build", "cd src && npm test")
    for command in other:
        assert proof(command, grants).reason == "", command


# ---- in a session


@pytest.fixture
def client(tmp_path: Path) -> Iterator[SimulatedClient]:
    client = client_in(tmp_path, 'answer_prompts = "granted"\n')
    (client.project / "build").mkdir()
    with subprocess.Popen(["claude"], executable="/bin/cat", stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        client.environ["CLAUDE_PID"] = str(process.pid)
        yield client
        assert process.stdin is not None
        process.stdin.close()


def grant(client: SimulatedClient, *clauses: Clause) -> None:
    answer = build_grant(clauses, client.now, client.now + 86400.0, "somebody", "x")
    assert keep_answer(client.store, Scope("project", str(client.project)), *answer, client.now)


def touch_clause(client: SimulatedClient) -> Clause:
    return Clause("touch", (), (Deed("write", f"{client.project}/build/*"),))


def test_a_grant_is_used_shown_and_revoked(client: SimulatedClient) -> None:
    assert client.bash("touch build/x") == "runs"
    grant(client, touch_clause(client))
    assert client.bash("touch build/x").startswith(
        "allow: toolgate: every effect is certain, and covered by what the user granted"
    )
    [(scope, id_, answer)] = iter_valid_approvals(client.store, client.now)
    assert answer.clauses == (touch_clause(client),)
    client.now += 1
    assert revoke_approval(client.store, scope, id_, client.now)
    assert client.bash("touch build/x") == "runs"


def test_a_grant_ends(client: SimulatedClient) -> None:
    grant(client, touch_clause(client))
    client.now += 86400.0
    assert client.bash("touch build/x") == "runs"


def test_a_grant_has_no_effect_where_only_reading_is_answered(client: SimulatedClient) -> None:
    grant(client, touch_clause(client))
    client.policy('answer_prompts = "read-only"\n')
    assert client.bash("touch build/x") == "runs"


def test_a_grant_for_tests_is_void_once_the_session_changed_anything(client: SimulatedClient) -> None:
    (client.project / "Makefile").write_text("test:\n\techo fine\n")
    client.environ["PATH"] = "/usr/bin:/bin"
    grant(client, Clause("make", test=("make", "test")))
    client.now += 1
    for _ in range(2):  # reading and testing change nothing
        assert client.bash("make test").startswith("allow: toolgate: the user granted this project's own test command")
        assert client.bash("ls && cat Makefile").startswith("allow")
    client.bash("touch build/x")
    client.now += 1
    assert client.bash("make test") == "runs"
    client.session = "s-2"
    assert client.bash("make test").startswith("allow")


def test_what_was_answered_is_on_record(client: SimulatedClient) -> None:
    client.bash("ls")
    client.bash("touch build/x")
    [file] = (client.state / "audit").glob("*.jsonl")
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    allowed = [line.get("allowed") for line in lines if "kind" not in line]
    assert allowed == ["every effect is certain: it only reads inside the project, or prints", None]


def test_nobody_grants_anything_without_a_terminal(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "toolgate", "allow", "--last"], capture_output=True, text=True, cwd=tmp_path, check=False,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert result.returncode != 0
    assert "a person has to be at a terminal" in result.stderr or "an agent may not grant anything" in result.stderr


def test_an_agent_may_not_grant_anything(client: SimulatedClient) -> None:
    assert client.bash("toolgate allow --last").startswith("deny")


def test_a_person_grants_what_the_last_call_did(client: SimulatedClient, monkeypatch: pytest.MonkeyPatch) -> None:
    client.now = time.time()
    client.bash("touch build/x && ls")
    client.bash("ls")
    client.bash("touch build/y")
    monkeypatch.chdir(client.project)
    environ = {"HOME": str(client.home), "PATH": "/usr/bin:/bin", "SHELL": "/bin/bash"}
    person = sit_down(environ, "allow", "--last")
    person.type(person.wait_for(r"Type (\d{4}) to grant it"))
    assert person.wait_for_exit() == 0, person.shown
    for line in (
        f"allows: touch (without options): write {client.project}/build/*",
        "it would have covered 2 of 3 calls on record",
        "of the shipped cases it covers none that is stopped",
        "granted; `toolgate approvals` shows it",
    ):
        assert line in person.shown
    client.now = time.time() + 1
    assert client.bash("touch build/z").startswith("allow")
    listing = sit_down(environ, "approvals")
    assert listing.wait_for_exit() == 0
    assert f"without the host's question: touch (without options): write {client.project}/build/*" in listing.shown


def test_a_person_grants_edits(client: SimulatedClient, monkeypatch: pytest.MonkeyPatch) -> None:
    client.now = time.time()
    tool_input = {"file_path": str(client.project / "build" / "x.py"), "content": "x = 1\n"}
    assert client.hook("PreToolUse", tool_name="Write", tool_input=tool_input, tool_use_id="t").stdout == ""
    monkeypatch.chdir(client.project)
    person = sit_down({"HOME": str(client.home), "PATH": "/usr/bin:/bin", "SHELL": "/bin/bash"}, "allow", "--last")
    person.type(person.wait_for(r"Type (\d{4}) to grant it"))
    assert person.wait_for_exit() == 0, person.shown
    assert f"allows: Write (without options): write {client.project}/build/*" in person.shown
    client.now = time.time() + 1
    assert '"allow"' in client.hook("PreToolUse", tool_name="Write", tool_input=tool_input, tool_use_id="t").stdout


def test_the_wrong_number_grants_nothing(client: SimulatedClient, monkeypatch: pytest.MonkeyPatch) -> None:
    client.now = time.time()
    client.bash("touch build/y")
    monkeypatch.chdir(client.project)
    person = sit_down({"HOME": str(client.home), "PATH": "/usr/bin:/bin"}, "allow", "--last")
    person.wait_for("to grant it")
    person.type("none")
    assert person.wait_for_exit() != 0
    assert list(iter_valid_approvals(client.store, time.time())) == []
