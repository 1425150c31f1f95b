"""What a person granted, what it covers, and what it never covers."""

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
from unit.sessions.desk import Desk, desk_in
from unit.sessions.keyboard import sit_down

CHANGING = "mkdir touch cp mv rm rmdir tee ln chmod sudo bash sed npm make pytest frobnicate python3 curl".split()
BUILD = {
    f"{PROJECT}/build/a.txt": "x",
    f"{PROJECT}/.git/hooks/pre-commit.sample": "x",
    **{f"/usr/bin/{name}": "" for name in CHANGING},
}


def proof(command: str, *given: Clause, rules: tuple[HostRule, ...] = (), more: dict[str, str] | None = None) -> Answered:
    here = world(files={**BUILD, **(more or {})})
    judgement = App(lambda: here).judge(RunShell(command), SCENE, Policy())
    zones_of = make_zone_finder(find_session_places(SCENE), here)
    grants = (Grant("g", 1.0, given),) if given else ()
    return prove(
        Asked(RunShell(command), "Bash", judgement.effects, judgement.decision, SCENE, here, zones_of, rules, SETUP, grants)
    )


def clauses(command: str) -> tuple[Clause, ...]:
    """What `toolgate allow` would grant for a call."""
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
    given = clauses(granted)
    assert proof(granted).reason == ""
    assert proof(granted, *given).reason == GRANTED
    for command in covered:
        assert proof(command, *given).doubt == "", command
    for command in left:
        assert proof(command, *given).reason == "", command


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
    given = clauses("git commit -m x")
    assert proof("git commit -m x", *given, more={f"{PROJECT}/.git/hooks/pre-commit": "#!/bin/sh\nrm x"}).reason == ""


def test_the_persons_own_rules_come_before_a_grant() -> None:
    given = clauses("touch build/x")
    for tool, pattern in (("Bash", "touch *"), ("Edit", "build/**"), ("Write", None), ("Edit", "/build/x")):
        assert proof("touch build/x", *given, rules=(HostRule(tool, pattern, PROJECT),)).reason == "", (tool, pattern)
    assert proof("echo x > build/x", *clauses("echo x > build/x"), rules=(HostRule("Bash", "touch *", PROJECT),)).reason == ""


def test_a_grant_for_edits_covers_the_folder() -> None:
    here = world(files=BUILD)
    zones_of = make_zone_finder(find_session_places(SCENE), here)

    def prove_edit(action: WriteFile | EditFile, tool: str, *given: Grant) -> Answered:
        judgement = App(lambda: here).judge(action, SCENE, Policy())
        return prove(Asked(action, tool, judgement.effects, judgement.decision, SCENE, here, zones_of, (), SETUP, given))

    first = prove_edit(EditFile(f"{PROJECT}/src/m.py", (Replacement("x", "y"),)), "Edit")
    given = Grant("g", 1.0, tuple(narrowest_clause(need, PROJECT) for need in first.needs))
    assert given.clauses == (Clause("Edit", (), (Deed("write", f"{PROJECT}/src/*"),)),)
    assert prove_edit(EditFile(f"{PROJECT}/src/n.py", (Replacement("", "y"),)), "Edit", given).reason == GRANTED
    assert prove_edit(EditFile(f"{PROJECT}/a.txt", (Replacement("hi", "y"),)), "Edit", given).reason == ""
    assert prove_edit(WriteFile(f"{PROJECT}/src/m.py", "y"), "Write", given).reason == ""


def test_a_grant_covers_no_stopped_call() -> None:
    given = (
        *clauses("touch build/x"),
        *clauses("mkdir -p src/x"),
        *clauses("git commit -m x"),
        Clause("make", test=("make", "test")),
    )
    assert list(covered_stops(given, PROJECT)) == []
    everything = Clause("rm", ("-f",), (Deed("delete", f"{PROJECT}/**"),))
    assert list(covered_stops((everything,), PROJECT)) != []


def test_a_clause_is_told_in_full() -> None:
    told = [line for clause in clauses("cp a.txt build/") for line in describe_clause(clause)]
    assert told == [f"cp (without options): write {PROJECT}/build/*"]


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
    given = Clause("npm", test=("npm", "test"))
    assert proof("npm test", given).reason == TESTS
    other = ("npm test -- --x", "npm test; ls", "npm test &", "X=1 npm test", "npm\ntest", "npm run build", "cd src && npm test")
    for command in other:
        assert proof(command, given).reason == "", command


# ---- in a session


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = desk_in(tmp_path, 'answer_prompts = "granted"\n')
    (made.project / "build").mkdir()
    with subprocess.Popen(["claude"], executable="/bin/cat", stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        made.environ["CLAUDE_PID"] = str(process.pid)
        yield made
        assert process.stdin is not None
        process.stdin.close()


def grant(desk: Desk, *given: Clause) -> None:
    answer = build_grant(given, desk.now, desk.now + 86400.0, "somebody", "x")
    assert keep_answer(desk.store, Scope("project", str(desk.project)), *answer, desk.now)


def touch_clause(desk: Desk) -> Clause:
    return Clause("touch", (), (Deed("write", f"{desk.project}/build/*"),))


def test_a_grant_is_used_shown_and_revoked(desk: Desk) -> None:
    assert desk.bash("touch build/x") == "runs"
    grant(desk, touch_clause(desk))
    assert desk.bash("touch build/x").startswith("allow: toolgate: every effect is certain, and covered by what the user granted")
    [(scope, id_, answer)] = iter_valid_approvals(desk.store, desk.now)
    assert answer.clauses == (touch_clause(desk),)
    desk.now += 1
    assert revoke_approval(desk.store, scope, id_, desk.now)
    assert desk.bash("touch build/x") == "runs"


def test_a_grant_ends(desk: Desk) -> None:
    grant(desk, touch_clause(desk))
    desk.now += 86400.0
    assert desk.bash("touch build/x") == "runs"


def test_a_grant_has_no_effect_where_only_reading_is_answered(desk: Desk) -> None:
    grant(desk, touch_clause(desk))
    desk.policy('answer_prompts = "read-only"\n')
    assert desk.bash("touch build/x") == "runs"


def test_a_grant_for_tests_is_void_once_the_session_changed_anything(desk: Desk) -> None:
    (desk.project / "Makefile").write_text("test:\n\techo fine\n")
    desk.environ["PATH"] = "/usr/bin:/bin"
    grant(desk, Clause("make", test=("make", "test")))
    desk.now += 1
    for _ in range(2):  # reading and testing change nothing
        assert desk.bash("make test").startswith("allow: toolgate: the user granted this project's own test command")
        assert desk.bash("ls && cat Makefile").startswith("allow")
    desk.bash("touch build/x")
    desk.now += 1
    assert desk.bash("make test") == "runs"
    desk.session = "s-2"
    assert desk.bash("make test").startswith("allow")


def test_what_was_answered_is_on_record(desk: Desk) -> None:
    desk.bash("ls")
    desk.bash("touch build/x")
    [file] = (desk.state / "audit").glob("*.jsonl")
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    said = [line.get("allowed") for line in lines if "kind" not in line]
    assert said == ["every effect is certain: it only reads inside the project, or prints", None]


def test_nobody_grants_anything_without_a_terminal(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "toolgate", "allow", "--last"], capture_output=True, text=True, cwd=tmp_path, check=False,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode != 0
    assert "a person has to be at a terminal" in done.stderr or "an agent may not grant anything" in done.stderr


def test_an_agent_may_not_grant_anything(desk: Desk) -> None:
    assert desk.bash("toolgate allow --last").startswith("deny")


def test_a_person_grants_what_the_last_call_did(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.now = time.time()
    desk.bash("touch build/x && ls")
    desk.bash("ls")
    desk.bash("touch build/y")
    monkeypatch.chdir(desk.project)
    environ = {"HOME": str(desk.home), "PATH": "/usr/bin:/bin", "SHELL": "/bin/bash"}
    person = sit_down(environ, "allow", "--last")
    person.type(person.wait_for(r"Type (\d{4}) to grant it"))
    assert person.wait_for_exit() == 0, person.shown
    for told in (
        f"allows: touch (without options): write {desk.project}/build/*",
        "it would have covered 2 of 3 calls on record",
        "of the shipped cases it covers none that is stopped",
        "granted; `toolgate approvals` shows it",
    ):
        assert told in person.shown
    desk.now = time.time() + 1
    assert desk.bash("touch build/z").startswith("allow")
    listing = sit_down(environ, "approvals")
    assert listing.wait_for_exit() == 0
    assert f"without the host's question: touch (without options): write {desk.project}/build/*" in listing.shown


def test_a_person_grants_edits(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.now = time.time()
    given = {"file_path": str(desk.project / "build" / "x.py"), "content": "x = 1\n"}
    assert desk.hook("PreToolUse", tool_name="Write", tool_input=given, tool_use_id="t").stdout == ""
    monkeypatch.chdir(desk.project)
    person = sit_down({"HOME": str(desk.home), "PATH": "/usr/bin:/bin", "SHELL": "/bin/bash"}, "allow", "--last")
    person.type(person.wait_for(r"Type (\d{4}) to grant it"))
    assert person.wait_for_exit() == 0, person.shown
    assert f"allows: Write (without options): write {desk.project}/build/*" in person.shown
    desk.now = time.time() + 1
    assert '"allow"' in desk.hook("PreToolUse", tool_name="Write", tool_input=given, tool_use_id="t").stdout


def test_the_wrong_number_grants_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.now = time.time()
    desk.bash("touch build/y")
    monkeypatch.chdir(desk.project)
    person = sit_down({"HOME": str(desk.home), "PATH": "/usr/bin:/bin"}, "allow", "--last")
    person.wait_for("to grant it")
    person.type("none")
    assert person.wait_for_exit() != 0
    assert list(iter_valid_approvals(desk.store, time.time())) == []
