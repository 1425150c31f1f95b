"""Leases of folders: one worker at a time. A document holds the worker, and how long the lease lasts if the worker cannot be
checked."""

from typing import NamedTuple

from toolgate.model.store import Document

LEASE_DOCUMENT = "executor"
LEASE_SECONDS = 3600.0  # seconds after the last call of a holder that cannot be checked


class Holder(NamedTuple):
    """`session` as its host names it; `process` identifies the host's process on `machine`, empty where that is unknown."""

    session: str
    process: str = ""
    machine: str = ""


def take_lease(
    document: Document, holder: Holder, now: float, ended_holder: Holder | None = None
) -> tuple[Document, Holder | None]:
    """Gives the lease to a worker, or returns the current holder. `ended_holder`: a holder that is known to have ended. A lease
    taken recently is not written again."""
    before = read_holder(document)
    if (
        before is None
        or before == ended_holder
        or is_same_worker(before, holder)
        or (now >= document["until"] and not can_check(before, holder))
    ):
        if before == holder and now < document["until"] - LEASE_SECONDS / 2:
            return document, None
        since = document["since"] if before is not None and is_same_worker(before, holder) else now
        return {**holder._asdict(), "since": since, "until": now + LEASE_SECONDS}, None
    return document, before


def release_lease(document: Document, holder: Holder) -> tuple[Document, None]:
    before = read_holder(document)
    return ({}, None) if before is not None and before.session == holder.session else (document, None)


def read_holder(document: Document) -> Holder | None:
    return Holder(document["session"], document["process"], document["machine"]) if document else None


def is_same_worker(first: Holder, other: Holder) -> bool:
    """A session that its host starts again in the same process is the same worker."""
    return first.session == other.session or (can_check(first, other) and first.process == other.process)


def can_check(holder: Holder, other: Holder) -> bool:
    """Returns whether this machine can tell whether the worker still runs."""
    return bool(holder.process) and bool(holder.machine) and holder.machine == other.machine
