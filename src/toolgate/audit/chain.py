"""The chain of the audit log: each line contains its number and the digest of the line before it.

The head file records the newest line, so that appended lines continue the chain and lines left by a crash are noticed. Without a
copy of the head elsewhere (a checkpoint), nothing shows that an account rewrote its whole log, head included.
"""

import json
from hashlib import sha256
from typing import Any, NamedTuple

HEAD_FILE = "chain.head"
NUMBER_KEY, PREVIOUS_KEY = "number", "previous"
OUTCOME_KIND = "outcome"  # what became of a call that was recorded before
DELETED_KIND = "deleted"  # replaces a record that its owner deleted; holds that record's digest
DELETION_KIND, RETENTION_KIND = "deletion", "retention"  # chained lines that list deleted records, or removed days
HEAD_BYTES = 256


class Head(NamedTuple):
    """The newest line of the chain: its file, the size of that file after it, its number and its digest."""

    segment: str
    size: int
    number: int
    digest: str

    def encode(self) -> bytes:
        return f"{self.segment} {self.size} {self.number} {self.digest}\n".encode().ljust(HEAD_BYTES)


EMPTY_HEAD = Head("", 0, 0, "")


def decode_head(data: bytes) -> Head | None:
    """Returns the head in a head file, or None where it has no readable one."""
    parts = data.split()
    if len(parts) != 4 or not (parts[1].isdigit() and parts[2].isdigit()):
        return None
    segment, size, number, digest = parts
    return Head(segment.decode("ascii", "replace"), int(size), int(number), digest.decode("ascii", "replace"))


def chain_line(line: bytes, head: Head) -> bytes:
    """Returns the line of a JSON object, without its line end, with its place in the chain after `head`. Raises ValueError for
    others."""
    if not (line.startswith(b"{") and line.endswith(b"}")):
        raise ValueError("a record is a JSON object")
    return b'%b,"%b":%d,"%b":"%b"}' % (
        line[:-1],
        NUMBER_KEY.encode(),
        head.number + 1,
        PREVIOUS_KEY.encode(),
        head.digest.encode(),
    )


def digest_line(line: bytes) -> str:
    """Returns the digest of a line without its line end."""
    return sha256(line).hexdigest()


class ChainLink(NamedTuple):
    """A line's place in the chain. `digest` is that of the line, or of the deleted record that it replaces."""

    number: int
    previous: str
    digest: str
    table: dict[str, Any]


def read_link(line: bytes) -> ChainLink | None:
    """Returns the place of a line in the chain; None for a line without one: of an older version, or cut short."""
    try:
        table = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(table, dict):
        return None
    number, previous = table.get(NUMBER_KEY), table.get(PREVIOUS_KEY)
    if not isinstance(number, int) or isinstance(number, bool) or not isinstance(previous, str):
        return None
    kept = table.get("digest") if table.get("kind") == DELETED_KIND else None
    return ChainLink(number, previous, kept if isinstance(kept, str) else digest_line(line), table)
