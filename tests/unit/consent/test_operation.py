"""Tests what an approval covers: every flag of the tool, the variables that choose programs, and the commits of a push."""

import subprocess
from pathlib import Path

import pytest

from toolgate.app import local_scene
from toolgate.consent.operation import digest_operation, render_canonical
from toolgate.consent.pushes import collect_pushed_commits
from toolgate.machine.world import MachineWorld
from toolgate.model.action import RunShell
from toolgate.model.decision import Verdict
from toolgate.model.effect import Carrier, Effects
from toolgate.model.event import ToolCall
from toolgate.model.word import known_word
from toolgate.understand import understand

SCENE = local_scene("/home/u/project", "/home/u", {"PATH": "/usr/bin"})


def digest_call(tool_input: dict[str, object], **environ: str) -> str:
    scene = SCENE._replace(environ={**SCENE.environ, **environ})
    call = ToolCall(scene, "Bash", "1", RunShell("git push --force"), {"command": "git push --force", **tool_input})
    return digest_operation(call, Effects(), ())


@pytest.mark.parametrize(
    "flags", [{"run_in_background": True}, {"dangerouslyDisableSandbox": True}, {"timeout": 600000}, {"some_flag_to_come": 1}]
)
def test_every_flag_of_the_tool_counts(flags: dict[str, object]) -> None:
    assert digest_call(flags) != digest_call({})


def test_what_only_describes_the_call_does_not_count() -> None:
    assert digest_call({"description": "Push the fix"}) == digest_call({"description": "Push"}) == digest_call({})


def test_the_variables_that_choose_programs_count_and_others_do_not() -> None:
    assert digest_call({}, PATH="/tmp/x:/usr/bin") != digest_call({})
    assert digest_call({}, GIT_SSH_COMMAND="x") != digest_call({})
    assert digest_call({}, COLUMNS="80") == digest_call({})


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    commit(tmp_path, "one")
    git(tmp_path, "branch", "other")
    return tmp_path


def git(folder: Path, *words: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    return subprocess.run(["git", *identity, *words], cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


def commit(folder: Path, text: str) -> None:
    git(folder, "commit", "-q", "--allow-empty", "-m", text)


def find_pushed_commits(folder: Path, command: str) -> dict[str, str]:
    scene = local_scene(str(folder), "/home/u", {})
    effects = understand(RunShell(command), scene, MachineWorld())
    return {name.partition(":")[2]: commit for name, commit in collect_pushed_commits(effects, str(folder), MachineWorld())}


def test_a_push_covers_the_commits_behind_its_branches(repository: Path) -> None:
    first = git(repository, "rev-parse", "HEAD")
    assert find_pushed_commits(repository, "git push --force") == {"refs/heads/main": first}
    commit(repository, "two")
    second = git(repository, "rev-parse", "HEAD")
    assert find_pushed_commits(repository, "git push --force") == {"refs/heads/main": second}
    assert find_pushed_commits(repository, "git push origin +other:release") == {
        "refs/heads/main": second,
        "refs/heads/other": first,
    }
    assert find_pushed_commits(repository, "git push --all --force") == {"refs/heads/main": second, "refs/heads/other": first}


def test_packed_references_detached_heads_and_other_work_trees_are_read(repository: Path, tmp_path: Path) -> None:
    first = git(repository, "rev-parse", "HEAD")
    git(repository, "pack-refs", "--all")
    assert find_pushed_commits(repository, "git push --force") == {"refs/heads/main": first}
    git(repository, "worktree", "add", "-q", str(tmp_path / "beside"), "other")
    assert find_pushed_commits(tmp_path / "beside", "git push --force") == {"refs/heads/other": first}
    git(repository, "checkout", "-q", "--detach")
    commit(repository, "two")
    second = git(repository, "rev-parse", "HEAD")
    assert find_pushed_commits(repository, "git push --force origin HEAD:main other") == {
        "HEAD": second,
        "refs/heads/other": first,
    }


@pytest.mark.parametrize("option", ["--all", "--branches", "--mirror", "--tags", "--follow-tags"])
def test_a_push_of_all_covers_every_branch_and_tag(repository: Path, option: str) -> None:
    first = git(repository, "rev-parse", "HEAD")
    git(repository, "tag", "v1")
    assert find_pushed_commits(repository, f"git push {option}") == dict.fromkeys(
        ("refs/heads/main", "refs/heads/other", "refs/tags/v1"), first
    )


def test_a_push_of_a_tag_covers_its_commit(repository: Path) -> None:
    first = git(repository, "rev-parse", "HEAD")
    git(repository, "tag", "v1")
    commit(repository, "two")
    assert find_pushed_commits(repository, "git push origin v1")["refs/tags/v1"] == first


DIFFERENT: list[tuple[object, object]] = [
    ((1, 23), (12, 3)),
    (("a", "b"), ("ab",)),
    (True, 1),
    (1, 1.0),
    ("1", 1),
    (None, "None"),
    ([1], (1,)),
    (Verdict.ASK, Verdict.DENY),
    (Carrier("sh", "-c"), Carrier("sh", "-l")),
    (frozenset({1}), frozenset({1, 2})),
    (frozenset({1, 23}), frozenset({12, 3})),
    ([1, 23], [12, 3]),
    ({"a": 1}, {"a": 2}),
    ({1: 2, 23: 4}, {1: 22, 3: 4}),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_values_have_different_texts(one: object, other: object) -> None:
    assert render_canonical(one) != render_canonical(other)


def test_the_text_of_unordered_values_has_an_order() -> None:
    names = [f"name{n}" for n in range(20)]
    assert render_canonical(frozenset(names)) == "{" + ",".join(map(repr, sorted(names))) + "}"
    assert render_canonical(dict.fromkeys(names, 1)) == render_canonical(dict.fromkeys(reversed(names), 1))
    shared = known_word("a")
    assert render_canonical((shared, shared)) == render_canonical((known_word("a"), known_word("a")))


def test_a_text_of_another_class_counts_as_its_text() -> None:
    class Name(str):
        __slots__ = ()

    assert render_canonical(Name("a")) == render_canonical("a")


def test_a_value_without_a_text_is_an_error() -> None:
    with pytest.raises(TypeError, match="object has no canonical text"):
        render_canonical(object())


def test_a_call_that_pushes_nothing_names_no_commits(repository: Path) -> None:
    assert find_pushed_commits(repository, "git status && git commit -m x") == {}
