"""`toolgate stats`: sums up the audit log."""

import json
from collections.abc import Iterator
from datetime import datetime

import click

from toolgate.audit.summary import Denials, Summary, iter_lines, summarize
from toolgate.model.errors import ToolgateError

from .surroundings import AS_JSON, read_surroundings
from .tier import find_audit_folder

MAX_SHOWN_RULES = 10  # rules


@click.command(epilog="\b\nExamples:\n  toolgate stats --since 2026-11-01\n  toolgate stats --self-correction --json")
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), default=None, help="from this day on; default: all records")
@click.option("--self-correction", "corrections", is_flag=True, help="how many denials agents accepted without their user")
@AS_JSON
def stats(since: datetime | None, corrections: bool, as_json: bool) -> int:
    """Sum up the audit log: how many calls, what was answered, and by which rules.

    Where the policy says `log = "interventions"`, calls that passed in silence are not recorded. A denial counts as accepted
    where its rule denied fewer than three times to that agent in that session: the third tells the user.
    """
    here = read_surroundings()
    folder = find_audit_folder(here)
    try:
        found = summarize(iter_lines(folder, since.strftime("%Y-%m-%d") if since else ""))
    except OSError as problem:
        raise ToolgateError(f"{folder} cannot be read: {problem.strerror or problem}") from None
    if as_json:
        click.echo(json.dumps(_correction_fields(found) if corrections else _summary_fields(found)))
    else:
        for line in _iter_correction_lines(found) if corrections else _iter_summary_lines(found):
            click.echo(line)
    return 0


def _summary_fields(found: Summary) -> dict[str, object]:
    half, most = found.microseconds
    return {
        "records": found.records,
        "torn": found.torn,
        "sessions": found.sessions,
        "verdicts": dict(found.verdicts),
        "rules": dict(found.stopped),
        "prompts_avoided": found.prompts_avoided,
        "microseconds": {"p50": half, "p99": most},
    }


def _correction_fields(found: Summary) -> dict[str, object]:
    rules = {rule: {"denials": each.all, "corrected": each.corrected} for rule, each in found.denials.items()}
    whole = found.self_correction
    return {"denials": whole.all, "corrected": whole.corrected, "share": whole.corrected_share, "rules": rules}


def _iter_summary_lines(found: Summary) -> Iterator[str]:
    if not found.records:
        yield "nothing is recorded yet"
        return
    answers = ", ".join(f"{times} {verdict}" for verdict, times in sorted(found.verdicts.items()))
    half, most = (each / 1000 for each in found.microseconds)
    yield f"{found.records} calls in {found.sessions} sessions: {answers}; judged in {half:.1f} ms, 99 of 100 in {most:.1f} ms"
    if found.prompts_avoided:
        yield f"{found.prompts_avoided} questions of the host's own were answered by proof"
    if found.torn:
        yield f"{found.torn} lines cannot be read"
    for rule, times in sorted(found.stopped.items(), key=lambda each: (-each[1], each[0]))[:MAX_SHOWN_RULES]:
        yield f"{times:6}  {rule}"


def _iter_correction_lines(found: Summary) -> Iterator[str]:
    whole = found.self_correction
    if not whole.all:
        yield "nothing was denied yet"
        return
    yield f"{_format_share(whole)} of {whole.all} denials were taken in without the user"
    for rule, each in list(found.denials.items())[:MAX_SHOWN_RULES]:
        yield f"{_format_share(each)} of {each.all:4}  {rule}"


def _format_share(denials: Denials) -> str:
    return f"{100 * (denials.corrected_share or 0.0):4.0f} %"
