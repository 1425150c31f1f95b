"""The fleet design's log: every decision, and every call that was refused because it could not be judged."""

from toolgate import policy as policies
from toolgate.audit.sinks import safety_hook
from toolgate.machine.environment import safety_log
from toolgate.model.decision import Decision
from toolgate.model.event import Caller, Scene, ToolCall
from toolgate.model.host import Host
from toolgate.model.request import Request
from toolgate.model.rule import Policy

from .hushing import operation, without_secrets

KEPT = "safety-hook"
"""The policy's `journal` under which this log is written."""


def record(event: ToolCall, decision: Decision, policy: Policy, host: Host, now: float) -> str:
    """What went wrong, in a sentence; it changes no verdict."""
    line = safety_hook.entry(event.tool, operation(event.action, policy, event.scene), decision, now)
    return safety_hook.append(_file(host, event.scene), line)


def unread(host: Host, request: Request, why: str) -> None:
    """A call that was refused unread: there is no event, so the policy is found by what surrounds the call."""
    environ = request.environ
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    project = environ.get("CLAUDE_PROJECT_DIR") or request.cwd
    scene = Scene(Caller(request.host), request.cwd, project, home, environ, "")
    in_force = policies.load(environ, home, project)
    unjudged(host, request, scene, in_force, without_secrets(why, in_force, scene) if in_force.journal == KEPT else "")


def unjudged(host: Host, request: Request, scene: Scene, policy: Policy, why: str) -> None:
    """A call that was refused without a judgement. `why` holds nothing of the call."""
    if policy.journal == KEPT:
        safety_hook.append(_file(host, scene), safety_hook.note(safety_hook.CLOSED, f"{request.event}: {why}", request.now))


def _file(host: Host, scene: Scene) -> str:
    return safety_log(scene.environ, host.own_folder(scene.home, scene.environ))
