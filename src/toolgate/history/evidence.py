"""Labels past calls with a person's answers: the evidence for a change of the policy.

Only an answer that the gate witnessed approves a call (`toolgate approve`, or a code typed at the client's terminal). A refusal
is such an answer, or a refused call in a transcript that was not approved later, whoever refused it.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Literal, NamedTuple

from toolgate.consent import approvals
from toolgate.model.decision import Decision, Verdict
from toolgate.model.event import Caller, Scene
from toolgate.model.rule import Policy
from toolgate.model.store import ANSWERS, Scope, Store
from toolgate.sessions import list_approval_scopes, messages
from toolgate.sessions.call_redaction import redact_text

from .replay import JudgedCall, PolicyLookup, Replayer

Label = Literal["approved", "refused", "ran"]


class WitnessedAnswer(NamedTuple):
    """A person's answer to a request, as stored."""

    id: str
    scope: Scope
    yes: bool
    tool: str
    shown: str
    at: float


class Evidence(NamedTuple):
    """A labelled call. `answer`: the id of the answer that approved it."""

    judged: JudgedCall
    label: Label
    answer: str = ""

    @property
    def stops(self) -> frozenset[str]:
        return stopping_rules(self.judged.after)


def stopping_rules(decision: Decision) -> frozenset[str]:
    """Returns the rules that stop a call; none for a call that runs."""
    if decision.verdict < Verdict.ASK:
        return frozenset()
    return frozenset(finding.rule for finding in decision.findings if finding.verdict >= Verdict.ASK)


def read_answers(store: Store, now: float) -> list[WitnessedAnswer]:
    """Returns every stored answer, valid or expired, except those that were revoked."""
    return [
        WitnessedAnswer(id_, scope, answer.yes, answer.tool, answer.shown, answer.at)
        for scope, document in store.scopes(ANSWERS, now)
        for id_, answer in approvals.decode_answers(document).items()
        if not answer.revoked
    ]


class Labeller:
    """Labels each judged call with a person's answer."""

    def __init__(self, replayer: Replayer, policy_of: PolicyLookup, answers: Iterable[WitnessedAnswer]) -> None:
        self._replayer, self._policy_of = replayer, policy_of
        self._policies: dict[str, Policy] = {}
        self._answers: dict[tuple[Scope, str, str], list[WitnessedAnswer]] = {}
        for answer in answers:
            self._answers.setdefault((answer.scope, answer.tool, answer.shown), []).append(answer)

    def label_calls(self, calls: Iterable[JudgedCall]) -> Iterator[Evidence]:
        """Yields the labelled calls; a call that was refused and then approved when repeated gets no label."""
        for judged in calls:
            answers = self._answers_to(judged) if self._answers else []
            outcome = judged.call.outcome
            if any(not answer.yes for answer in answers):
                yield Evidence(judged, "refused")
            elif outcome == "refused":
                if not answers:
                    yield Evidence(judged, "refused")
            elif outcome in ("ran", "failed"):
                before = [answer for answer in answers if answer.at <= _seconds(judged.call.time)]
                yield Evidence(judged, "approved", before[-1].id) if before else Evidence(judged, "ran")

    def _answers_to(self, judged_call: JudgedCall) -> list[WitnessedAnswer]:
        plain = self._replayer.scene_of(judged_call.call)
        scene = plain._replace(caller=Caller(judged_call.call.host, judged_call.call.session))
        shown = redact_text(
            messages.describe_operation(judged_call.call.tool, judged_call.action), self._policy(scene), scene, judged_call.action
        )
        return [
            answer
            for scope in list_approval_scopes(scene)
            for answer in self._answers.get((scope, judged_call.call.tool, shown), ())
        ]

    def _policy(self, scene: Scene) -> Policy:
        if scene.project not in self._policies:
            self._policies[scene.project] = self._policy_of(scene)
        return self._policies[scene.project]


def _seconds(time: str) -> float:
    """Returns seconds since 1970, or 0 for an unreadable time, which sorts before every answer."""
    try:
        return datetime.fromisoformat(time).timestamp()
    except ValueError:
        return 0.0
