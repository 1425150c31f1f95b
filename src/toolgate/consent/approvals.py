"""Requests, people's answers, and their uses: three documents of a scope, and functions on them.

asked    id -> request       written by the gate
answers  id -> answer        written for a person; on a server only by the approver's role
used     id -> count         written by the gate, as part of the decision: an approval is used, or there is none

An answer repeats its request, so that an account that may only ask cannot change it afterwards. Setting the clock back makes
nothing valid: an answer is valid from the moment it was given until it ends.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Literal

from toolgate.model.store import Document

from .grants import Clause, Deed, Grant
from .patterns import Target, is_covering_pattern

ASKED_DOCUMENT, USED_DOCUMENT = "asked", "used"
PENDING_SECONDS = 3600.0  # seconds that a request waits
APPROVED_SECONDS = 3600.0  # seconds that an approval of one call waits for it
MAX_PENDING = 20  # of one session; the oldest is withdrawn
RequestState = Literal["pending", "approved", "denied", "expired", "withdrawn", "consumed"]
Reach = Literal["once", "session", "iteration", "project"]
REACHES: tuple[Reach, ...] = ("once", "session", "iteration", "project")


@dataclass(frozen=True, slots=True)
class Request:
    """`digest` identifies the operation, `shown` is its text for a person. `process`: the host that showed the code, as
    `number:start`; empty where it is unknown. `code` is a hash."""

    id: str
    digest: str
    rules: tuple[str, ...]
    reason: str
    tool: str
    shown: str
    cwd: str
    project: str
    host: str
    session: str
    agent: str
    process: str
    policy: str
    at: float
    until: float
    code: str
    iteration: str = ""
    withdrawn: bool = False
    targets: tuple[Target, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """`uses` None: unlimited, until it ends. `agent` None: any agent; `how` and `by`: for people. `alike`: further targets that
    it covers, beside the operation itself. `clauses`: of a grant, the effects that the host need not ask about."""

    yes: bool
    digest: str
    rules: tuple[str, ...]
    agent: str | None
    at: float
    until: float
    uses: int | None
    how: str
    by: str
    tool: str
    shown: str
    revoked: bool = False
    alike: tuple[Target, ...] = ()
    clauses: tuple[Clause, ...] = ()


Answers = Mapping[str, Answer]


def decode_requests(document: Document) -> dict[str, Request]:
    return {
        id_: Request(**{**each, "rules": tuple(each["rules"]), "targets": _decode_targets(each.get("targets", ()))})
        for id_, each in document.items()
    }


def decode_answers(document: Document) -> dict[str, Answer]:
    return {
        id_: Answer(
            **{**each, "rules": tuple(each["rules"]), "alike": _decode_targets(each.get("alike", ())), "clauses": clauses}
        )
        for id_, each in document.items()
        for clauses in (_clauses(each),)
    }


def _clauses(answer: Document) -> tuple[Clause, ...]:
    return tuple(
        Clause(program, tuple(options), tuple(Deed(*deed) for deed in deeds), tuple(test))
        for program, options, deeds, test in answer.get("clauses", ())
    )


def _decode_targets(rows: Iterable[Iterable[str]]) -> tuple[Target, ...]:
    return tuple(Target(*row) for row in rows)


def find_state(request: Request, answers: Answers, usage: Document, now: float) -> RequestState:
    answer = answers.get(request.id)
    if answer is None:
        if request.withdrawn:
            return "withdrawn"
        return "pending" if request.at <= now < request.until else "expired"
    if not answer.yes:
        return "denied"
    if answer.revoked:
        return "withdrawn"
    if answer.uses is not None and usage.get(request.id, 0) >= answer.uses:
        return "consumed"
    return "approved" if answer.at <= now < answer.until else "expired"


# ---- requests


def add_request(document: Document, request: Request, now: float) -> tuple[Document, str]:
    """Adds the request, replacing an earlier one for the same operation. Returns the document and its id."""
    waiting = {
        id_: each
        for id_, each in decode_requests(document).items()
        if each.until > now - PENDING_SECONDS and (each.digest, each.agent) != (request.digest, request.agent)
    }
    waiting[request.id] = request
    for id_ in [id_ for id_, each in waiting.items() if not each.withdrawn][:-MAX_PENDING]:
        waiting[id_] = replace(waiting[id_], withdrawn=True)
    return {id_: asdict(each) for id_, each in waiting.items()}, request.id


def withdraw_all(document: Document) -> tuple[Document, None]:
    """Withdraws all requests: none of them can be approved any more."""
    return {id_: {**each, "withdrawn": True} for id_, each in document.items()}, None


def find_waiting(document: Document, answered_ids: Collection[str], digest: str, agent: str, now: float) -> Request | None:
    """Returns a request of the same operation without an answer."""
    for each in decode_requests(document).values():
        same = (each.digest, each.agent) == (digest, agent)
        if same and each.id not in answered_ids and not each.withdrawn and each.at <= now < each.until:
            return each
    return None


# ---- answers


def build_answer(
    request: Request, *, yes: bool, reach: Reach, now: float, until: float, how: str, by: str, alike: tuple[Target, ...] = ()
) -> tuple[str, Answer]:
    """Returns a person's answer to a request. With a wider reach than a session, it is for any agent."""
    return request.id, Answer(
        yes=yes,
        digest=request.digest,
        rules=request.rules,
        agent=request.agent if reach in ("once", "session") else None,
        at=now,
        until=until,
        uses=1 if reach == "once" else None,
        how=how,
        by=by,
        tool=request.tool,
        shown=request.shown,
        alike=alike if yes and reach != "once" else (),
    )


def build_grant(clauses: tuple[Clause, ...], now: float, until: float, by: str, description: str) -> tuple[str, Answer]:
    """What a person's grant is kept as. Its name follows from what it allows and when."""
    from hashlib import sha256

    id_ = sha256(f"{clauses}{now}".encode()).hexdigest()[:16]
    return id_, Answer(True, f"grant:{id_}", (), None, now, until, None, "terminal", by, "", description, clauses=clauses)


def add_answer(document: Document, id_: str, answer: Answer, now: float) -> tuple[Document, bool]:
    """Adds the answer; False where there was one already: the first one counts."""
    if id_ in document:
        return document, False
    current = {each: body for each, body in document.items() if body["until"] > now}
    return {**current, id_: asdict(answer)}, True


def revoke_answer(document: Document, id_: str) -> tuple[Document, bool]:
    if id_ not in document or document[id_]["revoked"]:
        return document, False
    return {**document, id_: {**document[id_], "revoked": True}}, True


# ---- uses


def find_approval(
    answers: Answers, usage: Document, digest: str, rules: Iterable[str], agent: str, now: float, targets: tuple[Target, ...] = ()
) -> str | None:
    """Returns the approval that covers these rules' findings on this operation, or on similar ones; an unlimited one before a
    limited one. `targets`: those of the operation."""
    wanted_rules = frozenset(rules)
    found = [
        (answer.uses is not None, id_)
        for id_, answer in answers.items()
        if is_valid(answer, usage.get(id_, 0), now)
        and (answer.digest == digest or is_covering_pattern(answer.alike, targets))
        and wanted_rules <= set(answer.rules)
        and answer.agent in (None, agent)
    ]
    return min(found)[1] if found else None


def grants(answers: Answers, usage: Document, since: float, now: float) -> tuple[Grant, ...]:
    """The grants that are good now and were given after `since`."""
    alive = ((id_, each) for id_, each in answers.items() if each.clauses and each.at > since)
    return tuple(Grant(id_, each.at, each.clauses) for id_, each in alive if is_valid(each, usage.get(id_, 0), now))


def is_denied(answers: Answers, digest: str, agent: str, now: float) -> bool:
    """Returns whether the person denied this operation."""
    return any(
        not answer.yes and answer.digest == digest and answer.agent in (None, agent) and answer.at <= now < answer.until
        for answer in answers.values()
    )


def is_valid(answer: Answer, usage: int, now: float) -> bool:
    left = answer.uses is None or usage < answer.uses
    return answer.yes and not answer.revoked and left and answer.at <= now < answer.until


def use_approval(document: Document, id_: str, uses: int | None) -> tuple[Document, bool]:
    """Counts one use more, unless the approval is used up: then this call has none."""
    before: int = document.get(id_, 0)
    if uses is not None and before >= uses:
        return document, False
    return {**document, id_: before + 1}, True
