"""Resolves a call that asks: uses an approval, routes the question, or decides until somebody answers.

An approval is used within the decision, by compare-and-set: of two calls that race for the last use, one gets it. Where it was
there and is gone, the call is judged once again, then without it.
"""

import os
from collections.abc import Callable, Iterator
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
from toolgate.model.effect import Delete, Effects, Link, Mount, Move, Permission, Write
from toolgate.model.errors import StoreError
from toolgate.model.event import ToolCall
from toolgate.model.host import Host
from toolgate.model.place import LOCAL, Place
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
    dropped = load_capabilities(host.NAME).no_question or host.explain_lost_question(event, _iter_changed_paths(effects))
    return dropped or (UNATTENDED_CLIENT if host.read_seat(call.environ).attended is False else "")


ASKS_BY_MESSAGE = "Questions go to the user as a message."
UNATTENDED_CLIENT = "Nobody sits at this client who could be asked."


def is_refused(asking_call: AskingCall, open_store: Callable[[], Store]) -> bool:
    """Returns whether a person has denied exactly this call; where the store fails, they may have."""
    try:
        return _load_state(asking_call, open_store()).is_refused(asking_call.digest(), asking_call)
    except StoreError:
        return True


def decide_asking_call(asking_call: AskingCall, open_store: Callable[[], Store]) -> Decision:
    """Returns the decision on a call that asks."""
    if not asking_call.may_be_approved:
        return _decide_unapprovable(asking_call)
    try:
        store = open_store()
        operation = asking_call.digest()
        for _ in range(MAX_ATTEMPTS):
            state = _load_state(asking_call, store)
            if state.is_refused(operation, asking_call):
                return _deny(asking_call, messages.SAID_NO)
            waived = state.use_grant(operation, asking_call, store)
            if waived is not None:
                return waived
            if not state.has_grant(operation, asking_call):
                return _file_request(asking_call, operation, state, store)
        return _deny(asking_call, messages.STILL_WAITING)
    except StoreError as problem:
        return decide_without_store(asking_call, problem)


def decide_without_store(asking_call: AskingCall, problem: StoreError) -> Decision:
    """Returns the decision where the store fails. If the host asks by itself, the store is not needed; else the policy's
    `on_store_error` decides."""
    if not asking_call.unheard:
        return replace(
            asking_call.decision, tell_user=f"{asking_call.decision.tell_user}\ntoolgate: {problem}; no approval can be looked up"
        )
    if asking_call.policy.on_store_error == "warn":
        message = f"{asking_call.decision.tell_user}\ntoolgate: {problem}; the policy's `on_store_error` lets it go on"
        return replace(asking_call.decision, verdict=Verdict.WARN, tell_user=message, tell_agent="")
    return _deny(asking_call, f"{asking_call.unheard} toolgate: {problem}; until then nothing can be approved.")


@dataclass(frozen=True, slots=True)
class _ScopeState:
    """The three documents of a scope, as read."""

    scope: Scope
    asked: Document
    answers: Answers
    used: Document

    def find_grant(self, operation: str, asking_call: AskingCall) -> str | None:
        agent = asking_call.event.scene.caller.agent
        return approvals.find_approval(
            self.answers,
            self.used,
            operation,
            asking_call.blocking_rules,
            agent,
            asking_call.call.now,
            asking_call.approvable_targets,
        )


@dataclass(frozen=True, slots=True)
class _ApprovalState:
    held: tuple[_ScopeState, ...]

    def is_refused(self, operation: str, asking_call: AskingCall) -> bool:
        agent, now = asking_call.event.scene.caller.agent, asking_call.call.now
        return any(approvals.is_denied(each.answers, operation, agent, now) for each in self.held)

    def has_grant(self, operation: str, asking_call: AskingCall) -> bool:
        return any(each.find_grant(operation, asking_call) for each in self.held)

    def use_grant(self, operation: str, asking_call: AskingCall, store: Store) -> Decision | None:
        """Returns the decision without the findings that a person approved; None where there is no such approval (any more)."""
        for each in self.held:
            id_ = each.find_grant(operation, asking_call)
            if id_ is None:
                continue
            uses, now = each.answers[id_].uses, asking_call.call.now

            def use_approval(document: Document, id_: str = id_, uses: int | None = uses) -> tuple[Document, bool]:
                return approvals.use_approval(document, id_, uses)

            if store.update(Key(each.scope, USED_DOCUMENT), use_approval, now, now + KEEP_SECONDS):
                waived = tuple(finding for finding in asking_call.decision.findings if finding.rule in asking_call.blocking_rules)
                return decide(asking_call.decision.findings, asking_call.policy, waived)
        return None


def _load_state(asking_call: AskingCall, store: Store) -> _ApprovalState:
    scopes = list_approval_scopes(asking_call.event.scene)
    names = (ASKED_DOCUMENT, ANSWERS, USED_DOCUMENT, ENDED_DOCUMENT)
    found = iter(store.load(tuple(Key(scope, name) for scope in scopes for name in names), asking_call.call.now))
    held = []
    for scope in scopes:
        requests, answers, used, ended = next(found), next(found), next(found), next(found)
        began = ended.get("at", 0.0)
        alive = {id_: each for id_, each in approvals.decode_answers(answers).items() if each.at > began}
        held.append(_ScopeState(scope, requests, alive, used))
    return _ApprovalState(tuple(held))


def _file_request(asking_call: AskingCall, operation: str, state: _ApprovalState, store: Store) -> Decision:
    """Lets the host ask where it can, else gives the person a request with a code."""
    if not asking_call.unheard:
        return asking_call.decision
    scene, now = asking_call.event.scene, asking_call.call.now
    if not scene.caller.session:
        if asking_call.policy.on_missing_context == "warn":
            return replace(asking_call.decision, verdict=Verdict.WARN, tell_agent="")
        return _deny(asking_call, f"{asking_call.unheard} {messages.NOBODY_TO_ASK}")
    answered = {id_ for each in state.held for id_ in each.answers}
    pending = approvals.find_waiting(state.held[0].asked, answered, operation, scene.caller.agent, now)
    is_answered_here = asking_call.ways.in_conversation and not find_place_doubt(asking_call.host, asking_call.call)
    if pending is not None and now - pending.at < REMINDER_SECONDS:
        return _deny(asking_call, f"{asking_call.unheard} {messages.STILL_WAITING}")
    code = build_code(os.urandom(16))
    request = Request(
        id=os.urandom(8).hex(),
        digest=operation,
        rules=asking_call.blocking_rules,
        reason=redact_text(asking_call.decision.tell_user, asking_call.policy, scene, asking_call.event.action),
        tool=asking_call.event.tool,
        shown=redact_text(
            messages.describe_operation(asking_call.event.tool, asking_call.event.action),
            asking_call.policy,
            scene,
            asking_call.event.action,
        ),
        cwd=scene.cwd,
        project=scene.project,
        host=scene.caller.host,
        session=scene.caller.session,
        agent=scene.caller.agent,
        process=find_host_process(asking_call.host, asking_call.call),
        policy=asking_call.policy.digest,
        at=now,
        until=now + approvals.PENDING_SECONDS,
        code=hash_code(code, os.urandom(8).hex()),
        iteration=scene.environ.get(PLAN_FOLDER_VARIABLE, ""),
        targets=asking_call.approvable_targets,
    )
    store.update(
        Key(session_scope(scene), ASKED_DOCUMENT),
        lambda document: approvals.add_request(document, request, now),
        now,
        now + KEEP_SECONDS,
    )
    to_user = messages.build_user_message(request, code, asking_call.ways.command, here=is_answered_here)
    return replace(
        _deny(asking_call, f"{asking_call.unheard} {messages.build_agent_message(request, asking_call.policy)}"),
        to_user_alone=to_user,
    )


def _decide_unapprovable(asking_call: AskingCall) -> Decision:
    return _deny(asking_call, asking_call.unheard) if asking_call.unheard else asking_call.decision


def _deny(asking_call: AskingCall, why: str) -> Decision:
    reason = asking_call.decision.tell_agent or asking_call.decision.tell_user
    return replace(asking_call.decision, verdict=Verdict.DENY, tell_agent=f"{reason} {why}".strip())


def _iter_changed_paths(effects: Effects) -> Iterator[str]:
    """Yields the known paths on this machine that a call changes, links followed."""
    for effect in effects.all:
        match effect:
            case Write(place) | Delete(place) | Permission(place) | Link(place) | Mount(place):
                places: tuple[Place, ...] = (place,)
            case Move(place, to):
                places = (place, to)
            case _:
                continue
        yield from (f"{each.path or each.anchor or ''}/{each.rest}" for each in places if each.machine == LOCAL)
