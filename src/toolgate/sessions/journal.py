"""Writes the designs' own logs, as the policy's `journal` selects.

`safety-hook`, of the fleet design: every decision, and every call that was refused because it could not be judged.
`security-audit`, of the team design: denials by its P0 policies, in the team's own folder.
"""

from toolgate import policy as policies
from toolgate.designs import JOURNALS, load_module
from toolgate.designs.safety_hook import log as safety_hook
from toolgate.machine.environment import safety_log_path
from toolgate.model.decision import Decision, Verdict
from toolgate.model.event import Caller, Scene, ToolCall
from toolgate.model.host import Host
from toolgate.model.request import Request
from toolgate.model.rule import Policy

from .call_redaction import redact_action, redact_text

SAFETY_HOOK, SECURITY_AUDIT = "safety-hook", "security-audit"


def record_decision(event: ToolCall, decision: Decision, policy: Policy, host: Host, now: float) -> str:
    """Returns what went wrong, in a sentence; it changes no verdict."""
    if policy.journal == SECURITY_AUDIT:
        return _record_security_denial(event, decision, policy, now)
    line = safety_hook.render_entry(event.tool, redact_action(event.action, policy, event.scene), decision, now)
    return safety_hook.append_line(_log_file(host, event.scene), line)


def _record_security_denial(event: ToolCall, decision: Decision, policy: Policy, now: float) -> str:
    from toolgate.machine.world import MachineWorld
    from toolgate.rules.team.context import find_team_of_folder
    from toolgate.rules.team.context.policies import AUDITED_RULES

    denied = [each for each in decision.findings if each.verdict is Verdict.DENY and each.rule in AUDITED_RULES]
    if decision.verdict is not Verdict.DENY or not denied:
        return ""
    scene = event.scene
    rules = tuple(dict.fromkeys(each.rule for each in denied))
    operation = redact_action(event.action, policy, scene)
    reason = redact_text(denied[0].match.reason, policy, scene, event.action)
    team = find_team_of_folder(scene.spawn.root or scene.project, MachineWorld())
    own = load_module(JOURNALS[SECURITY_AUDIT], "log")
    problem: str = own.append_entry(team.own_folder, own.build_entry(scene, event.tool, operation, rules, reason, now))
    return problem


def record_unread_call(host: Host, request: Request, why: str) -> tuple[Scene, Policy]:
    """Records a call that was refused unread, and returns the scene and the policy that the environment of the request names."""
    environ = request.environ
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    project = environ.get("CLAUDE_PROJECT_DIR") or request.cwd
    scene = Scene(Caller(request.host), request.cwd, project, home, environ, "")
    in_force = policies.load(environ, home, project)
    record_unjudged_call(
        host, request, scene, in_force, redact_text(why, in_force, scene) if in_force.journal == SAFETY_HOOK else ""
    )
    return scene, in_force


def record_unjudged_call(host: Host, request: Request, scene: Scene, policy: Policy, why: str) -> None:
    """Records a call that was refused without a judgement. `why` holds nothing of the call."""
    if policy.journal == SAFETY_HOOK:
        safety_hook.append_line(
            _log_file(host, scene), safety_hook.render_note(safety_hook.FAIL_CLOSED, f"{request.event}: {why}", request.now)
        )


def _log_file(host: Host, scene: Scene) -> str:
    return safety_log_path(scene.environ, host.own_folder(scene.home, {}))
