"""Redacts secrets in a tool's output before the agent reads it, in the tool's own shape."""

from functools import partial

from toolgate import audit
from toolgate.machine.environment import find_folders
from toolgate.machine.placeholder_keys import session_key
from toolgate.model.action import ReadFile, RunShell
from toolgate.model.decision import NO_OBJECTION, Decision, RewrittenResult, Verdict
from toolgate.model.event import ToolResult
from toolgate.model.rule import Policy
from toolgate.redaction.detectors.authors import shows_authors
from toolgate.redaction.placeholders import EXPLANATION
from toolgate.redaction.settings import build_redactor, is_excluded_path

from .command_filter import unwrap_command


def redact_output(event: ToolResult, policy: Policy) -> Decision:
    """Raises on any failure: output that was not checked must not be read."""
    scene = event.scene
    if isinstance(event.action, ReadFile) and is_excluded_path(event.action.path, policy, scene.project, scene.home):
        return NO_OBJECTION
    folders = find_folders(scene.environ, scene.home)
    hiding = build_redactor(policy, partial(session_key, folders.state, scene.caller.session))
    if isinstance(event.action, RunShell):
        command = unwrap_command(event.action.text) or event.action.text
        hiding.learn_secrets(command)
        hiding.shows_authors = shows_authors(command)
    response = hiding.redact_value(event.response)
    if response is event.response:
        return NO_OBJECTION
    message = f"\u26a0\ufe0f {hiding.count} sensitive value(s) redacted from tool output."
    if policy.placeholders == "keyed" and audit.mark_first_time(folders.cache, scene.caller.session, "explained"):
        message = f"{message} {EXPLANATION}"
    return Decision(Verdict.PASS, Verdict.PASS, tell_agent=message, rewrite=RewrittenResult(response))
