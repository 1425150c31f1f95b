"""Tests the acceptance cases that need earlier statements or counts: the whole gate, with a store, in the world of the case."""

import json
from pathlib import Path
from typing import Any

import pytest

from toolgate import cases, stores
from toolgate.app import App
from toolgate.model.request import Request
from toolgate.model.store import Store
from toolgate.sessions.approval_answers import iter_requests, store_answer

ACCEPTANCE = Path(__file__).parents[2] / "acceptance"
ROWS = {row["id"]: row for row in map(json.loads, (ACCEPTANCE / "cases.jsonl").read_text().splitlines())}
CASES = {case.id: case for case in cases.load_acceptance_cases(ACCEPTANCE / "cases.jsonl")}
STATEFUL: list[str] = json.loads((ACCEPTANCE / "answered.json").read_text())["with state"]
NOW = 1_800_000_000.0


class Sitting:
    """One case with the profile of its design and a store of its own."""

    def __init__(self, id_: str, folder: Path) -> None:
        self.row, self.case, self.folder, self.now = ROWS[id_], CASES[id_], folder, NOW
        self.app = App(lambda: self.case.world)
        self.context: dict[str, Any] = self.row["context"]
        limit = self.context.get("config", {}).get("maxAskUserPerSession")
        own = "" if limit is None else f"max_questions = {limit}\n"
        (folder / "policy.toml").write_text(f'profile = "{self.context["profile"]}"\n{own}')

    @property
    def store(self) -> Store:
        return stores.find_store("", str(self.folder / "state"))

    def call(self, tool: str = "", fields: Any = None, *, event: str = "PreToolUse", session: str = "", **more: Any) -> str:
        """Returns `allow`, `ask` or `block`, and the reason."""
        payload = {
            "session_id": session or self.context.get("session", "session-1"),
            "cwd": self.case.cwd,
            "hook_event_name": event,
            "tool_name": tool or self.case.tool,
            "tool_input": self.case.input if fields is None else fields,
            "agent_id": self.context.get("agent", ""),
            **more,
        }
        home = {"HOME": self.case.home, "CLAUDE_CONFIG_DIR": str(self.folder / "host"), "TOOLGATE_HOME": str(self.folder)}
        request = Request("claude-code", event, json.dumps(payload).encode(), home, self.case.cwd, 1000, self.now)
        out = self.app.handle(request).stdout
        answer = json.loads(out).get("hookSpecificOutput", {}) if out else {}
        reason = str(answer.get("permissionDecisionReason", ""))
        if not answer.get("permissionDecision"):
            return "allow"
        return f"{'ask' if 'To proceed' in reason or answer['permissionDecision'] == 'ask' else 'block'}: {reason}"

    def confirm_entry(self, entry: dict[str, Any]) -> None:
        """Confirms what the case says was confirmed before, as a person does; an entry without a signature is only written to the
        file."""
        if "sig" in entry:
            self.write_state(json.dumps({"confirmed": [entry]}))
            return
        key, rest = ("command", {}) if entry["tool"] == "Bash" else ("file_path", {"content": ""})
        self.call(entry["tool"], {key: entry["operation"], **rest}, session=entry.get("session", ""))
        for each in [each for each in iter_requests(self.store, self.now) if each.state == "pending"]:
            ends = self.now + 1 if "expires" in entry else None
            assert store_answer(self.store, each.request, yes=True, reach="session", now=self.now, how="terminal", until=ends)
        self.now += 2

    def write_state(self, text: str) -> None:
        path = self.folder / "host" / "state" / "guardrail-session.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.parametrize("id_", STATEFUL)
def test_with_state(id_: str, tmp_path: Path) -> None:
    sitting = Sitting(id_, tmp_path)
    context, expect = sitting.context, sitting.row["expect"]
    state = context.get("state", {})
    for entry in state.get("confirmed", ()):
        sitting.confirm_entry(entry)
    if "confirmed_raw" in state:
        sitting.write_state(state["confirmed_raw"])
    if state.get("session_ended"):
        sitting.call(event="SessionEnd", reason="other")
        sitting.now += 1
    for session, count in context.get("prior", {}).items():
        for _ in range(count):
            sitting.call("ask_user", {"question": "q"}, session=session)
    for n in range(1, context.get("call_number", 1)):
        sitting.call()
        if context.get("resumed") and n == 1:
            sitting.call(event="SessionEnd", reason="other")
            sitting.call(event="SessionStart", source="resume")
    answer = sitting.call()
    assert answer.partition(":")[0] == expect["decision"], answer
    for part in expect.get("reason_contains", ()):
        assert part in answer
    log = sitting.folder / "host" / "logs" / "guardrail.jsonl"
    for wanted in expect.get("log", ()):
        entry = json.loads(log.read_text().splitlines()[-1])
        assert set(wanted.get("has", ())) <= set(entry)
        assert {key: entry[key] for key in wanted if key != "has"} == {
            key: value for key, value in wanted.items() if key != "has"
        }
