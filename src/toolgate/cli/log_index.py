"""Finds records of the audit log for a verb, through the index where there is one. An agent finds those of its own session."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from hashlib import sha256
from itertools import islice

from toolgate.audit.fields import RecordLine
from toolgate.audit.index import LogIndex, Unusable
from toolgate.audit.query import LAST_ID, Query, find_by_id, select_lines
from toolgate.audit.summary import iter_lines
from toolgate.machine.ancestry import describe_agent_above, find_agent_session
from toolgate.machine.environment import find_folders
from toolgate.model.errors import ToolgateError

from .surroundings import Surroundings
from .tier import find_audit_folder


def iter_records(surroundings: Surroundings, since: str = "") -> Iterator[RecordLine]:
    """Yields the records of this user, from a day on; beneath an agent, those of its own session.

    Raises ToolgateError where they cannot be read."""
    folder, is_own = find_audit_folder(surroundings), limit_to_own_session(surroundings)
    try:
        yield from filter(is_own, iter_lines(folder, since))
    except OSError as problem:
        raise ToolgateError(f"{folder} cannot be read: {problem.strerror or problem}") from None


def find_records(surroundings: Surroundings, query: Query, most: int = 0) -> Iterable[RecordLine]:
    """Returns the records that match, at most so many of the newest (0: all), oldest first. Raises ToolgateError."""
    if not most and query == Query():
        return select_lines(iter_records(surroundings), query)
    is_own = limit_to_own_session(surroundings)
    try:
        with closing(open_index(surroundings).select(query)) as found:
            return list(islice(filter(is_own, found), most or None))[::-1]
    except (Unusable, OSError):  # also where a file was removed meanwhile
        everything = select_lines(iter_records(surroundings, query.since[:10]), query)
        return deque(everything, most) if most else everything


def find_records_by_id(surroundings: Surroundings, part_of_id: str) -> list[RecordLine]:
    """Returns the records whose id begins or ends with `part_of_id`; for `last`, the last one that did not pass in silence.

    Raises ToolgateError."""
    is_own = limit_to_own_session(surroundings)
    try:
        with closing(open_index(surroundings).find_by_id(part_of_id)) as found:
            return list(islice(filter(is_own, found), 1 if part_of_id == LAST_ID else None))[::-1]
    except (Unusable, OSError):
        return find_by_id(iter_records(surroundings), part_of_id)


def open_index(surroundings: Surroundings) -> LogIndex:
    folder = find_audit_folder(surroundings)
    name = sha256(folder.encode(errors="surrogatepass")).hexdigest()[:16]
    return LogIndex(folder, f"{find_folders(surroundings.environ, surroundings.home).cache}/audit-{name}.db")


def limit_to_own_session(surroundings: Surroundings) -> Callable[[RecordLine], bool]:
    """Returns which records the caller may see. Raises ToolgateError beneath an agent whose session is unknown."""
    above = describe_agent_above(surroundings.environ)
    if not above:
        return lambda _line: True
    session = find_agent_session(surroundings.environ)
    if not session:
        raise ToolgateError(f"an agent may read the records of its own session alone, and which that is, is unknown: {above}")
    return lambda line: line.get("session") == session
