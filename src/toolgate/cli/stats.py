"""`toolgate stats`: sums up the audit log."""

import json
from collections.abc import Iterator
from datetime import datetime

import click

from toolgate.audit.fields import make_visible
from toolgate.audit.summary import Denials, Summary, iter_lines, summarize
from toolgate.model.errors import ToolgateError

from .surroundings import AS_JSON, read_surroundings
from .tier import find_audit_folder

MAX_SHOWN_RULES = 10  # rules
MAX_SHOWN_DAYS = 90  # days, a character for each
MIN_ASKED, NEARLY_ALWAYS = 5, 0.9  # questions, and the share of them after which the call ran, that suggest relaxing a rule
BARS = " ▁▂▃▄▅▆▇█"


@click.command(epilog="\b\nExamples:\n  toolgate stats --since 2026-11-01\n  toolgate stats --self-correction --json")
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), default=None, help="from this day on; default: all records")
@click.option(
    "--self-correction", "corrections", is_flag=True, help="how many denials agents accepted without involving the user"
)
@AS_JSON
def stats(since: datetime | None, corrections: bool, as_json: bool) -> int:
    """Sum up the audit log: how many calls, what was answered, and by which rules.

    Under `log = "interventions"`, calls that passed silently are not recorded. A denial counts as accepted if its rule denied
    fewer than three calls of that agent in that session; the third denial is also shown to the user.
    """
    surroundings = read_surroundings()
    folder = find_audit_folder(surroundings)
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


def _summary_fields(summary: Summary) -> dict[str, object]:
    half, slow, most = summary.microseconds
    return {
        "records": summary.records,
        "torn": summary.torn,
        "sessions": summary.sessions,
        "verdicts": dict(summary.verdicts),
        "rules": dict(summary.stopped),
        "prompts_avoided": summary.prompts_avoided,
        "microseconds": {"p50": half, "p90": slow, "p99": most},
        "days": {day: dict(verdicts) for day, verdicts in sorted(summary.days.items())},
        "asked": {rule: {"asked": asked_count, "ran": ran} for rule, (asked_count, ran) in summary.approvals.items()},
        "retries": summary.retries,
        "redacted": summary.redacted,
        "opaque": summary.opaque,
        "failed": summary.failed,
        "failed_closed": dict(summary.failed_closed),
        "undo_copies": summary.undo_copies,
    }


def _correction_fields(summary: Summary) -> dict[str, object]:
    rules = {rule: {"denials": each.all, "corrected": each.corrected} for rule, each in summary.denials.items()}
    correction = summary.self_correction
    return {"denials": correction.all, "corrected": correction.corrected, "share": correction.corrected_share, "rules": rules}


def _iter_summary_lines(summary: Summary) -> Iterator[str]:
    if not summary.records:
        yield "nothing is recorded yet"
        return
    answers = ", ".join(f"{times} {make_visible(verdict)}" for verdict, times in sorted(summary.verdicts.items()))
    half, slow, most = (each / 1000 for each in summary.microseconds)
    took = f"judged in {half:.1f} ms, 9 of 10 in {slow:.1f} ms, 99 of 100 in {most:.1f} ms"
    yield f"{summary.records} calls in {summary.sessions} sessions: {answers}; {took}"
    if summary.prompts_avoided:
        yield f"{summary.prompts_avoided} questions of the host's own were answered by proof"
    yield from _iter_count_lines(summary)
    if summary.torn:
        yield f"{summary.torn} lines cannot be read"
    for rule, times in sorted(summary.stopped.items(), key=lambda each: (-each[1], each[0]))[:MAX_SHOWN_RULES]:
        asked_count, ran = summary.approvals.get(rule, (0, 0))
        nearly_always = asked_count >= MIN_ASKED and ran >= asked_count * NEARLY_ALWAYS
        hint = (
            f"  ({ran} of {asked_count} asked about ran{': relax it? toolgate policy suggest' if nearly_always else ''})"
            if asked_count
            else ""
        )
        yield f"{times:6}  {make_visible(rule)}{hint}"
    yield from _iter_day_lines(summary)


def _iter_count_lines(summary: Summary) -> Iterator[str]:
    counts = {
        "stopped calls repeat one that was stopped before": summary.retries,
        "calls had something hidden": summary.redacted,
        "calls could not be read completely": summary.opaque,
        "calls ran and reported an error": summary.failed,
        "calls ran after a copy was kept for toolgate undo": summary.undo_copies,
    }
    for failure, count in sorted(summary.failed_closed.items(), key=lambda each: -each[1]):
        yield f"{count} calls were answered without a judgement: {make_visible(failure)}"
    yield from (f"{count} {text}, {100 * count / summary.records:.0f} %" for text, count in counts.items() if count)


def _iter_day_lines(summary: Summary) -> Iterator[str]:
    """Yields a row for each kind of answer: a bar for each of the last days on record, the busiest full."""
    days = sorted(summary.days)[-MAX_SHOWN_DAYS:]
    if len(days) < 2:
        return
    yield f"by day, {make_visible(days[0])} to {make_visible(days[-1])}:"
    for verdict in sorted({verdict for day in days for verdict in summary.days[day]}):
        counts = [summary.days[day].get(verdict, 0) for day in days]
        yield f"  {make_visible(verdict):5} {draw_sparkline(counts)}  at most {max(counts)}"


def draw_sparkline(counts: list[int]) -> str:
    """Returns a bar for each count, in proportion to the largest; a space for none."""
    most = max(counts, default=0)
    return "".join(BARS[-(-count * (len(BARS) - 1) // most)] if most else BARS[0] for count in counts)


def _iter_correction_lines(summary: Summary) -> Iterator[str]:
    correction = summary.self_correction
    if not correction.all:
        yield "nothing was denied yet"
        return
    yield f"{_format_share(correction)} of {correction.all} denials were taken in without the user"
    for rule, each in list(summary.denials.items())[:MAX_SHOWN_RULES]:
        yield f"{_format_share(each)} of {each.all:4}  {make_visible(rule)}"


def _format_share(denials: Denials) -> str:
    return f"{100 * (denials.corrected_share or 0.0):4.0f} %"
