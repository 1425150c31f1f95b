"""Calls that ask, on a store that is really there: what a person allowed runs, exactly that, exactly as often."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from toolgate.consent.patterns import widen_targets
from toolgate.sessions.approval_answers import iter_requests, iter_valid_approvals, revoke_approval, store_answer
from unit.sessions.desk import CODE, NOW, Desk, desk_in


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return desk_in(tmp_path, 'ask_through = "code"\n')


FAR = "touch ~/elsewhere/x"


def test_the_person_gets_a_code_and_the_agent_does_not(desk: Desk) -> None:
    told = desk.bash(FAR)
    assert told.startswith("deny: ")
    assert "the user has been asked" in told
    assert "tgc-" not in told
    code = CODE.findall(desk.said) or re.findall(r"toolgate approve", desk.said)
    assert code
    assert desk.list_pending() == [FAR]
    assert code[0] not in (desk.state / "state.db").read_bytes().decode(errors="replace")


def test_a_yes_lets_exactly_one_run(desk: Desk) -> None:
    desk.bash(FAR)
    desk.answer()
    assert desk.bash(FAR) == "runs"
    assert "the user has been asked" in desk.bash(FAR)


@pytest.mark.parametrize("other", [f"{FAR} ", "touch ~/elsewhere/y", f"{FAR}; touch ~/more", f"cd / && {FAR}"])
def test_a_yes_is_for_this_call_to_the_character(desk: Desk, other: str) -> None:
    desk.bash(FAR)
    desk.answer()
    assert desk.bash(other).startswith("deny")
    assert desk.bash(FAR) == "runs"


def test_a_pattern_covers_what_is_alike(desk: Desk) -> None:
    desk.bash("touch ~/elsewhere/x")
    desk.answer(reach="session", like=f"{desk.home}/elsewhere/**")
    for covered in ("touch ~/elsewhere/x", "echo y > ~/elsewhere/deep/y", "cd ~/elsewhere; touch z; ls /"):
        assert desk.bash(covered) == "runs", covered


@pytest.mark.parametrize(
    "other",
    [
        "touch ~/other/x",
        "touch ~/elsewhere/../other/x",
        "touch ~/elsewhere/x ~/other/x",
        "rm -rf ~/elsewhere/x",
        "mv ~/elsewhere/x ~/elsewhere/y",
        "touch ~/elsewhere/$X",
        "touch ~/elsewhere/x; git push --force",
        "sh run.sh",
        "ln -s ~/.ssh ~/elsewhere/l; touch ~/elsewhere/l/x",
        "touch ~/elsewhere-too/x",
    ],
)
def test_a_pattern_covers_nothing_else(desk: Desk, other: str) -> None:
    """Another place, another effect, another rule, what is not known, and what a file says that may change."""
    (desk.project / "run.sh").write_text("touch ~/elsewhere/x\n")
    desk.bash("touch ~/elsewhere/x")
    desk.answer(reach="session", like=f"{desk.home}/elsewhere/**")
    assert desk.bash(other).startswith("deny"), other


def test_what_an_operation_does_has_no_pattern(desk: Desk) -> None:
    """It hangs on more than its target: the folder, the repository's settings."""
    desk.bash("docker system prune -af")
    (request,) = [each.request for each in iter_requests(desk.store, desk.now)]
    assert [each.what for each in request.targets] == [""]
    assert widen_targets(request.targets, "**") == ()


def test_a_pattern_is_of_a_session_at_least_and_its_own(desk: Desk) -> None:
    desk.bash("touch ~/elsewhere/x")
    desk.answer(reach="once", like=f"{desk.home}/elsewhere/**")
    assert desk.bash("touch ~/elsewhere/y").startswith("deny")
    desk.answer(reach="session", like=f"{desk.home}/elsewhere/**")
    desk.session = "s-2"
    assert desk.bash("touch ~/elsewhere/y").startswith("deny")


def test_a_yes_is_for_the_files_as_they_were(desk: Desk) -> None:
    script = desk.project / "run.sh"
    script.write_text("touch ~/elsewhere/x\n")
    desk.bash("sh run.sh")
    desk.answer()
    script.write_text("touch ~/elsewhere/x # and more\n")
    assert desk.bash("sh run.sh").startswith("deny")
    script.write_text("touch ~/elsewhere/x\n")
    assert desk.bash("sh run.sh") == "runs"


def test_a_yes_is_for_the_place_that_was_meant(desk: Desk) -> None:
    (desk.home / "elsewhere").mkdir()
    desk.bash(FAR)
    desk.answer()
    (desk.home / "elsewhere").rmdir()
    (desk.home / "elsewhere").symlink_to("/srv")
    assert desk.bash(FAR).startswith("deny")


def test_a_yes_is_for_the_agent_that_asked(desk: Desk) -> None:
    desk.bash(FAR)
    desk.answer()
    desk.agent = "another"
    assert desk.bash(FAR).startswith("deny")
    desk.agent = ""
    assert desk.bash(FAR) == "runs"


def test_parallel_sessions_never_see_each_others_yes(desk: Desk) -> None:
    desk.bash(FAR)
    desk.answer(reach="session")
    desk.session = "s-2"
    assert desk.bash(FAR).startswith("deny")
    desk.session = "s-1"
    assert desk.bash(FAR) == desk.bash(FAR) == "runs"


def test_a_session_that_ends_takes_its_yes_along_and_no_other(desk: Desk) -> None:
    for session in ("s-1", "s-2"):
        desk.session = session
        desk.bash(FAR)
    desk.answer(reach="session")
    desk.session, desk.now = "s-1", NOW + 1
    desk.hook("SessionEnd", reason="other")
    desk.now = NOW + 2
    assert desk.bash(FAR).startswith("deny")
    desk.session = "s-2"
    assert desk.bash(FAR) == "runs"


def test_a_resumed_session_cannot_use_up_a_yes_twice(desk: Desk) -> None:
    desk.bash(FAR)
    desk.answer()
    assert desk.bash(FAR) == "runs"
    desk.hook("SessionEnd", reason="other")
    desk.hook("SessionStart", source="resume")
    assert desk.bash(FAR).startswith("deny")


def test_a_project_may_be_allowed_until_a_date(desk: Desk) -> None:
    desk.bash(FAR)
    desk.answer(reach="project", until=NOW + 1000)
    for session, agent in (("s-1", ""), ("s-2", "x"), ("s-3", "")):
        desk.session, desk.agent = session, agent
        assert desk.bash(FAR) == "runs"
    desk.now = NOW + 1000
    assert desk.bash(FAR).startswith("deny")


def test_an_iteration_may_be_allowed(desk: Desk) -> None:
    desk.environ["NOUS_ITER_DIR"] = "/runs/7"
    desk.bash(FAR)
    desk.answer(reach="iteration")
    desk.session = "s-2"
    assert desk.bash(FAR) == "runs"
    desk.environ["NOUS_ITER_DIR"] = "/runs/8"
    assert desk.bash(FAR).startswith("deny")


def test_a_yes_expires(desk: Desk) -> None:
    desk.bash(FAR)
    desk.answer()
    desk.now = NOW + 3600
    assert desk.bash(FAR).startswith("deny")


def test_a_clock_set_back_makes_nothing_valid(desk: Desk) -> None:
    desk.bash(FAR)
    desk.answer()
    desk.now = NOW - 10
    assert desk.bash(FAR).startswith("deny")


def test_a_request_expires_too(desk: Desk) -> None:
    desk.bash(FAR)
    desk.now = NOW + 3600
    assert desk.list_pending() == []


def test_a_no_holds(desk: Desk) -> None:
    desk.bash(FAR)
    desk.answer(yes=False)
    assert "said no" in desk.bash(FAR)
    assert desk.list_pending() == []


def test_a_yes_can_be_taken_back(desk: Desk) -> None:
    desk.bash(FAR)
    desk.answer(reach="project")
    ((scope, id_, _),) = iter_valid_approvals(desk.store, NOW)
    assert revoke_approval(desk.store, scope, id_, NOW)
    assert not revoke_approval(desk.store, scope, id_, NOW)
    assert desk.bash(FAR).startswith("deny")


def test_a_second_answer_does_not_count(desk: Desk) -> None:
    desk.bash(FAR)
    (request,) = [each.request for each in iter_requests(desk.store, NOW)]
    assert store_answer(desk.store, request, yes=False, reach="once", now=NOW, how="terminal")
    assert not store_answer(desk.store, request, yes=True, reach="once", now=NOW, how="terminal")
    assert desk.bash(FAR).startswith("deny")


def test_asking_again_at_once_does_not_ask_the_user_again(desk: Desk) -> None:
    desk.bash(FAR)
    told = desk.bash(FAR)
    assert "has not answered yet" in told
    assert not CODE.search(desk.said)
    assert len(desk.list_pending()) == 1
    desk.now += 120
    desk.bash(FAR)
    assert len(desk.list_pending()) == 1


@pytest.mark.parametrize("command", ["rm -rf ~", "echo '{}' > ~/.claude/settings.json", 'echo {} > "$X/settings.json"'])
def test_what_is_denied_and_what_is_a_floor_cannot_be_approved(desk: Desk, command: str) -> None:
    assert desk.bash(command).startswith("deny")
    assert desk.list_pending() == []


def test_a_yes_waives_what_it_named_and_nothing_that_comes_to_it(desk: Desk) -> None:
    desk.bash(FAR)
    desk.answer(reach="project")
    desk.policy('ask_through = "code"\n[[rule]]\nid = "mine"\non = {program = "touch"}\nverdict = "ask"\nreason = "Mine."\n')
    desk.session = "s-2"
    assert "Mine." in desk.bash(FAR)


def test_of_racing_calls_one_has_it(desk: Desk) -> None:
    desk.bash(FAR)
    desk.answer()
    desks = [Desk(desk.root) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda each: each.bash(FAR), desks * 2))
    assert answers.count("runs") == 1


def test_nobody_there_nothing_to_approve(desk: Desk) -> None:
    desk.bash(FAR)
    desk.answer(reach="project")
    desk.policy('profile = "ci-headless"\n')
    desk.session = "s-2"
    assert desk.bash(FAR).startswith("deny")
    assert desk.list_pending() == []


def test_where_the_client_asks_by_itself_it_is_left_to_it(desk: Desk) -> None:
    desk.policy("")
    assert desk.bash(FAR).startswith("ask: ")
    assert desk.list_pending() == []


def test_where_nobody_sits_at_the_client_a_terminal_can_answer(desk: Desk) -> None:
    desk.policy("")
    desk.environ["CLAUDE_CODE_ENTRYPOINT"] = "sdk-cli"
    assert desk.bash(FAR).startswith("deny: ")
    assert "type:  approve" not in desk.said
    desk.answer()
    assert desk.bash(FAR) == "runs"


def test_a_call_without_a_session_cannot_be_bound_to_one(desk: Desk) -> None:
    desk.session = ""
    assert "Nobody can be asked" in desk.bash(FAR)
    desk.policy('ask_through = "code"\non_missing_context = "warn"\n')
    assert desk.bash(FAR).startswith("runs")
    assert desk.bash("rm -rf ~").startswith("deny")


# ---- the store


def break_store(desk: Desk) -> None:
    desk.state.mkdir(parents=True, exist_ok=True)
    (desk.state / "state.db").mkdir()


def mend_store(desk: Desk) -> None:
    (desk.state / "state.db").rmdir()


def test_what_needs_no_state_is_decided_without_it(desk: Desk) -> None:
    break_store(desk)
    assert desk.bash("git status") == "runs"
    assert desk.bash("rm -rf ~").startswith("deny")


def test_no_yes_is_assumed_where_the_store_fails_and_it_recovers(desk: Desk) -> None:
    break_store(desk)
    assert "nothing can be approved" in desk.bash(FAR)
    mend_store(desk)
    desk.bash(FAR)
    desk.answer()
    assert desk.bash(FAR) == "runs"


def test_the_policy_says_what_a_broken_store_means(desk: Desk) -> None:
    desk.policy('ask_through = "code"\non_store_error = "warn"\n')
    break_store(desk)
    assert desk.bash(FAR).startswith("runs")
    assert "on_store_error" in desk.said
    assert desk.bash("rm -rf ~").startswith("deny")
    assert desk.bash('echo {} > "$X/settings.json"').startswith("deny")


def test_the_clients_own_question_needs_no_store(desk: Desk) -> None:
    desk.policy("")
    break_store(desk)
    assert desk.bash(FAR).startswith("ask: ")


def test_a_damaged_file_gives_no_yes(desk: Desk) -> None:
    desk.bash(FAR)
    desk.answer(reach="project")
    for path in desk.state.glob("state.db*"):
        path.write_bytes(b"no database" * 1000)
    assert "nothing can be approved" in Desk(desk.root).bash(FAR)
    assert "the user has been asked" in Desk(desk.root).bash(FAR)


@pytest.mark.parametrize("command", ["git status", "ls", "echo x > notes.txt", "rm -rf build"])
def test_a_call_that_passes_opens_no_store(desk: Desk, command: str) -> None:
    assert desk.bash(command) == "runs"
    assert not (desk.state / "state.db").exists()
