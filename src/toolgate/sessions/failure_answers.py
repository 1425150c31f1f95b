"""Answers a call that could not be judged."""

from dataclasses import dataclass
from typing import Literal

from toolgate.model.decision import Decision, Verdict
from toolgate.model.event import PermissionRequested, ToolCall
from toolgate.model.host import Host
from toolgate.model.request import Answer, Request
from toolgate.model.rule import Policy

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
    host: Host, request: Request, standing: CallProgress, failure: str, setting: FailureSetting
) -> Answer:
    """Returns the answer where there is no judgement: a refusal, unless the user or the organisation sets otherwise."""
    if standing.event is not None and standing.may_pass(setting):
        told = f"{failure}; the policy's `{setting}` lets it go on. Please report it."
        return host.answer(Decision(Verdict.WARN, Verdict.WARN, tell_user=told), standing.event)
    if standing.event is not None and standing.policy is not None:
        from . import journal

        journal.record_unjudged_call(host, request, standing.event.scene, standing.policy, failure)
    return host.refuse(request.event, f"{failure}, so it refuses it. Please report it.")
