"""Who works in a folder: one at a time. A document holds the one who does, and for how long that is believed unseen."""

from typing import NamedTuple

from toolgate.model.state import Document

LEASE = "executor"
LASTS = 3600.0  # seconds after its last call that a holder is believed who cannot be looked at


class Holder(NamedTuple):
    """`session` as its host names it; `process` names the host's very process on `machine`, empty where that is not told."""

    session: str
    process: str = ""
    machine: str = ""


def taken(document: Document, who: Holder, now: float, gone: Holder | None = None) -> tuple[Document, Holder | None]:
    """The folder is theirs from now on, or somebody else's who was there before. `gone`: one who is known not to work any more.
    What was taken a moment ago is not written again."""
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
    """A session that its host begins anew in the same process is the same worker."""
    return one.session == other.session or (seen_from(one, other) and one.process == other.process)


def seen_from(one: Holder, other: Holder) -> bool:
    """Can it be told here whether that one still works?"""
    return bool(one.process) and bool(one.machine) and one.machine == other.machine
