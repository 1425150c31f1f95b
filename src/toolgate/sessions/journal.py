"""Writes the designs' own logs, as the policy's `journal` selects.

`safety-hook`, of the fleet design: every decision, and every call that was refused because it could not be judged.
`security-audit`, of the team design: denials by its P0 policies, in the team's own folder.
"""

from toolgate import policy as policies
from toolgate.audit.sinks import safety_hook, security_audit
from toolgate.machine.environment import safety_log
from toolgate.model.decision import Decision, Verdict
from toolgate.model.event import Caller, Scene, ToolCall
from toolgate.model.host import Host
from toolgate.model.request import Request
from toolgate.model.rule import Policy

from .hushing import operation, without_secrets

KEPT, SECURITY = "safety-hook", "security-audit"


def record(event: ToolCall, decision: Decision, policy: Policy, host: Host, now: float) -> str:
    """Returns what went wrong, in a sentence; it changes no verdict."""
    if policy.journal == SECURITY:
        return _security(event, decision, policy, now)
    line = safety_hook.entry(event.tool, operation(event.action, policy, event.scene), decision, now)
    return safety_hook.append(_file(host, event.scene), line)


def _security(event: ToolCall, decision: Decision, policy: Policy, now: float) -> str:
    from toolgate.machine.world import Machine
    from toolgate.rules.team.context import team_of
    from toolgate.rules.team.context.policies import FIRST

    denied = [each for each in decision.findings if each.verdict is Verdict.DENY and each.rule in FIRST]
    if decision.verdict is not Verdict.DENY or not denied:
        return ""
    scene = event.scene
    rules = tuple(dict.fromkeys(each.rule for each in denied))
    asked = operation(event.action, policy, scene)
    said = without_secrets(denied[0].match.reason, policy, scene, event.action)
    team = team_of(scene.spawn.root or scene.project, Machine())
    return security_audit.append(team.own, security_audit.entry(scene, event.tool, asked, rules, said, now))


def unread(host: Host, request: Request, why: str) -> None:
    """Records a call that was refused unread: without an event, the policy is found by the environment of the request."""
    environ = request.environ
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    project = environ.get("CLAUDE_PROJECT_DIR") or request.cwd
    scene = Scene(Caller(request.host), request.cwd, project, home, environ, "")
    in_force = policies.load(environ, home, project)
    unjudged(host, request, scene, in_force, without_secrets(why, in_force, scene) if in_force.journal == KEPT else "")


def unjudged(host: Host, request: Request, scene: Scene, policy: Policy, why: str) -> None:
    """Records a call that was refused without a judgement. `why` holds nothing of the call."""
    if policy.journal == KEPT:
        safety_hook.append(_file(host, scene), safety_hook.note(safety_hook.CLOSED, f"{request.event}: {why}", request.now))


def _file(host: Host, scene: Scene) -> str:
    return safety_log(scene.environ, host.own_folder(scene.home, {}))
