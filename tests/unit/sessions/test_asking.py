"""Tests calls that ask, with a real store: what a person allowed runs, exactly that, exactly as often."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from toolgate.consent.patterns import widen_targets
from toolgate.sessions.approval_answers import iter_requests, iter_valid_approvals, revoke_approval, store_answer
from unit.sessions.simulated_client import CODE, NOW, SimulatedClient, client_in


@pytest.fixture
def client(tmp_path: Path) -> SimulatedClient:
    return client_in(tmp_path, 'ask_through = "code"\n')


FAR = "touch ~/elsewhere/x"


def test_the_person_gets_a_code_and_the_agent_does_not(client: SimulatedClient) -> None:
    answer = client.bash(FAR)
    assert answer.startswith("deny: ")
    assert "the user has been asked" in answer
    assert "tgc-" not in answer
    code = CODE.findall(client.said) or re.findall(r"toolgate approve", client.said)
    assert code
    assert client.list_pending() == [FAR]
    assert code[0] not in (client.state / "state.db").read_bytes().decode(errors="replace")


def test_a_yes_lets_exactly_one_run(client: SimulatedClient) -> None:
    client.bash(FAR)
    client.answer()
    assert client.bash(FAR) == "runs"
    assert "the user has been asked" in client.bash(FAR)


@pytest.mark.parametrize("other", [f"{FAR} ", "touch ~/elsewhere/y", f"{FAR}; touch ~/more", f"cd / && {FAR}"])
def test_a_yes_is_for_this_call_to_the_character(client: SimulatedClient, other: str) -> None:
    client.bash(FAR)
    client.answer()
    assert client.bash(other).startswith("deny")
    assert client.bash(FAR) == "runs"


def test_a_pattern_covers_what_is_alike(client: SimulatedClient) -> None:
    client.bash("touch ~/elsewhere/x")
    client.answer(reach="session", like=f"{client.home}/elsewhere/**")
    for covered in ("touch ~/elsewhere/x", "echo y > ~/elsewhere/deep/y", "cd ~/elsewhere; touch z; ls /"):
        assert client.bash(covered) == "runs", covered


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
def test_a_pattern_covers_nothing_else(client: SimulatedClient, other: str) -> None:
    """Another place, another effect, another rule, an unknown value, and a file's content that may change."""
    (client.project / "run.sh").write_text("touch ~/elsewhere/x\n")
    client.bash("touch ~/elsewhere/x")
    client.answer(reach="session", like=f"{client.home}/elsewhere/**")
    assert client.bash(other).startswith("deny"), other


def test_what_an_operation_does_has_no_pattern(client: SimulatedClient) -> None:
    """It depends on more than its target: the folder, the repository's settings."""
    client.bash("docker system prune -af")
    (request,) = [each.request for each in iter_requests(client.store, client.now)]
    assert [each.what for each in request.targets] == [""]
    assert widen_targets(request.targets, "**") == ()


def test_a_pattern_is_of_a_session_at_least_and_its_own(client: SimulatedClient) -> None:
    client.bash("touch ~/elsewhere/x")
    client.answer(reach="once", like=f"{client.home}/elsewhere/**")
    assert client.bash("touch ~/elsewhere/y").startswith("deny")
    client.answer(reach="session", like=f"{client.home}/elsewhere/**")
    client.session = "s-2"
    assert client.bash("touch ~/elsewhere/y").startswith("deny")


def test_a_yes_is_for_the_files_as_they_were(client: SimulatedClient) -> None:
    script = client.project / "run.sh"
    script.write_text("touch ~/elsewhere/x\n")
    client.bash("sh run.sh")
    client.answer()
    script.write_text("touch ~/elsewhere/x # and more\n")
    assert client.bash("sh run.sh").startswith("deny")
    script.write_text("touch ~/elsewhere/x\n")
    assert client.bash("sh run.sh") == "runs"


def test_a_yes_is_for_the_place_that_was_meant(client: SimulatedClient) -> None:
    (client.home / "elsewhere").mkdir()
    client.bash(FAR)
    client.answer()
    (client.home / "elsewhere").rmdir()
    (client.home / "elsewhere").symlink_to("/srv")
    assert client.bash(FAR).startswith("deny")


def test_a_yes_is_for_the_agent_that_asked(client: SimulatedClient) -> None:
    client.bash(FAR)
    client.answer()
    client.agent = "another"
    assert client.bash(FAR).startswith("deny")
    client.agent = ""
    assert client.bash(FAR) == "runs"


def test_parallel_sessions_never_see_each_others_yes(client: SimulatedClient) -> None:
    client.bash(FAR)
    client.answer(reach="session")
    client.session = "s-2"
    assert client.bash(FAR).startswith("deny")
    client.session = "s-1"
    assert client.bash(FAR) == client.bash(FAR) == "runs"


def test_a_session_that_ends_takes_its_yes_along_and_no_other(client: SimulatedClient) -> None:
    for session in ("s-1", "s-2"):
        client.session = session
        client.bash(FAR)
    client.answer(reach="session")
    client.session, client.now = "s-1", NOW + 1
    client.hook("SessionEnd", reason="other")
    client.now = NOW + 2
    assert client.bash(FAR).startswith("deny")
    client.session = "s-2"
    assert client.bash(FAR) == "runs"


def test_a_resumed_session_cannot_use_up_a_yes_twice(client: SimulatedClient) -> None:
    client.bash(FAR)
    client.answer()
    assert client.bash(FAR) == "runs"
    client.hook("SessionEnd", reason="other")
    client.hook("SessionStart", source="resume")
    assert client.bash(FAR).startswith("deny")


def test_a_project_may_be_allowed_until_a_date(client: SimulatedClient) -> None:
    client.bash(FAR)
    client.answer(reach="project", until=NOW + 1000)
    for session, agent in (("s-1", ""), ("s-2", "x"), ("s-3", "")):
        client.session, client.agent = session, agent
        assert client.bash(FAR) == "runs"
    client.now = NOW + 1000
    assert client.bash(FAR).startswith("deny")


def test_an_iteration_may_be_allowed(client: SimulatedClient) -> None:
    client.environ["NOUS_ITER_DIR"] = "/runs/7"
    client.bash(FAR)
    client.answer(reach="iteration")
    client.session = "s-2"
    assert client.bash(FAR) == "runs"
    client.environ["NOUS_ITER_DIR"] = "/runs/8"
    assert client.bash(FAR).startswith("deny")


def test_a_yes_expires(client: SimulatedClient) -> None:
    client.bash(FAR)
    client.answer()
    client.now = NOW + 3600
    assert client.bash(FAR).startswith("deny")


def test_a_clock_set_back_makes_nothing_valid(client: SimulatedClient) -> None:
    client.bash(FAR)
    client.answer()
    client.now = NOW - 10
    assert client.bash(FAR).startswith("deny")


def test_a_request_expires_too(client: SimulatedClient) -> None:
    client.bash(FAR)
    client.now = NOW + 3600
    assert client.list_pending() == []


def test_a_no_holds(client: SimulatedClient) -> None:
    client.bash(FAR)
    client.answer(yes=False)
    assert "said no" in client.bash(FAR)
    assert client.list_pending() == []


def test_a_yes_can_be_taken_back(client: SimulatedClient) -> None:
    client.bash(FAR)
    client.answer(reach="project")
    ((scope, id_, _),) = iter_valid_approvals(client.store, NOW)
    assert revoke_approval(client.store, scope, id_, NOW)
    assert not revoke_approval(client.store, scope, id_, NOW)
    assert client.bash(FAR).startswith("deny")


def test_a_second_answer_does_not_count(client: SimulatedClient) -> None:
    client.bash(FAR)
    (request,) = [each.request for each in iter_requests(client.store, NOW)]
    assert store_answer(client.store, request, yes=False, reach="once", now=NOW, how="terminal")
    assert not store_answer(client.store, request, yes=True, reach="once", now=NOW, how="terminal")
    assert client.bash(FAR).startswith("deny")


def test_asking_again_at_once_does_not_ask_the_user_again(client: SimulatedClient) -> None:
    client.bash(FAR)
    answer = client.bash(FAR)
    assert "has not answered yet" in answer
    assert not CODE.search(client.said)
    assert len(client.list_pending()) == 1
    client.now += 120
    client.bash(FAR)
    assert len(client.list_pending()) == 1


@pytest.mark.parametrize("command", ["rm -rf ~", "echo '{}' > ~/.claude/settings.json", 'echo {} > "$X/settings.json"'])
def test_what_is_denied_and_what_is_a_floor_cannot_be_approved(client: SimulatedClient, command: str) -> None:
    assert client.bash(command).startswith("deny")
    assert client.list_pending() == []


def test_a_yes_waives_what_it_named_and_nothing_that_comes_to_it(client: SimulatedClient) -> None:
    client.bash(FAR)
    client.answer(reach="project")
    client.policy('ask_through = "code"\n[[rule]]\nid = "mine"\non = {program = "touch"}\nverdict = "ask"\nreason = "Mine."\n')
    client.session = "s-2"
    assert "Mine." in client.bash(FAR)


def test_of_racing_calls_one_has_it(client: SimulatedClient) -> None:
    client.bash(FAR)
    client.answer()
    desks = [SimulatedClient(client.root) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda each: each.bash(FAR), desks * 2))
    assert answers.count("runs") == 1


def test_nobody_there_nothing_to_approve(client: SimulatedClient) -> None:
    client.bash(FAR)
    client.answer(reach="project")
    client.policy('profile = "ci-headless"\n')
    client.session = "s-2"
    assert client.bash(FAR).startswith("deny")
    assert client.list_pending() == []


def test_where_the_client_asks_by_itself_it_is_left_to_it(client: SimulatedClient) -> None:
    client.policy("")
    assert client.bash(FAR).startswith("ask: ")
    assert client.list_pending() == []


def test_where_nobody_sits_at_the_client_a_terminal_can_answer(client: SimulatedClient) -> None:
    client.policy("")
    client.environ["CLAUDE_CODE_ENTRYPOINT"] = "sdk-cli"
    assert client.bash(FAR).startswith("deny: ")
    assert "type:  approve" not in client.said
    client.answer()
    assert client.bash(FAR) == "runs"


def test_a_call_without_a_session_cannot_be_bound_to_one(client: SimulatedClient) -> None:
    client.session = ""
    assert "Nobody can be asked" in client.bash(FAR)
    client.policy('ask_through = "code"\non_missing_context = "warn"\n')
    assert client.bash(FAR).startswith("runs")
    assert client.bash("rm -rf ~").startswith("deny")


# ---- the store


def break_store(client: SimulatedClient) -> None:
    client.state.mkdir(parents=True, exist_ok=True)
    (client.state / "state.db").mkdir()


def mend_store(client: SimulatedClient) -> None:
    (client.state / "state.db").rmdir()


def test_what_needs_no_state_is_decided_without_it(client: SimulatedClient) -> None:
    break_store(client)
    assert client.bash("git status") == "runs"
    assert client.bash("rm -rf ~").startswith("deny")


def test_no_yes_is_assumed_where_the_store_fails_and_it_recovers(client: SimulatedClient) -> None:
    break_store(client)
    assert "nothing can be approved" in client.bash(FAR)
    mend_store(client)
    client.bash(FAR)
    client.answer()
    assert client.bash(FAR) == "runs"


def test_the_policy_says_what_a_broken_store_means(client: SimulatedClient) -> None:
    client.policy('ask_through = "code"\non_store_error = "warn"\n')
    break_store(client)
    assert client.bash(FAR).startswith("runs")
    assert "on_store_error" in client.said
    assert client.bash("rm -rf ~").startswith("deny")
    assert client.bash('echo {} > "$X/settings.json"').startswith("deny")


def test_the_clients_own_question_needs_no_store(client: SimulatedClient) -> None:
    client.policy("")
    break_store(client)
    assert client.bash(FAR).startswith("ask: ")


def test_a_damaged_file_gives_no_yes(client: SimulatedClient) -> None:
    client.bash(FAR)
    client.answer(reach="project")
    for path in client.state.glob("state.db*"):
        path.write_bytes(b"no database" * 1000)
    assert "nothing can be approved" in SimulatedClient(client.root).bash(FAR)
    assert "the user has been asked" in SimulatedClient(client.root).bash(FAR)


@pytest.mark.parametrize("command", ["git status", "ls", "echo x > notes.txt", "rm -rf build"])
def test_a_call_that_passes_opens_no_store(client: SimulatedClient, command: str) -> None:
    assert client.bash(command) == "runs"
    assert not (client.state / "state.db").exists()
