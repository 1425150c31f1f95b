"""Exports the audit log as a Parquet file: a row for each call, in batches, so that memory does not grow with the log."""

from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import pyarrow
from pyarrow.parquet import ParquetWriter

from .comma_separated import TEXTS
from .fields import RecordLine, describe_effect, describe_stakes, make_visible, number_of, objects_of

BATCH = 10_000  # rows
_TEXTS = tuple(name for name in TEXTS if name != "time")
SCHEMA = pyarrow.schema(
    [
        ("time", pyarrow.timestamp("ms", "UTC")),
        *((name, pyarrow.string()) for name in _TEXTS),
        ("rules", pyarrow.list_(pyarrow.struct([("rule", pyarrow.string()), ("verdict", pyarrow.string())]))),
        ("effects", pyarrow.list_(pyarrow.string())),
        ("stakes", pyarrow.string()),
        ("microseconds", pyarrow.int64()),
    ]
)


def write_parquet(lines: Iterable[RecordLine], path: str) -> int:
    """Writes every readable record, and returns their number. Raises OSError."""
    readable, count = (line for line in lines if line), 0
    with ParquetWriter(path, SCHEMA, compression="zstd") as writer:
        while batch := list(islice(readable, BATCH)):
            writer.write_table(pyarrow.Table.from_pylist([_row(line) for line in batch], SCHEMA))
            count += len(batch)
    return count


def _row(line: RecordLine) -> dict[str, Any]:
    return {
        "time": _read_time(line),
        **{name: make_visible(line.get(name, "")) for name in _TEXTS},
        "rules": [{key: make_visible(each.get(key, "")) for key in ("rule", "verdict")} for each in objects_of(line, "rules")],
        "effects": [describe_effect(each) for each in objects_of(line, "effects")],
        "stakes": describe_stakes(line),
        "microseconds": min(max(number_of(line, "microseconds"), 0), (1 << 63) - 1),
    }


def _read_time(line: RecordLine) -> datetime | None:
    try:
        at = datetime.fromisoformat(str(line.get("time", "")))
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)
