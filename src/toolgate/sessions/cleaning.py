"""Redacts secrets in a tool's output before the agent reads it, in the tool's own shape."""

from toolgate import audit
from toolgate.machine.environment import folders
from toolgate.machine.keys import session_key
from toolgate.model.action import ReadFile, RunShell
from toolgate.model.decision import NO_OBJECTION, Decision, Output, Verdict
from toolgate.model.event import ToolResult
from toolgate.model.rule import Policy
from toolgate.redaction.placeholders import EXPLANATION
from toolgate.redaction.settings import hider, is_left_alone

from .wrapping import unwrapped


def cleaned(event: ToolResult, policy: Policy) -> Decision:
    """Raises on any failure: output that was not checked must not be read."""
    scene = event.scene
    if isinstance(event.action, ReadFile) and is_left_alone(event.action.path, policy, scene.project, scene.home):
        return NO_OBJECTION
    own = folders(scene.environ, scene.home)
    hiding = hider(policy, session_key(own.state, scene.caller.session))
    if isinstance(event.action, RunShell):
        hiding.learn(unwrapped(event.action.text) or event.action.text)
    response = hiding.value(event.response)
    if response is event.response:
        return NO_OBJECTION
    told = f"\u26a0\ufe0f {hiding.count} sensitive value(s) redacted from tool output."
    if policy.placeholders == "keyed" and audit.first_time(own.cache, scene.caller.session, "explained"):
        told = f"{told} {EXPLANATION}"
    return Decision(Verdict.PASS, Verdict.PASS, tell_agent=told, rewrite=Output(response))
