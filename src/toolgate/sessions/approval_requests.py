"""Resolves a call that asks: uses an approval, routes the question, or decides until somebody answers.

An approval is used within the decision, by compare-and-set: of two calls that race for the last use, one gets it. Where it was
there and is gone, the call is judged once again, then without it.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace

from toolgate.consent import approvals
from toolgate.consent.approvals import ASKED_DOCUMENT, USED_DOCUMENT, Answers, Request
from toolgate.consent.codes import build_code, hash_code
from toolgate.consent.operation import FollowedFiles
from toolgate.consent.patterns import Target, list_targets
from toolgate.designs import PLAN_FOLDER_VARIABLE
from toolgate.hosts.capabilities import load_capabilities
from toolgate.judge import blocking_findings, decide
from toolgate.model.decision import Decision, Verdict
from toolgate.model.effect import Effects, iter_changed_paths
from toolgate.model.errors import StoreError
from toolgate.model.event import ToolCall
from toolgate.model.host import Host
from toolgate.model.request import Request as HookCall
from toolgate.model.rule import Policy
from toolgate.model.store import ANSWERS, Document, Key, Scope, Store

from . import USER_ANSWER_WAYS, AnswerWays, list_approval_scopes, messages, session_scope
from .call_redaction import redact_text
from .person_evidence import find_host_process, find_place_doubt

ENDED_DOCUMENT = "ended"
KEEP_SECONDS = 400 * 86400.0  # longer than any approval can last
MAX_ATTEMPTS = 2
REMINDER_SECONDS = 60.0  # before the same call asks the user again


@dataclass(frozen=True, slots=True)
class AskingCall:
    """A call that asks, with everything known about it. `unheard`: why the host's own question would reach nobody. `digest`:
    identifies the operation that an approval covers."""

    event: ToolCall
    decision: Decision
    effects: Effects
    followed: Callable[[], FollowedFiles]
    policy: Policy
    host: Host
    call: HookCall
    unheard: str
    digest: Callable[[], str]
    ways: AnswerWays = USER_ANSWER_WAYS

    @property
    def blocking_rules(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.rule for each in blocking_findings(self.decision.findings, self.policy)))

    @property
    def approvable_targets(self) -> tuple[Target, ...]:
        """The targets that an approval can cover; none where a file is run, which may differ the next time."""
        return () if self.followed() else list_targets(blocking_findings(self.decision.findings, self.policy))

    @property
    def may_be_approved(self) -> bool:
        """Whether no finding has a floor: nobody can waive one."""
        return not any(each.floor > Verdict.WARN for each in blocking_findings(self.decision.findings, self.policy))


def explain_unasked(event: ToolCall, policy: Policy, effects: Effects, host: Host, call: HookCall) -> str:
    """Returns why the host's own question would reach nobody; empty where it would."""
    if policy.ask_through == "code":
        return ASKS_BY_MESSAGE
    dropped = load_capabilities(host.NAME).no_question or host.explain_lost_question(event, iter_changed_paths(effects))
    return dropped or (UNATTENDED_CLIENT if host.read_seat(call.environ).attended is False else "")


ASKS_BY_MESSAGE = "Questions go to the user as a message."
UNATTENDED_CLIENT = "Nobody sits at this client who could be asked."


def is_refused(asked: AskingCall, open_store: Callable[[], Store]) -> bool:
    """Returns whether a person has denied exactly this call; where the store fails, they may have."""
    try:
        return _load_state(asked, open_store()).is_refused(asked.digest(), asked)
    except StoreError:
        return True


def decide_asking_call(asked: AskingCall, open_store: Callable[[], Store]) -> Decision:
    """Returns the decision on a call that asks."""
    if not asked.may_be_approved:
        return _decide_unapprovable(asked)
    try:
        store = open_store()
        operation = asked.digest()
        for _ in range(MAX_ATTEMPTS):
            state = _load_state(asked, store)
            if state.is_refused(operation, asked):
                return _deny(asked, messages.SAID_NO)
            waived = state.use_grant(operation, asked, store)
            if waived is not None:
                return waived
            if not state.has_grant(operation, asked):
                return _file_request(asked, operation, state, store)
        return _deny(asked, messages.STILL_WAITING)
    except StoreError as problem:
        return decide_without_store(asked, problem)


def decide_without_store(asked: AskingCall, problem: StoreError) -> Decision:
    """Returns the decision where the store fails. If the host asks by itself, the store is not needed; else the policy's
    `on_store_error` decides."""
    if not asked.unheard:
        return replace(asked.decision, tell_user=f"{asked.decision.tell_user}\ntoolgate: {problem}; no approval can be looked up")
    if asked.policy.on_store_error == "warn":
        told = f"{asked.decision.tell_user}\ntoolgate: {problem}; the policy's `on_store_error` lets it go on"
        return replace(asked.decision, verdict=Verdict.WARN, tell_user=told, tell_agent="")
    return _deny(asked, f"{asked.unheard} toolgate: {problem}; until then nothing can be approved.")


@dataclass(frozen=True, slots=True)
class _ScopeState:
    """The three documents of a scope, as read."""

    scope: Scope
    asked: Document
    answers: Answers
    used: Document

    def find_grant(self, operation: str, asked: AskingCall) -> str | None:
        agent = asked.event.scene.caller.agent
        return approvals.find_approval(
            self.answers, self.used, operation, asked.blocking_rules, agent, asked.call.now, asked.approvable_targets
        )


@dataclass(frozen=True, slots=True)
class _ApprovalState:
    held: tuple[_ScopeState, ...]

    def is_refused(self, operation: str, asked: AskingCall) -> bool:
        agent, now = asked.event.scene.caller.agent, asked.call.now
        return any(approvals.is_denied(each.answers, operation, agent, now) for each in self.held)

    def has_grant(self, operation: str, asked: AskingCall) -> bool:
        return any(each.find_grant(operation, asked) for each in self.held)

    def use_grant(self, operation: str, asked: AskingCall, store: Store) -> Decision | None:
        """Returns the decision without the findings that a person approved; None where there is no such approval (any more)."""
        for each in self.held:
            id_ = each.find_grant(operation, asked)
            if id_ is None:
                continue
            uses, now = each.answers[id_].uses, asked.call.now

            def use_approval(document: Document, id_: str = id_, uses: int | None = uses) -> tuple[Document, bool]:
                return approvals.use_approval(document, id_, uses)

            if store.update(Key(each.scope, USED_DOCUMENT), use_approval, now, now + KEEP_SECONDS):
                waived = tuple(finding for finding in asked.decision.findings if finding.rule in asked.blocking_rules)
                return decide(asked.decision.findings, asked.policy, waived)
        return None


def _load_state(asked: AskingCall, store: Store) -> _ApprovalState:
    scopes = list_approval_scopes(asked.event.scene)
    names = (ASKED_DOCUMENT, ANSWERS, USED_DOCUMENT, ENDED_DOCUMENT)
    found = iter(store.load(tuple(Key(scope, name) for scope in scopes for name in names), asked.call.now))
    held = []
    for scope in scopes:
        requests, answers, used, ended = next(found), next(found), next(found), next(found)
        began = ended.get("at", 0.0)
        alive = {id_: each for id_, each in approvals.decode_answers(answers).items() if each.at > began}
        held.append(_ScopeState(scope, requests, alive, used))
    return _ApprovalState(tuple(held))


def _file_request(asked: AskingCall, operation: str, state: _ApprovalState, store: Store) -> Decision:
    """Lets the host ask where it can, else gives the person a request with a code."""
    if not asked.unheard:
        return asked.decision
    scene, now = asked.event.scene, asked.call.now
    if not scene.caller.session:
        if asked.policy.on_missing_context == "warn":
            return replace(asked.decision, verdict=Verdict.WARN, tell_agent="")
        return _deny(asked, f"{asked.unheard} {messages.NOBODY_TO_ASK}")
    answered = {id_ for each in state.held for id_ in each.answers}
    pending = approvals.find_waiting(state.held[0].asked, answered, operation, scene.caller.agent, now)
    here = asked.ways.in_conversation and not find_place_doubt(asked.host, asked.call)
    if pending is not None and now - pending.at < REMINDER_SECONDS:
        return _deny(asked, f"{asked.unheard} {messages.STILL_WAITING}")
    told = build_code(os.urandom(16))
    request = Request(
        id=os.urandom(8).hex(),
        digest=operation,
        rules=asked.blocking_rules,
        reason=redact_text(asked.decision.tell_user, asked.policy, scene, asked.event.action),
        tool=asked.event.tool,
        shown=redact_text(
            messages.describe_operation(asked.event.tool, asked.event.action), asked.policy, scene, asked.event.action
        ),
        cwd=scene.cwd,
        project=scene.project,
        host=scene.caller.host,
        session=scene.caller.session,
        agent=scene.caller.agent,
        process=find_host_process(asked.host, asked.call),
        policy=asked.policy.digest,
        at=now,
        until=now + approvals.PENDING_SECONDS,
        code=hash_code(told, os.urandom(8).hex()),
        iteration=scene.environ.get(PLAN_FOLDER_VARIABLE, ""),
        targets=asked.approvable_targets,
    )
    store.update(
        Key(session_scope(scene), ASKED_DOCUMENT),
        lambda document: approvals.add_request(document, request, now),
        now,
        now + KEEP_SECONDS,
    )
    to_user = messages.build_user_message(request, told, asked.ways.command, here=here)
    return replace(_deny(asked, f"{asked.unheard} {messages.build_agent_message(request, asked.policy)}"), to_user_alone=to_user)


def _decide_unapprovable(asked: AskingCall) -> Decision:
    return _deny(asked, asked.unheard) if asked.unheard else asked.decision


def _deny(asked: AskingCall, why: str) -> Decision:
    said = asked.decision.tell_agent or asked.decision.tell_user
    return replace(asked.decision, verdict=Verdict.DENY, tell_agent=f"{said} {why}".strip())
