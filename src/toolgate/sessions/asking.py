"""Resolves a call that asks: uses an approval, routes the question, or decides until somebody answers.

An approval is used within the decision, by compare-and-set: of two calls that race for the last use, one gets it. Where it was
there and is gone, the call is judged once again, then without it.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace

from toolgate.consent import approvals
from toolgate.consent.approvals import ASKED, USED, Answers, Request
from toolgate.consent.codes import code, kept
from toolgate.consent.operation import Followed, digest
from toolgate.consent.patterns import Target, targets
from toolgate.consent.pushes import Commits
from toolgate.hosts.capabilities import capabilities
from toolgate.judge import decide, in_the_way
from toolgate.model.decision import Decision, Verdict
from toolgate.model.effect import Effects, changed
from toolgate.model.errors import StoreError
from toolgate.model.event import ToolCall
from toolgate.model.host import Host
from toolgate.model.request import Request as HookCall
from toolgate.model.rule import Policy
from toolgate.model.state import ANSWERS, Document, Key, Scope, Store

from . import BY_THE_USER, Ways, scopes_of, session_of, wording
from .hushing import without_secrets
from .witness import doubt_of_place, host_process

ENDED = "ended"
KEPT = 400 * 86400.0  # longer than any approval can last
ATTEMPTS = 2
REMINDED = 60.0  # before the same call asks the user again


@dataclass(frozen=True, slots=True)
class Asked:
    """A call that asks, with everything known about it. `unheard`: why the host's own question would reach nobody."""

    event: ToolCall
    decision: Decision
    effects: Effects
    followed: Callable[[], Followed]
    policy: Policy
    host: Host
    call: HookCall
    unheard: str
    commits: Callable[[], Commits] = tuple
    ways: Ways = BY_THE_USER

    @property
    def rules(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.rule for each in in_the_way(self.decision.findings, self.policy)))

    @property
    def digest(self) -> str:
        return digest(self.event, self.effects, self.followed(), self.commits())

    @property
    def targets(self) -> tuple[Target, ...]:
        """The targets that an approval can cover; none where a file is run, which may differ the next time."""
        return () if self.followed() else targets(in_the_way(self.decision.findings, self.policy))

    @property
    def may_be_approved(self) -> bool:
        """Whether no finding has a floor: nobody can waive one."""
        return not any(each.floor > Verdict.WARN for each in in_the_way(self.decision.findings, self.policy))


def unheard(event: ToolCall, policy: Policy, effects: Effects, host: Host, call: HookCall) -> str:
    """Returns why the host's own question would reach nobody; empty where it would."""
    if policy.ask_through == "code":
        return BY_MESSAGE
    dropped = capabilities(host.NAME).no_question or host.may_drop(event, changed(effects))
    return dropped or (NOBODY_THERE if host.seat(call.environ).attended is False else "")


BY_MESSAGE = "The policy asks by a message to the user."
NOBODY_THERE = "Nobody sits at this client who could be asked."


def is_refused(asked: Asked, open_store: Callable[[], Store]) -> bool:
    """Returns whether a person has denied exactly this call; where the store fails, they may have."""
    try:
        return _load(asked, open_store()).refused(asked.digest, asked)
    except StoreError:
        return True


def settled(asked: Asked, open_store: Callable[[], Store]) -> Decision:
    """Returns the decision on a call that asks."""
    if not asked.may_be_approved:
        return _unapproved(asked)
    try:
        store = open_store()
        operation = asked.digest
        for _ in range(ATTEMPTS):
            state = _load(asked, store)
            if state.refused(operation, asked):
                return _denied(asked, wording.SAID_NO)
            waived = state.take(operation, asked, store)
            if waived is not None:
                return waived
            if not state.had(operation, asked):
                return _questioned(asked, operation, state, store)
        return _denied(asked, wording.STILL_WAITING)
    except StoreError as problem:
        return without_state(asked, problem)


def without_state(asked: Asked, problem: StoreError) -> Decision:
    """Returns the decision where the store fails. If the host asks by itself, the store is not needed; else the policy's
    `on_store_error` decides."""
    if not asked.unheard:
        return replace(asked.decision, tell_user=f"{asked.decision.tell_user}\ntoolgate: {problem}; no approval can be looked up")
    if asked.policy.on_store_error == "warn":
        told = f"{asked.decision.tell_user}\ntoolgate: {problem}; the policy's `on_store_error` lets it go on"
        return replace(asked.decision, verdict=Verdict.WARN, tell_user=told, tell_agent="")
    return _denied(asked, f"{asked.unheard} toolgate: {problem}; until then nothing can be approved.")


@dataclass(frozen=True, slots=True)
class _Held:
    """The three documents of a scope, as read."""

    scope: Scope
    asked: Document
    answers: Answers
    used: Document

    def granted(self, operation: str, asked: Asked) -> str | None:
        agent = asked.event.scene.caller.agent
        return approvals.granted(self.answers, self.used, operation, asked.rules, agent, asked.call.now, asked.targets)


@dataclass(frozen=True, slots=True)
class _State:
    held: tuple[_Held, ...]

    def refused(self, operation: str, asked: Asked) -> bool:
        agent, now = asked.event.scene.caller.agent, asked.call.now
        return any(approvals.refused(each.answers, operation, agent, now) for each in self.held)

    def had(self, operation: str, asked: Asked) -> bool:
        return any(each.granted(operation, asked) for each in self.held)

    def take(self, operation: str, asked: Asked, store: Store) -> Decision | None:
        """Returns the decision without the findings that a person approved; None where there is no such approval (any more)."""
        for each in self.held:
            id_ = each.granted(operation, asked)
            if id_ is None:
                continue
            uses, now = each.answers[id_].uses, asked.call.now

            def take(document: Document, id_: str = id_, uses: int | None = uses) -> tuple[Document, bool]:
                return approvals.taken(document, id_, uses)

            if store.update(Key(each.scope, USED), take, now, now + KEPT):
                waived = tuple(finding for finding in asked.decision.findings if finding.rule in asked.rules)
                return decide(asked.decision.findings, asked.policy, waived)
        return None


def _load(asked: Asked, store: Store) -> _State:
    scopes = scopes_of(asked.event.scene)
    names = (ASKED, ANSWERS, USED, ENDED)
    found = iter(store.load(tuple(Key(scope, name) for scope in scopes for name in names), asked.call.now))
    held = []
    for scope in scopes:
        requests, answers, used, ended = next(found), next(found), next(found), next(found)
        began = ended.get("at", 0.0)
        alive = {id_: each for id_, each in approvals.answers(answers).items() if each.at > began}
        held.append(_Held(scope, requests, alive, used))
    return _State(tuple(held))


def _questioned(asked: Asked, operation: str, state: _State, store: Store) -> Decision:
    """Lets the host ask where it can, else gives the person a request with a code."""
    if not asked.unheard:
        return asked.decision
    scene, now = asked.event.scene, asked.call.now
    if not scene.caller.session:
        if asked.policy.on_missing_context == "warn":
            return replace(asked.decision, verdict=Verdict.WARN, tell_agent="")
        return _denied(asked, f"{asked.unheard} {wording.NOBODY}")
    answered = {id_ for each in state.held for id_ in each.answers}
    pending = approvals.waiting(state.held[0].asked, answered, operation, scene.caller.agent, now)
    here = asked.ways.in_conversation and not doubt_of_place(asked.host, asked.call)
    if pending is not None and now - pending.at < REMINDED:
        return _denied(asked, f"{asked.unheard} {wording.STILL_WAITING}")
    told = code(os.urandom(16))
    request = Request(
        id=os.urandom(8).hex(),
        digest=operation,
        rules=asked.rules,
        reason=without_secrets(asked.decision.tell_user, asked.policy, scene, asked.event.action),
        tool=asked.event.tool,
        shown=without_secrets(wording.shown(asked.event.tool, asked.event.action), asked.policy, scene, asked.event.action),
        cwd=scene.cwd,
        project=scene.project,
        host=scene.caller.host,
        session=scene.caller.session,
        agent=scene.caller.agent,
        process=host_process(asked.host, asked.call),
        policy=asked.policy.digest,
        at=now,
        until=now + approvals.PENDING_FOR,
        code=kept(told, os.urandom(8).hex()),
        iteration=scene.environ.get("NOUS_ITER_DIR", ""),
        targets=asked.targets,
    )
    store.update(Key(session_of(scene), ASKED), lambda document: approvals.filed(document, request, now), now, now + KEPT)
    to_user = wording.to_the_user(request, told, asked.ways.command, here=here)
    return replace(_denied(asked, f"{asked.unheard} {wording.to_the_agent(request, asked.policy)}"), to_user_alone=to_user)


def _unapproved(asked: Asked) -> Decision:
    return _denied(asked, asked.unheard) if asked.unheard else asked.decision


def _denied(asked: Asked, why: str) -> Decision:
    said = asked.decision.tell_agent or asked.decision.tell_user
    return replace(asked.decision, verdict=Verdict.DENY, tell_agent=f"{said} {why}".strip())
