"""Redacts secrets in the text of decisions and of records (law 11)."""

from dataclasses import replace
from functools import partial

from toolgate.machine.environment import find_folders
from toolgate.machine.placeholder_keys import session_key
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
from toolgate.redaction.redactor import Redactor
from toolgate.redaction.settings import build_redactor

MAX_REDACTED_CHARACTERS = 20_000  # characters of a call that are searched for its record: far more than are kept


def redact_decision(decision: Decision, policy: Policy, scene: Scene, action: Action | None = None) -> Decision:
    """Returns the decision with secrets redacted: a reason quotes paths, remotes, and commands."""
    hiding = _build_hider(policy, scene, action)
    return replace(decision, tell_user=hiding.redact_text(decision.tell_user), tell_agent=hiding.redact_text(decision.tell_agent))


def redact_text(text: str, policy: Policy, scene: Scene, action: Action | None = None) -> str:
    """`action`: what the text is about; part of a command does not show which of its words are secrets."""
    return _build_hider(policy, scene, action).redact_text(text)


def redact_action(action: Action, policy: Policy, scene: Scene) -> str:
    return _build_hider(policy, scene, action).redact_text(describe_action(action)[:MAX_REDACTED_CHARACTERS])


def redact_operation(action: Action, policy: Policy, scene: Scene) -> tuple[str, bool, tuple[str, str]]:
    """Returns a call's operation, whether nothing of it was redacted or cut, and its working directory and project."""
    hiding = _build_hider(policy, scene, action)
    description = describe_action(action)
    shown = hiding.redact_text(description[:MAX_REDACTED_CHARACTERS])
    cwd = hiding.redact_text(scene.cwd)
    return shown, shown == description, (cwd, cwd if scene.project == scene.cwd else hiding.redact_text(scene.project))


def _build_hider(policy: Policy, scene: Scene, action: Action | None) -> Redactor:
    hiding = build_redactor(policy, partial(session_key, find_folders(scene.environ, scene.home).state, scene.caller.session))
    if isinstance(action, RunShell):
        hiding.learn_secrets(action.text[:MAX_REDACTED_CHARACTERS])
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
