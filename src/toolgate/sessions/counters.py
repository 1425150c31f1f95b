"""Counters of a session, kept in its store: denials, questions, calls within a time. They survive a resume, and are shared with
every user of the store."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from toolgate.consent import budgets, escalation
from toolgate.hosts.capabilities import load_capabilities
from toolgate.judge import decide
from toolgate.model.action import AskUser
from toolgate.model.decision import NO_OBJECTION, Decision, Finding, Match, Verdict
from toolgate.model.effect import DEFAULT_ORIGIN, Operation
from toolgate.model.errors import StoreError
from toolgate.model.event import ToolCall, ToolResult
from toolgate.model.rule import Policy
from toolgate.model.store import Key, Store

from . import messages, session_scope
from .approval_requests import KEEP_SECONDS

OpenStore = Callable[[], Store]
QUESTION_BUDGET = "session.questions"


def check_question_budget(event: ToolCall, policy: Policy, now: float, open_store: OpenStore) -> Finding | None:
    """Returns a finding for a question to the user beyond the session's budget."""
    limit = policy.max_questions
    if limit is None or not isinstance(event.action, AskUser):
        return None
    scene = event.scene
    try:
        left = open_store().update(
            Key(session_scope(scene), budgets.QUESTIONS_DOCUMENT),
            lambda document: budgets.take_question(document, scene.caller.agent, limit),
            now,
            now + KEEP_SECONDS,
        )
    except StoreError as problem:
        if policy.on_store_error == "warn":
            return _build_finding(Verdict.WARN, f"{problem}; questions are not counted.")
        return _build_finding(Verdict.DENY, f"{problem}; until then questions cannot be counted.")
    return None if left is not None else _build_finding(Verdict.DENY, budgets.explain_question_limit(limit))


def _build_finding(verdict: Verdict, reason: str) -> Finding:
    return Finding(QUESTION_BUDGET, verdict, Match(Operation("user.ask", DEFAULT_ORIGIN), reason))


def explain_brief_answer(event: ToolResult, policy: Policy) -> Decision:
    """Tells the agent how to take a very short answer."""
    if policy.max_questions is None or not isinstance(event.action, AskUser):
        return NO_OBJECTION
    if any(budgets.is_brief(answer, policy.shortest_answer) for answer in event.action.answers):
        return Decision(Verdict.PASS, Verdict.PASS, tell_agent=budgets.BRIEF_NOTE)
    return NO_OBJECTION


def apply_rates(event: ToolCall, decision: Decision, policy: Policy, now: float, open_store: OpenStore) -> Decision:
    """Removes the findings of rules whose allowed rate is not yet reached. Floors ignore rates."""
    limited = {each.rule: each.rate for each in decision.findings if each.rate is not None and not each.floor}
    if not limited:
        return decision
    free = set()
    try:
        store = open_store()
        for rule, (calls, seconds) in limited.items():

            def count(document, rule=rule, calls=calls, seconds=seconds):  # type: ignore[no-untyped-def]
                return budgets.count_call(document, rule, calls, seconds, now)

            if store.update(Key(session_scope(event.scene), budgets.RATES_DOCUMENT), count, now, now + KEEP_SECONDS):
                free.add(rule)
    except StoreError as problem:
        if policy.on_store_error == "closed":
            return decision
        message = f"toolgate: {problem}; calls are not counted"
        return replace(_remove_findings(decision, limited, policy), tell_user=message)
    return _remove_findings(decision, free, policy)


def _remove_findings(decision: Decision, rules: Iterable[str], policy: Policy) -> Decision:
    names = set(rules)
    return decide(tuple(each for each in decision.findings if each.rule not in names), policy, decision.waived)


def escalate_denial(event: ToolCall, decision: Decision, now: float, open_store: OpenStore) -> Decision:
    """Keeps the first denials between the gate and the agent; then tells the user, by the agent where the host shows no messages,
    and tells the agent to stop."""
    scene, worst = event.scene, max((each.verdict for each in decision.findings), default=Verdict.PASS)
    against = [each for each in decision.findings if each.verdict is worst]
    if not against or not scene.caller.session:
        return decision
    rules = dict.fromkeys(each.rule for each in against)
    try:
        number = open_store().update(
            Key(session_scope(scene), escalation.DENIALS_DOCUMENT),
            lambda document: escalation.count_denial(document, scene.turn, scene.caller.agent, rules),
            now,
            now + KEEP_SECONDS,
        )
    except StoreError:
        return decision  # denied anyway, only not counted
    if number < escalation.TELL_USER_FROM:
        return replace(decision, tell_user="")
    action = f"{event.tool} ({' '.join(messages.describe_operation(event.tool, event.action).split())[:120]})"
    message = escalation.build_user_message(scene.agent, action, against[0].match.reason)
    stop = (escalation.STOP_MESSAGE,) if number > escalation.TELL_USER_FROM else ()
    passed_on = (
        () if load_capabilities(scene.caller.host).shows_notice_of_denial else (escalation.PASS_ON.format(message=message),)
    )
    return replace(decision, tell_user=message, tell_agent=" ".join((decision.tell_agent, *stop, *passed_on)))
