"""`toolgate audit`: verifies the audit log, prints checkpoints of it, exports it."""

import json
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import click

from toolgate.audit.checkpoints import check_signature, make_checkpoint
from toolgate.audit.comma_separated import write_csv
from toolgate.audit.fields import RecordLine
from toolgate.audit.ocsf import write_ocsf
from toolgate.audit.verification import Fault, Verification, verify_log
from toolgate.model.errors import ToolgateError, UnavailableError

from .command_groups import CommandGroup
from .log_index import iter_records
from .record_deletion import delete_records, find_key_file
from .surroundings import AS_JSON, read_surroundings
from .tier import find_audit_folder

MAX_SHOWN_FAULTS = 20  # faults
CHAIN_WARNING = "Whoever can write the log can write a new chain: only a checkpoint kept out of their reach shows that."

SIGNATURE_TEXTS = {
    "unsigned": "The checkpoint is not signed: it shows as much as the place where it was kept is out of an agent's reach.",
    "valid": "The checkpoint is signed by {key}.",
    "unchecked": "The checkpoint's signature was not checked: pip install 'toolgate[signing]'",
    "invalid": "The checkpoint proves nothing.",
}
BOUNDARY_TEXTS = {
    "unsigned": "{count} lines about removed records are not signed: whoever can write the log could have written them.",
    "valid": "{count} lines about removed records are signed by {key}.",
    "unchecked": "The signatures of {count} lines about removed records were not checked: pip install 'toolgate[signing]'",
    "invalid": "{count} lines about removed records prove nothing.",
}


@click.group(
    cls=CommandGroup,
    epilog="""\b
Examples:
  toolgate audit verify
  toolgate audit checkpoint >> /mnt/elsewhere/toolgate.checkpoints
  toolgate audit verify --checkpoint /mnt/elsewhere/toolgate.checkpoints
  toolgate audit export --csv > audit.csv
""",
)
def audit() -> None:
    """Verify the audit log, keep a checkpoint of it elsewhere, export it."""


@audit.command(name="verify", epilog="\b\nExamples:\n  toolgate audit verify\n  toolgate audit verify --json")
@click.option(
    "--checkpoint",
    type=click.Path(exists=True, dir_okay=False),
    help="A file of checkpoints kept elsewhere; its last line is used.",
)
@click.option(
    "--key",
    "public_key",
    default="",
    metavar="HEX",
    help="Accept signatures of this public key only.",
)
@AS_JSON
def verify_chain(checkpoint: str | None, public_key: str, as_json: bool) -> int:
    """Verify the chain of the audit log: each record carries the digest of the one before it.

    Names the records that were altered, removed, reordered or inserted. Exit 0 when there are none, 1 when there are.
    """
    kept = _read_checkpoint(checkpoint) if checkpoint else None
    report = _verify_folder(
        find_audit_folder(read_surroundings()), (kept["record"], kept["digest"]) if kept else None, public_key
    )
    signature = check_signature(kept, public_key) if kept else None
    if signature == "invalid":
        report.faults.append(Fault(str(checkpoint), "the checkpoint's signature is not valid, or not of that key"))
    if as_json:
        click.echo(json.dumps({**_report_fields(report), "signature": signature}))
    else:
        _print_report(report, SIGNATURE_TEXTS.get(signature or "", CHAIN_WARNING), str((kept or {}).get("key", "")))
    return 1 if report.faults else 0


@audit.command(epilog="\b\nExample:\n  toolgate audit checkpoint >> /mnt/elsewhere/toolgate.checkpoints")
def checkpoint() -> int:
    """Print a checkpoint: the number and the digest of the newest record, and the time, in one line of JSON.

    Where a supervisor has a key, it is signed. Kept where agents cannot write, it later shows whether records up to now were
    altered or removed. It contains no recorded data. Exit 1 where the log does not verify.
    """
    report = _verify_folder(find_audit_folder(read_surroundings()), None, "")
    if report.faults:
        raise click.ClickException(f"the log does not verify, at {report.faults[0].place}: see toolgate audit verify")
    click.echo(json.dumps(make_checkpoint(*report.newest, time.time(), find_key_file())))
    return 0


@audit.command(hidden=True, epilog="\b\nExample:\n  toolgate audit delete 5f3c2d9a-7a53-4f0e-9a44-0d8f1f6c7a10")
@click.argument("session")
def delete(session: str) -> int:
    """Delete the records of SESSION: the same as `toolgate log --delete --session`."""
    return delete_records(session)


@audit.command(
    epilog="\b\nExamples:\n  toolgate audit export --csv > audit.csv\n  toolgate audit export --ocsf > findings.jsonl\n"
    "  toolgate audit export --otlp http://127.0.0.1:4318 --since 2026-11-01"
)
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV, a row for each call.")
@click.option("--ocsf", "as_ocsf", is_flag=True, help="Print a Detection Finding of OCSF for each call that a rule matched.")
@click.option(
    "--parquet", "file", type=click.Path(dir_okay=False), default=None, help="Write a Parquet file, a row for each call."
)
@click.option("--otlp", "endpoint", default=None, metavar="URL", help="Send spans and logs to the OpenTelemetry collector there.")
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), default=None, help="From this day on; default: all records.")
def export(as_csv: bool, as_ocsf: bool, file: str | None, endpoint: str | None, since: datetime | None) -> None:
    """Export the records, for other programs: as CSV, OCSF or Parquet, or to an OpenTelemetry collector (OTLP over HTTP).

    In the CSV no cell is a formula. Headers for the collector are taken from OTEL_EXPORTER_OTLP_HEADERS.
    """
    if [as_csv, as_ocsf, file is not None, endpoint is not None].count(True) != 1:
        raise click.UsageError("give one of --csv, --ocsf, --parquet with a file, --otlp with the URL of a collector")
    found = iter_records(read_surroundings(), since.strftime("%Y-%m-%d") if since else "")
    if as_csv:
        write_csv(found, sys.stdout)
    elif as_ocsf:
        write_ocsf(found, sys.stdout)
    elif file is not None:
        _write_parquet(found, file)
    elif endpoint is not None:
        _send_to_collector(found, endpoint)


def _write_parquet(records: Iterator[RecordLine], file: str) -> None:
    try:
        from toolgate.audit.parquet import write_parquet
    except ImportError as problem:
        raise ToolgateError(f"the export needs {problem.name}: pip install 'toolgate[parquet]'") from None
    try:
        count = write_parquet(records, file)
    except OSError as problem:
        raise ToolgateError(f"{file} cannot be written: {problem.strerror or problem}") from None
    click.echo(f"{count:,} records, in {file}")


def _send_to_collector(records: Iterator[RecordLine], endpoint: str) -> None:
    if not endpoint.startswith(("http://", "https://")):
        raise click.UsageError("--otlp takes the URL of a collector: http://127.0.0.1:4318")
    try:
        from toolgate.audit.open_telemetry import NotTaken, send_records
    except ImportError as problem:
        raise UnavailableError(f"the export needs {problem.name}: pip install 'toolgate[otlp]'") from None
    try:
        count = send_records(records, endpoint)
    except NotTaken as problem:
        raise ToolgateError(
            f"the collector at {endpoint} took {problem} records and no more; start it and run this again"
        ) from None
    click.echo(f"{count:,} records sent to {endpoint}")


def _verify_folder(folder: str, kept: tuple[int, str] | None, public_key: str) -> Verification:
    try:
        return verify_log(folder, kept, public_key)
    except OSError as problem:
        raise ToolgateError(f"{folder} cannot be read: {problem.strerror or problem}") from None


def _read_checkpoint(path: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:
            table = json.loads([line for line in file if line.strip()][-1])
    except (OSError, ValueError, LookupError, RecursionError):
        table = None
    if not isinstance(table, dict) or not isinstance(table.get("record"), int) or not isinstance(table.get("digest"), str):
        raise click.ClickException(f"{path} holds no checkpoint: its last line is one that toolgate audit checkpoint printed")
    return table


def _report_fields(report: Verification) -> dict[str, object]:
    return {
        "records": report.records,
        "older": report.older,
        "deleted": report.deleted,
        "removed_days": report.removed_days,
        "boundaries": [{"signature": made, "key": key, "lines": count} for (made, key), count in report.boundaries.items()],
        "newest": {"record": report.newest[0], "digest": report.newest[1]},
        "faults": [{"place": fault.place, "what": fault.what} for fault in report.faults],
    }


def _print_report(report: Verification, outcome: str, key: str) -> None:
    for fault in report.faults[:MAX_SHOWN_FAULTS]:
        click.echo(f"{click.style(fault.place, bold=True)}: {fault.what}")
    if len(report.faults) > MAX_SHOWN_FAULTS:
        click.echo(f"and {len(report.faults) - MAX_SHOWN_FAULTS} more")
    verdict = click.style("the log is not as it was written", fg="red") if report.faults else "nothing was altered or removed"
    click.echo(f"{report.records} chained records: {verdict}")
    if report.older:
        click.echo(f"{report.older} records are older than the chain: nothing shows whether they were altered")
    if report.deleted:
        click.echo(f"{report.deleted} records were deleted with toolgate log --delete")
    if report.removed_days:
        days = sorted(report.removed_days)
        click.echo(f"records of {len(days)} days were removed for their age or size: {days[0]} to {days[-1]}")
    for (signature, signer), count in report.boundaries.items():
        click.echo(BOUNDARY_TEXTS[signature].format(key=signer, count=count))
    if outcome:
        click.echo(outcome.format(key=key))
