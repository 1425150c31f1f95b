"""Stores a person's answers to requests, from the conversation or from a terminal of their own."""

import getpass
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from toolgate.consent import approvals, codes
from toolgate.consent.approvals import ASKED_DOCUMENT, USED_DOCUMENT, Answer, Reach, Request, RequestState
from toolgate.consent.patterns import Target
from toolgate.machine.current_account import real_user
from toolgate.model.decision import Decision, Verdict
from toolgate.model.errors import StoreError
from toolgate.model.event import PromptSubmitted
from toolgate.model.host import Host
from toolgate.model.request import Answer as HostAnswer
from toolgate.model.request import Request as HookCall
from toolgate.model.rule import Policy
from toolgate.model.store import ANSWERS, Document, Key, Scope, Store

from . import messages, session_scope
from .approval_requests import ENDED_DOCUMENT, KEEP_SECONDS
from .person_evidence import find_doubt, find_host_process

WRONG_CODES = "wrong-codes"
MAX_WRONG_CODES = 3
APPROVAL_SECONDS: dict[Reach, float] = {
    "once": approvals.APPROVED_SECONDS,
    "session": 86400.0,
    "iteration": 86400.0,
    "project": 30 * 86400.0,
}
"""Seconds for which an approval lasts unless set otherwise."""


def answer_prompt(
    event: PromptSubmitted, policy: Policy, host: Host, call: HookCall, open_store: Callable[[], Store]
) -> HostAnswer | None:
    """Handles `approve CODE` or `deny CODE`; returns None for every other prompt. The prompt is withheld from the model, so that
    a code that is still valid goes no further."""
    typed_answer = codes.parse_answer(event.prompt)
    if typed_answer is None:
        return None
    if not policy.human:
        return host.refuse(call.event, "toolgate: nobody is there to approve anything under this policy (`human = false`).")
    if why := find_doubt(host, call):
        return host.refuse(call.event, f"toolgate takes no approval here: {why}. On a terminal of your own: toolgate approve")
    try:
        decision = _take_answer(typed_answer, event, host, call, open_store())
    except StoreError as problem:
        return host.refuse(call.event, f"toolgate: {problem}; nothing was approved.")
    return host.refuse(call.event, decision) if isinstance(decision, str) else host.answer(decision, event)


def _take_answer(
    typed_answer: codes.TypedAnswer, event: PromptSubmitted, host: Host, call: HookCall, store: Store
) -> Decision | str:
    """Returns the decision on an answer, or why it is not accepted."""
    scope, now = session_scope(event.scene), call.now
    requests, answers, used = store.load(tuple(Key(scope, name) for name in (ASKED_DOCUMENT, ANSWERS, USED_DOCUMENT)), now)
    decoded_answers = approvals.decode_answers(answers)
    fitting = [
        each for each in approvals.decode_requests(requests).values() if codes.is_matching_code(typed_answer.code, each.code)
    ]
    if not fitting:
        return _count_wrong_code(store, scope, now)
    request = fitting[0]
    state = approvals.find_state(request, decoded_answers, used, now)
    if state != "pending":
        return f"toolgate: this request is {state}; nothing was changed."
    if not request.process or request.process != find_host_process(host, call):
        return "toolgate: another client showed this code; answer it there, or on a terminal of your own: toolgate approve"
    reach: Reach = "session" if typed_answer.reach == "session" else "once"
    if not store_answer(store, request, yes=typed_answer.yes, reach=reach, now=now, how="conversation"):
        return "toolgate: this request was answered already."
    to_user, to_agent = (
        messages.build_approval_messages(request, reach) if typed_answer.yes else messages.build_denial_messages(request)
    )
    return Decision(Verdict.WARN, Verdict.WARN, tell_user=to_user, tell_agent=to_agent)


def _count_wrong_code(store: Store, scope: Scope, now: float) -> str:
    """Counts a wrong code; too many withdraw every request of the session, so that guessing cannot succeed."""

    def count(document: Document) -> tuple[Document, int]:
        number = document.get("n", 0) + 1
        return {"n": number % MAX_WRONG_CODES}, number

    if store.update(Key(scope, WRONG_CODES), count, now, now + approvals.PENDING_SECONDS) < MAX_WRONG_CODES:
        return "toolgate: nothing waits under this code in this session."
    store.update(Key(scope, ASKED_DOCUMENT), approvals.withdraw_all, now, now + KEEP_SECONDS)
    return "toolgate: that was wrong too often; every request of this session is withdrawn. What is stopped again asks again."


def store_answer(
    store: Store,
    request: Request,
    *,
    yes: bool,
    reach: Reach,
    now: float,
    how: str,
    until: float | None = None,
    alike: tuple[Target, ...] = (),
) -> bool:
    """Stores a person's answer where the store lets this role write it. Returns False where it was answered already."""
    scope = {
        "project": Scope("project", request.project),
        "iteration": Scope("iteration", request.iteration),
    }.get(reach, Scope("session", f"{request.host}/{request.session}"))
    ends = now + APPROVAL_SECONDS[reach] if until is None else until
    id_, answer = approvals.build_answer(
        request, yes=yes, reach=reach, now=now, until=ends, how=how, by=name_of_user(), alike=alike
    )
    return keep_answer(store, scope, id_, answer, now)


def keep_answer(store: Store, scope: Scope, id_: str, answer: Answer, now: float) -> bool:
    """Writes it where the store lets this role write it. False: there is one of this id."""
    return store.update(
        Key(scope, ANSWERS), lambda document: approvals.add_answer(document, id_, answer, now), now, now + KEEP_SECONDS
    )


def name_of_user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(real_user())


# ---- for `toolgate approve` and `toolgate approvals`


@dataclass(frozen=True, slots=True)
class ListedRequest:
    """A request with its state. `answer`: the answer to it, if any."""

    scope: Scope
    request: Request
    state: RequestState
    answer: Answer | None


def iter_requests(store: Store, now: float) -> Iterator[ListedRequest]:
    """Yields every request of every session that is still kept, the oldest first."""
    found = []
    for scope, document in store.scopes(ASKED_DOCUMENT, now):
        answers, used, ended = store.load(tuple(Key(scope, name) for name in (ANSWERS, USED_DOCUMENT, ENDED_DOCUMENT)), now)
        for request in approvals.decode_requests(document).values():
            wider = (Scope("project", request.project), Scope("iteration", request.iteration))
            beyond = store.load(tuple(Key(each, ANSWERS) for each in wider), now)
            decoded_answers = approvals.decode_answers({**beyond[0], **beyond[1], **answers})
            if request.at > ended.get("at", 0.0):
                found.append(
                    ListedRequest(
                        scope, request, approvals.find_state(request, decoded_answers, used, now), decoded_answers.get(request.id)
                    )
                )
    return iter(sorted(found, key=lambda each: each.request.at))


def iter_valid_approvals(store: Store, now: float) -> Iterator[tuple[Scope, str, Answer]]:
    """Yields every approval that is still valid, of any reach."""
    for scope, document in store.scopes(ANSWERS, now):
        ended, used = store.load((Key(scope, ENDED_DOCUMENT), Key(scope, USED_DOCUMENT)), now)
        for id_, answer in approvals.decode_answers(document).items():
            if approvals.is_valid(answer, used.get(id_, 0), now) and answer.at > ended.get("at", 0.0):
                yield scope, id_, answer


def revoke_approval(store: Store, scope: Scope, id_: str, now: float) -> bool:
    return store.update(Key(scope, ANSWERS), lambda document: approvals.revoke_answer(document, id_), now, now + KEEP_SECONDS)
