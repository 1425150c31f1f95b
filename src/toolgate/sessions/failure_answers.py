"""Answers a call that could not be judged."""

from dataclasses import dataclass
from typing import Literal

from toolgate.model.decision import Decision, Verdict
from toolgate.model.errors import BadPayload
from toolgate.model.event import PermissionRequested, Scene, ToolCall
from toolgate.model.host import Host
from toolgate.model.request import Answer, Request
from toolgate.model.rule import Policy

from . import Stores

FailureSetting = Literal["on_error", "on_timeout"]


@dataclass(slots=True)
class CallProgress:
    """How far a call got: what is known when something fails."""

    event: ToolCall | PermissionRequested | None = None
    policy: Policy | None = None
    decision: Decision | None = None

    def may_pass(self, setting: FailureSetting) -> bool:
        """Returns whether the policy lets a call run that could not be judged; never one with a known floor."""
        floors = any(finding.floor > Verdict.PASS for finding in self.decision.findings) if self.decision else False
        return self.policy is not None and getattr(self.policy, setting) == "warn" and not floors


def answer_without_judgement(
    host: Host, request: Request, progress: CallProgress, failure: str, setting: FailureSetting, stores: Stores
) -> Answer:
    """Returns the answer where there is no judgement: a refusal, unless the user or the organisation sets otherwise."""
    event, policy = progress.event, progress.policy
    passes = event is not None and progress.may_pass(setting)
    if event is not None and policy is not None:
        verdict = Verdict.WARN if passes else Verdict.DENY
        _record_failure(event.scene, (event.tool, event.call), policy, failure, verdict, request.now, stores)
    if event is not None and passes:
        message = f"{failure}; the policy's `{setting}` lets it go on. Please report it."
        return host.answer(Decision(Verdict.WARN, Verdict.WARN, tell_user=message), event)
    if event is not None and policy is not None:
        from . import journal

        journal.record_unjudged_call(host, request, event.scene, policy, failure)
    return host.refuse(request.event, f"{failure}, so it refuses it. Please report it.")


def refuse_unread_call(host: Host, request: Request, problem: BadPayload, stores: Stores) -> Answer:
    """Returns the refusal of a payload that cannot be read. There is no event: the policy is found by the request."""
    from . import journal

    scene, policy = journal.record_unread_call(host, request, str(problem))
    _record_failure(scene, ("", ""), policy, UNREAD_FAILURE, Verdict.DENY, request.now, stores)
    return host.refuse(request.event, f"toolgate cannot read this call: {problem}. {problem.remedy}")


UNREAD_FAILURE = "toolgate cannot read this call"


def _record_failure(
    scene: Scene, call: tuple[str, str], policy: Policy, failure: str, verdict: Verdict, now: float, stores: Stores
) -> None:
    """Records a call (its tool and id) that was answered without a judgement. A loss of the record changes no answer."""
    if policy.audit == "off" or not stores.can_record(scene):
        return
    from toolgate.audit.record import build_failure

    stores.record_call(scene, build_failure(scene, *call, Decision(verdict, verdict), policy, failure, now=now), policy)
