"""Leases of folders: one worker at a time. A document holds the worker, and how long the lease lasts if the worker cannot be
checked."""

from typing import NamedTuple

from toolgate.model.state import Document

LEASE = "executor"
LASTS = 3600.0  # seconds after the last call of a holder that cannot be checked


class Holder(NamedTuple):
    """`session` as its host names it; `process` identifies the host's process on `machine`, empty where that is unknown."""

    session: str
    process: str = ""
    machine: str = ""


def taken(document: Document, who: Holder, now: float, gone: Holder | None = None) -> tuple[Document, Holder | None]:
    """Gives the lease to a worker, or returns the current holder. `gone`: a holder that is known to have ended. A lease taken
    recently is not written again."""
    before = holder(document)
    if before is None or before == gone or same(before, who) or (now >= document["until"] and not seen_from(before, who)):
        if before == who and now < document["until"] - LASTS / 2:
            return document, None
        since = document["since"] if before is not None and same(before, who) else now
        return {**who._asdict(), "since": since, "until": now + LASTS}, None
    return document, before


def given_up(document: Document, who: Holder) -> tuple[Document, None]:
    before = holder(document)
    return ({}, None) if before is not None and before.session == who.session else (document, None)


def holder(document: Document) -> Holder | None:
    return Holder(document["session"], document["process"], document["machine"]) if document else None


def same(one: Holder, other: Holder) -> bool:
    """A session that its host starts again in the same process is the same worker."""
    return one.session == other.session or (seen_from(one, other) and one.process == other.process)


def seen_from(one: Holder, other: Holder) -> bool:
    """Returns whether this machine can tell whether the worker still runs."""
    return bool(one.process) and bool(one.machine) and one.machine == other.machine
