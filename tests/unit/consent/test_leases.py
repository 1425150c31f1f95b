"""Leases of folders: who holds one, and when another worker gets it."""

import pytest

from toolgate.consent.leases import LEASE_SECONDS, Holder, is_same_worker, read_holder, release_lease, take_lease
from toolgate.model.store import Document

FIRST, OTHER = Holder("a"), Holder("b")
KNOWN = Holder("a", "12:99", "host")
"""A worker whose process this machine can check."""


def lease(holder: Holder = FIRST) -> Document:
    document, refused_by = take_lease({}, holder, 100.0)
    assert refused_by is None
    return document


def test_a_free_folder_is_leased_from_now_on() -> None:
    assert lease() == {"session": "a", "process": "", "machine": "", "since": 100.0, "until": 100.0 + LEASE_SECONDS}


def test_another_worker_gets_it_when_it_ends() -> None:
    assert take_lease(lease(), OTHER, 99.0 + LEASE_SECONDS) == (lease(), FIRST)
    taken, refused_by = take_lease(lease(), OTHER, 100.0 + LEASE_SECONDS)
    assert refused_by is None
    assert (taken["session"], taken["since"]) == ("b", 100.0 + LEASE_SECONDS)


def test_a_holder_that_can_be_checked_keeps_it_until_it_has_ended() -> None:
    beside = Holder("b", "13:99", "host")
    late = 200.0 + LEASE_SECONDS
    assert take_lease(lease(KNOWN), beside, late) == (lease(KNOWN), KNOWN)
    assert take_lease(lease(KNOWN), beside, late, KNOWN)[1] is None
    assert take_lease(lease(KNOWN), Holder("b", "13:99", "elsewhere"), late)[1] is None


def test_a_lease_taken_recently_is_not_written_again() -> None:
    half = 100.0 + LEASE_SECONDS / 2
    assert take_lease(lease(), FIRST, half - 1) == (lease(), None)
    renewed, _ = take_lease(lease(), FIRST, half)
    assert (renewed["since"], renewed["until"]) == (100.0, half + LEASE_SECONDS)


def test_a_session_that_starts_again_in_its_process_keeps_the_lease() -> None:
    again = KNOWN._replace(session="c")
    taken, refused_by = take_lease(lease(KNOWN), again, 110.0)
    assert refused_by is None
    assert (taken["session"], taken["since"]) == ("c", 100.0)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (Holder("a"), True),
        (Holder("c", "12:99", "host"), True),
        (Holder("c", "13:99", "host"), False),
        (Holder("c", "12:99", "elsewhere"), False),
        (Holder("c"), False),
    ],
)
def test_which_workers_are_the_same(other: Holder, same: bool) -> None:
    assert is_same_worker(KNOWN, other) is same


def test_workers_without_a_process_are_told_apart_by_their_sessions() -> None:
    assert not is_same_worker(Holder("a", "", "host"), Holder("b", "", "host"))
    assert not is_same_worker(Holder("a", "12:99"), Holder("b", "12:99"))


def test_only_the_holder_releases_it() -> None:
    assert release_lease(lease(), FIRST) == ({}, None)
    assert release_lease(lease(), OTHER) == (lease(), None)
    assert release_lease({}, FIRST) == ({}, None)
    assert read_holder({}) is None
