"""`toolgate report`: writes the audit log as one HTML file."""

from datetime import UTC, datetime

import click

from toolgate.audit.summary import iter_lines
from toolgate.audit.verification import verify_log
from toolgate.machine import files
from toolgate.model.errors import ToolgateError, UnavailableError
from toolgate.model.stakes_measurement import format_count

from .surroundings import read_surroundings
from .tier import find_audit_folder


@click.command(epilog="\b\nExamples:\n  toolgate report report.html\n  toolgate report --since 2026-11-01 november.html")
@click.argument("file", type=click.Path(dir_okay=False, writable=True))
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), default=None, help="From this day on; default: all records.")
def report(file: str, since: datetime | None) -> None:
    """Write a report on the audit log to FILE: one HTML page that a browser opens from the disk.

    It shows calls over time, rules, tools, stakes, sessions with each call's effects and reasons, near misses, latency,
    policies and whether the log is unaltered. The page fetches nothing. Like the log, only your account can read it.
    """
    from toolgate.report.figures import collect_figures

    try:
        from toolgate.report.page import render_page
    except ImportError as problem:
        raise UnavailableError(f"the report needs {problem.name}: pip install 'toolgate[report]'") from None
    folder = find_audit_folder(read_surroundings())
    try:
        figures = collect_figures(iter_lines(folder, since.strftime("%Y-%m-%d") if since else ""))
        verification = verify_log(folder)
    except OSError as problem:
        raise ToolgateError(f"{folder} cannot be read: {problem.strerror or problem}") from None
    page = render_page(figures, verification, datetime.now(UTC).strftime("%Y-%m-%d %H:%M"))
    try:
        files.write_file(file, page.encode(), 0o600)
    except OSError as problem:
        raise ToolgateError(f"{file} cannot be written: {problem.strerror or problem}") from None
    calls = format_count(figures.total.calls, "call", "calls")
    sessions = format_count(len(figures.sessions), "session", "sessions")
    click.echo(f"{calls} of {sessions}, in {file}")
