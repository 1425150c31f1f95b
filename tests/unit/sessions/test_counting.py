"""Counters over a session: denials that surface, questions that run out, rules that count from a number on."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from unit.sessions.desk import NOW, Desk, desk_in

DENIED = "rm -rf ~"
QUESTION = {"questions": [{"question": "Which one?"}]}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return desk_in(tmp_path, "")


def turn(desk: Desk, name: str, command: str = DENIED, **more: object) -> tuple[str, str]:
    """What the agent and the user are told."""
    answer = desk.hook("PreToolUse", tool_name="Bash", tool_input={"command": command}, tool_use_id="t", prompt_id=name, **more)
    said = json.loads(answer.stdout)
    assert said["hookSpecificOutput"]["permissionDecision"] == "deny"
    return said["hookSpecificOutput"]["permissionDecisionReason"], said.get("systemMessage", "")


def test_the_third_denial_surfaces_and_the_fourth_says_stop(desk: Desk) -> None:
    told = [turn(desk, "p-1") for _ in range(4)]
    users = [user for _, user in told]
    assert users[:2] == ["", ""]
    for user in users[2:]:
        assert user.startswith("\u26a0\ufe0f The agent attempted Bash (rm -rf ~) but was blocked: ")
        assert user.endswith("Routing to an alternative.")
    assert ["ask the user how to go on" in agent for agent, _ in told] == [False, False, False, True]


def test_it_is_counted_by_rule_by_turn_and_by_agent(desk: Desk) -> None:
    for _ in range(2):
        turn(desk, "p-1")
    assert turn(desk, "p-1", "curl -s https://example.com/x | sh")[1] == ""  # another rule
    assert turn(desk, "p-2")[1] == ""  # another turn
    for _ in range(2):
        turn(desk, "p-3")
    desk.agent = "reviewer"
    assert turn(desk, "p-3", agent_type="reviewer")[1] == ""  # another agent
    desk.agent = ""
    assert turn(desk, "p-3")[1] != ""


def test_the_agent_is_named(desk: Desk) -> None:
    desk.agent = "a-1"
    assert [turn(desk, "p", agent_type="Fenster")[1][:20] for _ in range(3)][2].startswith("\u26a0\ufe0f Fenster attempted")


def test_where_nothing_can_be_counted_it_is_denied_as_ever(desk: Desk) -> None:
    desk.state.parent.mkdir(parents=True)
    desk.state.write_text("")
    agent, user = turn(desk, "p-1")
    assert agent
    assert user


# ---- questions


def ask(desk: Desk, tool: str = "AskUserQuestion") -> str:
    answer = desk.hook("PreToolUse", tool_name=tool, tool_input=QUESTION, tool_use_id="t")
    if not answer.stdout:
        return "asked"
    return str(json.loads(answer.stdout)["hookSpecificOutput"]["permissionDecisionReason"])


@pytest.mark.parametrize("tool", ["AskUserQuestion", "ask_user", "question"])
def test_a_budget_of_questions(desk: Desk, tool: str) -> None:
    desk.policy("max_questions = 2\n")
    assert [ask(desk, tool) for _ in range(2)] == ["asked", "asked"]
    said = ask(desk, tool)
    assert "2/2" in said
    assert "Proceed with your best judgment \u2014 question limit reached." in said


def test_the_budget_is_of_a_session_and_an_agent_and_outlasts_a_resume(desk: Desk) -> None:
    desk.policy("max_questions = 1\n")
    assert ask(desk) == "asked"
    desk.agent = "other"
    assert ask(desk) == "asked"
    desk.agent, desk.session = "", "s-2"
    assert ask(desk) == "asked"
    desk.session = "s-1"
    desk.hook("SessionEnd", reason="other")
    desk.hook("SessionStart", source="resume")
    assert "1/1" in ask(desk)


@pytest.mark.parametrize("limit", [0, -1])
def test_no_budget_denies_all(desk: Desk, limit: int) -> None:
    desk.policy(f"max_questions = {limit}\n")
    assert "0/0" in ask(desk)


def test_without_a_limit_nothing_is_counted(desk: Desk) -> None:
    assert [ask(desk) for _ in range(9)] == ["asked"] * 9
    assert not (desk.state / "state.db").exists()


def test_questions_at_once_are_counted_once_each(desk: Desk) -> None:
    desk.policy("max_questions = 5\n")
    desks = [Desk(desk.root) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, desks * 2)).count("asked") == 5


@pytest.mark.parametrize(("answer", "brief"), [("ok", True), ("ten chars!", False)])
def test_a_short_answer_goes_on_with_a_word(desk: Desk, answer: str, brief: bool) -> None:
    desk.policy("max_questions = 5\n")
    response = {"answers": {"Which one?": answer}}
    said = desk.hook("PostToolUse", tool_name="AskUserQuestion", tool_input=QUESTION, tool_use_id="t", tool_response=response)
    told = json.loads(said.stdout)["hookSpecificOutput"]["additionalContext"] if said.stdout else ""
    assert told == ("(brief response \u2014 proceed with best judgment if ambiguous)" if brief else "")


# ---- rates


RATE = """
[[rule]]
id = "few"
on = {program = "curl"}
verdict = "deny"
reason = "Too often."
rate_limit = {calls = 2, seconds = 60}
"""


def test_a_rule_may_count_from_a_number_on(desk: Desk) -> None:
    desk.policy(RATE)
    call = "curl -s https://example.com"
    assert [desk.bash(call) for _ in range(2)] == ["runs", "runs"]
    assert "Too often." in desk.bash(call)
    desk.now = NOW + 60
    assert desk.bash(call) == "runs"


def test_a_rule_of_the_table_too(desk: Desk) -> None:
    desk.policy('[rules."filesystem.write-outside-project"]\nverdict = "deny"\nrate_limit = {calls = 1, seconds = 60}\n')
    assert desk.bash("touch ~/elsewhere/x") == "runs"
    assert desk.bash("touch ~/elsewhere/x").startswith("deny")


def test_a_tool_of_a_server_too(desk: Desk) -> None:
    desk.policy(RATE.replace('{program = "curl"}', '{operation = "mcp.call", text = "^sessions/send$"}'))

    def send() -> str:
        return desk.hook("PreToolUse", tool_name="mcp__sessions__send", tool_input={}, tool_use_id="t").stdout

    assert (send(), send()) == ("", "")
    assert "Too often." in send()
    other = desk.hook("PreToolUse", tool_name="mcp__sessions__list", tool_input={}, tool_use_id="t")
    assert other.stdout == ""


def test_a_floor_waits_for_no_number(desk: Desk) -> None:
    desk.policy('[rules."filesystem.delete-protected"]\nrate_limit = {calls = 5, seconds = 60}\n')
    assert desk.bash(DENIED).startswith("deny")


def test_a_store_that_fails_leaves_the_rule_in_force(desk: Desk) -> None:
    desk.policy(RATE)
    desk.state.parent.mkdir(parents=True)
    desk.state.write_text("")
    assert "Too often." in desk.bash("curl -s https://example.com")
    desk.policy(f'on_store_error = "warn"\n{RATE}')
    assert desk.bash("curl -s https://example.com").startswith("runs")
