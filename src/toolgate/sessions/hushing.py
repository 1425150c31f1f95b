"""Redacts secrets in the text of decisions and of records (law 11)."""

from dataclasses import replace

from toolgate.machine.environment import folders
from toolgate.machine.keys import session_key
from toolgate.model.action import (
    Action,
    ApplyPatch,
    AskUser,
    CallTool,
    EditFile,
    Fetch,
    OtherTool,
    ReadFile,
    RunShell,
    Search,
    WriteFile,
)
from toolgate.model.decision import Decision
from toolgate.model.event import Scene
from toolgate.model.rule import Policy
from toolgate.redaction.hiding import Hider
from toolgate.redaction.settings import hider

LONGEST = 20_000  # characters of a call that are searched for its record: far more than are kept


def hushed(decision: Decision, policy: Policy, scene: Scene, action: Action | None = None) -> Decision:
    """Returns the decision with secrets redacted: a reason quotes paths, remotes, and commands."""
    hiding = _hider(policy, scene, action)
    return replace(decision, tell_user=hiding.text(decision.tell_user), tell_agent=hiding.text(decision.tell_agent))


def without_secrets(text: str, policy: Policy, scene: Scene, action: Action | None = None) -> str:
    """`action`: what the text is about; part of a command does not show which of its words are secrets."""
    return _hider(policy, scene, action).text(text)


def operation(action: Action, policy: Policy, scene: Scene) -> str:
    return _hider(policy, scene, action).text(describe_action(action)[:LONGEST])


def _hider(policy: Policy, scene: Scene, action: Action | None) -> Hider:
    hiding = hider(policy, session_key(folders(scene.environ, scene.home).state, scene.caller.session))
    if isinstance(action, RunShell):
        hiding.learn(action.text[:LONGEST])
    return hiding


def describe_action(action: Action) -> str:
    """Returns what a call asks for: the command, or what is done to which path."""
    match action:
        case RunShell(text):
            return text
        case ReadFile(path):
            return f"read {path}"
        case Search(paths, pattern):
            return f"search {', '.join(paths)} for {pattern}"
        case WriteFile(path) | EditFile(path):
            return f"write {path}"
        case ApplyPatch(text):
            return text
        case Fetch(url):
            return f"fetch {url}"
        case CallTool(server, tool):
            return f"{server}/{tool}"
        case AskUser(questions):
            return f"ask {' / '.join(questions)}"
        case OtherTool(name):
            return name
