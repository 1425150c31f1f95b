"""Requests, answers and uses, as functions on their documents."""

from dataclasses import asdict, replace

import pytest

from toolgate.consent.approvals import (
    MAX_PENDING,
    PENDING_SECONDS,
    Answer,
    Reach,
    Request,
    RequestState,
    add_answer,
    add_request,
    build_answer,
    build_grant,
    decode_answers,
    decode_requests,
    find_approval,
    find_state,
    find_waiting,
    grants,
    is_denied,
    revoke_answer,
    use_approval,
    withdraw_all,
)
from toolgate.consent.grants import Clause, Deed
from toolgate.consent.patterns import Target
from toolgate.model.store import Document

DELETIONS = (Target("filesystem.delete-project", "delete", "/p/build/*"),)


def request(id_: str = "r", digest: str = "operation", agent: str = "main", at: float = 100.0) -> Request:
    return Request(
        *(id_, digest, ("git.clean",), "A reason.", "Bash", "git clean -f", "/p", "/p", "claude-code", "s", agent, "", "policy"),
        *(at, at + 50, "code"),
    )


def answer(reach: Reach = "once", *, yes: bool = True) -> Answer:
    return build_answer(request(), yes=yes, reach=reach, now=110.0, until=150.0, how="terminal", by="u", alike=DELETIONS)[1]


STATES: list[tuple[Request, Answer | None, int, float, RequestState]] = [
    (request(), None, 0, 99.0, "expired"),
    (request(), None, 0, 100.0, "pending"),
    (request(), None, 0, 149.0, "pending"),
    (request(), None, 0, 150.0, "expired"),
    (replace(request(), withdrawn=True), None, 0, 120.0, "withdrawn"),
    (request(), answer(yes=False), 0, 120.0, "denied"),
    (request(), replace(answer(), revoked=True), 0, 120.0, "withdrawn"),
    (request(), answer(), 0, 109.0, "expired"),
    (request(), answer(), 0, 110.0, "approved"),
    (request(), answer(), 0, 150.0, "expired"),
    (request(), answer(), 1, 120.0, "consumed"),
    (request(), answer("session"), 9, 120.0, "approved"),
]


@pytest.mark.parametrize(("asked", "answered", "used", "now", "state"), STATES)
def test_the_state_of_a_request(asked: Request, answered: Answer | None, used: int, now: float, state: RequestState) -> None:
    assert find_state(asked, {} if answered is None else {"r": answered}, {"r": used}, now) == state


def documents(*requests: Request, now: float = 100.0) -> Document:
    document: Document = {}
    for each in requests:
        document, _ = add_request(document, each, now)
    return document


def test_a_request_replaces_an_earlier_one_of_the_same_agent_for_the_same_operation() -> None:
    kept = documents(request("a"), request("b"), request("c", agent="other"), request("d", digest="another"))
    assert set(kept) == {"b", "c", "d"}


def test_a_request_is_forgotten_an_hour_after_it_ended() -> None:
    first = documents(request("a"))
    assert set(add_request(first, request("b", "another"), 149.0 + PENDING_SECONDS)[0]) == {"a", "b"}
    assert set(add_request(first, request("b", "another"), 150.0 + PENDING_SECONDS)[0]) == {"b"}


def test_the_oldest_of_too_many_requests_is_withdrawn() -> None:
    most = [request(str(n), digest=str(n)) for n in range(MAX_PENDING)]
    assert not any(each.withdrawn for each in decode_requests(documents(*most)).values())
    more = decode_requests(documents(*most, request("x", digest="x"), request("y", digest="y")))
    assert [id_ for id_, each in more.items() if each.withdrawn] == ["0", "1"]


def test_a_waiting_request_is_found_for_its_operation_and_agent() -> None:
    document = documents(request("a"))
    found = find_waiting(document, (), "operation", "main", 120.0)
    assert found == request("a")
    assert find_waiting(document, ("b",), "operation", "main", 100.0) is not None
    assert find_waiting(document, ("a",), "operation", "main", 120.0) is None
    assert find_waiting(document, (), "another", "main", 120.0) is None
    assert find_waiting(document, (), "operation", "other", 120.0) is None
    assert find_waiting(document, (), "operation", "main", 99.0) is None
    assert find_waiting(document, (), "operation", "main", 150.0) is None
    assert find_waiting(withdraw_all(document)[0], (), "operation", "main", 120.0) is None


def test_an_answer_reaches_as_far_as_it_was_given() -> None:
    assert (answer().agent, answer().uses, answer().alike) == ("main", 1, ())
    assert (answer("session").agent, answer("session").uses, answer("session").alike) == ("main", None, DELETIONS)
    assert (answer("iteration").agent, answer("project").agent, answer("project").uses) == (None, None, None)
    assert answer("project", yes=False).alike == ()


def test_documents_hold_requests_and_answers_whole() -> None:
    asked, granted = replace(request(), targets=DELETIONS), build_grant((CLAUSE,), 1.0, 9.0, "u", "A grant.")[1]
    assert decode_requests({"r": asdict(asked)}) == {"r": asked}
    assert decode_answers({"r": asdict(answer("session")), "g": asdict(granted)}) == {"r": answer("session"), "g": granted}
    old = {key: value for key, value in asdict(answer()).items() if key not in ("alike", "clauses")}
    assert decode_answers({"r": old}) == {"r": answer()}


CLAUSE = Clause("rm", ("-f",), (Deed("delete", "/p/build/*"),), ("make", "test"))


def test_the_first_answer_counts_and_ended_ones_are_dropped() -> None:
    first, added = add_answer({}, "a", answer(), 110.0)
    assert added
    assert set(first) == {"a"}
    assert add_answer(first, "a", answer(yes=False), 110.0) == (first, False)
    assert set(add_answer(first, "b", answer(), 149.0)[0]) == {"a", "b"}
    assert set(add_answer(first, "b", answer(), 150.0)[0]) == {"b"}


def test_an_answer_is_revoked_once() -> None:
    document, revoked = revoke_answer({"a": asdict(answer())}, "a")
    assert revoked
    assert document["a"]["revoked"] is True
    assert revoke_answer(document, "a") == (document, False)
    assert revoke_answer(document, "b") == (document, False)


def approval(
    answers: dict[str, Answer], digest: str = "operation", used: int = 0, now: float = 120.0, what: str = ""
) -> str | None:
    targets = (Target("filesystem.delete-project", "delete", what),) if what else ()
    return find_approval(answers, dict.fromkeys(answers, used), digest, ("git.clean",), "main", now, targets)


def test_an_approval_covers_its_operation_while_it_is_valid() -> None:
    assert approval({"a": answer()}) == "a"
    assert approval({"a": answer()}, digest="another") is None
    assert approval({"a": answer()}, used=1) is None
    assert approval({"a": answer("session")}, used=1) == "a"
    assert approval({"a": answer()}, now=110.0) == "a"
    assert approval({"a": answer()}, now=109.0) is None
    assert approval({"a": answer()}, now=150.0) is None
    assert approval({"a": answer(yes=False)}) is None
    assert approval({"a": replace(answer(), revoked=True)}) is None


def test_an_approval_is_for_the_rules_it_named_and_for_its_agent() -> None:
    assert approval({"a": replace(answer(), rules=("git.clean", "git.discard"))}) == "a"
    assert approval({"a": replace(answer(), rules=("git.discard",))}) is None
    assert approval({"a": replace(answer(), agent="other")}) is None
    assert approval({"a": replace(answer(), agent=None)}) == "a"


def test_an_approval_with_a_pattern_covers_what_matches_it() -> None:
    assert approval({"a": answer("session")}, digest="another", what="/p/build/x") == "a"
    assert approval({"a": answer("session")}, digest="another", what="/p/src/x") is None
    assert approval({"a": answer("session")}, digest="another") is None


def test_an_unlimited_approval_is_used_before_a_limited_one() -> None:
    assert approval({"a": answer(), "b": answer("session")}) == "b"


def test_grants_are_the_valid_answers_with_clauses_given_since() -> None:
    id_, granted = build_grant((CLAUSE,), 100.0, 150.0, "u", "A grant.")
    answers = {id_: granted, "r": answer()}
    assert [(each.id, each.at, each.clauses) for each in grants(answers, {}, 99.0, 120.0)] == [(id_, 100.0, (CLAUSE,))]
    assert grants(answers, {}, 100.0, 120.0) == ()
    assert grants(answers, {}, 99.0, 150.0) == ()


def test_a_denial_is_for_its_operation_and_agent_until_it_ends() -> None:
    denied = {"a": answer(yes=False)}
    assert is_denied(denied, "operation", "main", 110.0)
    assert is_denied({"a": answer("project", yes=False)}, "operation", "other", 110.0)
    assert not is_denied({"a": answer()}, "operation", "main", 120.0)
    assert not is_denied(denied, "another", "main", 120.0)
    assert not is_denied(denied, "operation", "other", 120.0)
    assert not is_denied(denied, "operation", "main", 109.0)
    assert not is_denied(denied, "operation", "main", 150.0)


def test_uses_are_counted_up_to_the_limit() -> None:
    assert use_approval({}, "a", 1) == ({"a": 1}, True)
    assert use_approval({"a": 1}, "a", 1) == ({"a": 1}, False)
    assert use_approval({"a": 7}, "a", None) == ({"a": 8}, True)


def test_a_grant_may_name_any_path() -> None:
    clause = CLAUSE._replace(deeds=(Deed("delete", "/p/\udcff"),))
    assert build_grant((clause,), 1.0, 9.0, "u", "A grant.")[0] != build_grant((CLAUSE,), 1.0, 9.0, "u", "A grant.")[0]
