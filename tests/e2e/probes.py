"""One conversation for each event, which shows whether a refusal held: what would get through is created in the project, or read
by the model.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from e2e.claude_session import Outcome, Sandbox, bash, turn
from toolgate.canary.scripted_server import ScriptedCall, ScriptedTurn

Settings = dict[str, Any]
SUBAGENT = "IN-A-SUBAGENT"
AGENT = ScriptedCall("Agent", {"description": "d", "prompt": f"{SUBAGENT} go", "subagent_type": "general-purpose"})


@dataclass(frozen=True)
class Probe:
    """`stake`: what a refusal prevents; `through`: returns whether it happened."""

    stake: str
    talk: Callable[[Sandbox, Settings], Outcome]
    through: Callable[[Sandbox, Outcome], bool]


def _talk(*turns: ScriptedTurn, mode: str = "bypassPermissions", **words: Any) -> Callable[[Sandbox, Settings], Outcome]:
    def talk(sandbox: Sandbox, settings: Settings) -> Outcome:
        sandbox.use(settings)
        return sandbox.talk(*turns, mode=mode, **words)

    return talk


def _config_change(sandbox: Sandbox, settings: Settings) -> Outcome:
    """A guard that denies is in the same file; then the file is emptied."""
    sandbox.use(settings, sandbox.stand_in("as_told", "PreToolUse"))
    emptied = sandbox.rewrite("{}")
    return sandbox.talk(turn(bash("true")), turn(bash("true"), before=emptied), turn(bash("touch through # DENY-ME")))


def _compact(sandbox: Sandbox, settings: Settings) -> Outcome:
    sandbox.use(settings)
    first = sandbox.talk(turn(bash("true")))
    session = next(event["session_id"] for event in first.events if event.get("session_id"))
    return sandbox.talk(prompt="/compact", arguments=("--resume", session))


def _created_file(sandbox: Sandbox, outcome: Outcome) -> bool:
    return "through" in sandbox.list_created()


def _read(sandbox: Sandbox, outcome: Outcome) -> bool:
    return "SECRET-OUT" in outcome.model.all_messages


def _subagent_ended(sandbox: Sandbox, outcome: Outcome) -> bool:
    return len(outcome.model.messages_of_thread(SUBAGENT)) == 1


def _was_compacted(sandbox: Sandbox, outcome: Outcome) -> bool:
    return any(event.get("subtype") == "compact_boundary" for event in outcome.events)


TOUCH = turn(bash("touch through"))
SAY = "echo SECRET-$(printf OUT)"  # the command itself does not hold what is looked for
PROBES = {
    "PreToolUse": Probe("the call runs", _talk(TOUCH), _created_file),
    "PostToolUse": Probe("the model reads the output", _talk(turn(bash(SAY))), _read),
    "PostToolUseFailure": Probe("the model reads the output of a failed call", _talk(turn(bash(f"{SAY}; exit 3"))), _read),
    "PermissionRequest": Probe("the call runs", _talk(TOUCH, mode="default"), _created_file),
    "UserPromptSubmit": Probe("the model reads the prompt", _talk(), lambda _, done: bool(done.model.requests)),
    "ConfigChange": Probe("changed settings take effect", _config_change, _created_file),
    "Stop": Probe("the turn ends", _talk(), lambda _, done: len(done.model.requests) == 1),
    "SessionStart": Probe("the session begins", _talk(TOUCH), _created_file),
    "SessionEnd": Probe("the session ends", _talk(TOUCH), lambda _, done: done.exit_code == 0),
    "SubagentStart": Probe("the subagent begins", _talk(turn(AGENT), threads={SUBAGENT: [TOUCH]}), _created_file),
    "SubagentStop": Probe("the subagent ends", _talk(turn(AGENT), threads={SUBAGENT: []}), _subagent_ended),
    "PreCompact": Probe("the conversation is compacted", _compact, _was_compacted),
}
