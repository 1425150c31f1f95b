"""`toolgate log`: shows recorded calls, newest last."""

import json
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Any

import click

from toolgate.audit.fields import RecordLine, make_visible
from toolgate.audit.query import Query, iter_rules, select_lines
from toolgate.audit.segments import follow_lines
from toolgate.audit.summary import read_records

from .log_index import find_records, limit_to_own_session
from .surroundings import AS_JSON, read_surroundings
from .tier import find_audit_folder

COLOURS = {"pass": "green", "warn": "yellow", "ask": "cyan", "deny": "red"}
SHORT_ID_LENGTH = 8  # characters of an id: its end, which is random
POLL_SECONDS = 0.5  # seconds
TIME_FORMATS = ["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"]


class SinceParameter(click.DateTime):
    """A time, or how long ago it was."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        unit = _UNITS.get(value[-1:]) if isinstance(value, str) and value[:-1].isdecimal() and len(value) < 7 else None
        if unit is not None:
            return datetime.now(UTC) - timedelta(**{unit: int(value[:-1])})
        return super().convert(value, param, ctx)


_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


@click.command(
    epilog="\b\nExamples:\n  toolgate log\n  toolgate log --deny --since 2d\n"
    "  toolgate log --rule 'git.*' --last 0 --json\n  toolgate log --session 5f3c --text push\n  toolgate log --near --follow"
)
@click.option("--session", default="", help="Only this session, by its id or the beginning of it.")
@click.option("--agent", default="", help="Only this sub-agent.")
@click.option("--rule", default="", metavar="GLOB", help="Only calls that this rule matched: git.force-push, 'git.*'.")
@click.option(
    "--verdict",
    "verdicts",
    multiple=True,
    type=click.Choice(tuple(COLOURS)),
    help="Only calls with this answer; may be repeated.",
)
@click.option("--deny", "verdicts", flag_value="deny", multiple=True, help="The same as --verdict deny.")
@click.option("--ask", "verdicts", flag_value="ask", multiple=True, help="The same as --verdict ask.")
@click.option("--near", is_flag=True, help="Only calls that ran although a rule matched.")
@click.option("--tool", default="", help="Only this tool, by the host's name for it: Bash, Write.")
@click.option("--text", "--grep", default="", help="Only calls whose operation contains this text.")
@click.option(
    "--since",
    type=SinceParameter(TIME_FORMATS),
    default=None,
    help="From this day or time on, in UTC, or this long ago: 90m, 12h, 2d.",
)
@click.option("--until", type=click.DateTime(TIME_FORMATS), default=None, help="Up to this time, in UTC.")
@click.option(
    "--last", "most", type=click.IntRange(0), default=20, show_default=True, help="How many calls to show at most; 0 shows all."
)
@click.option("-f", "--follow", "following", is_flag=True, help="Then wait for further calls and show them, until interrupted.")
@click.option("--facts", "showing_facts", is_flag=True, help="Show what is remembered of --session instead.")
@click.option(
    "--delete",
    "deleting",
    is_flag=True,
    help="Delete the records and facts of --session instead, given by its whole id.",
)
@AS_JSON
def log(
    session: str,
    agent: str,
    rule: str,
    verdicts: tuple[str, ...],
    near: bool,
    tool: str,
    text: str,
    since: datetime | None,
    until: datetime | None,
    most: int,
    following: bool,
    showing_facts: bool,
    deleting: bool,
    as_json: bool,
) -> int:
    """Show calls and the gate's answers, newest last. With --json: one record on each line.

    Beneath an agent, only the calls of its own session are shown.

    Exit 0 when something matches, 1 when nothing does. `toolgate why ID` explains one of them.

    --delete works on a terminal of your own, never beneath an agent. A line without content replaces each record, and a line
    that records the deletion is added.
    """
    query = Query(session, agent, rule, frozenset(verdicts), near, tool, text, _format_time(since), _format_time(until))
    if showing_facts:
        from .session_facts import show_facts

        return show_facts(read_surroundings(), session, as_json)
    if deleting:
        return _delete_records(query)
    surroundings = read_surroundings()
    new = (
        follow_lines(find_audit_folder(surroundings)) if following else None
    )  # opened before the search, so that no record is missed
    shown = _print_lines(find_records(surroundings, query, most), as_json)
    if new is not None:
        _follow_log(new, query, limit_to_own_session(surroundings), as_json)
    if not shown and not as_json:
        click.echo("no call on record matches", err=True)
    return 0 if shown else 1


def _delete_records(query: Query) -> int:
    from .record_deletion import delete_records  # only a person needs it

    if not query.session or query != Query(session=query.session):
        raise click.UsageError("--delete goes with --session and the whole id of a session, and with nothing else")
    return delete_records(query.session)


def _print_lines(records: Iterable[RecordLine], as_json: bool) -> bool:
    """Prints the lines and returns whether there were any. Repeated calls with the same answer are folded, except for JSON."""
    empty = True
    for _, repeated in groupby(records, key=id if as_json else _line_key):
        empty = False
        same = list(repeated)
        if as_json:
            click.echo("\n".join(json.dumps(line) for line in same))
        else:
            click.echo(format_row(same[-1]) + (f"  (x{len(same)})" if len(same) > 1 else ""))
    return not empty


def _follow_log(new: Iterator[list[bytes]], query: Query, is_own: Callable[[RecordLine], bool], as_json: bool) -> None:
    for written in new:
        for line in select_lines(filter(is_own, read_records(written)), query):
            click.echo(json.dumps(line) if as_json else format_row(line))
        time.sleep(POLL_SECONDS)


def _line_key(line: RecordLine) -> tuple[object, ...]:
    return (*(line.get(key) for key in ("session", "tool", "operation", "verdict")), tuple(iter_rules(line)))


def format_row(line: RecordLine) -> str:
    """Returns one call in one line: time, the end of its id, the answer, the tool, the operation, and the rules that matched."""
    verdict = str(line.get("verdict", ""))
    time = make_visible(line.get("time", ""))[:19].replace("T", " ")
    named = ", ".join(make_visible(rule) for rule, _ in iter_rules(line))
    answer = click.style(f"{make_visible(verdict):5}", fg=COLOURS.get(verdict))
    failed = "  (failed)" if line.get("outcome") == "failed" else ""
    answered = "  (answered in the host's place)" if line.get("allowed") else ""
    unjudged = f"  ({make_visible(line['failure'])})" if line.get("failure") else ""
    about = f"{make_visible(line.get('tool', ''))}: {show_operation(line)}{f'  [{named}]' if named else ''}"
    return f"{time}  {make_visible(line.get('id', ''))[-SHORT_ID_LENGTH:]}  {answer} {about}{failed}{answered}{unjudged}"


def show_operation(line: RecordLine) -> str:
    """Returns a recorded operation on one line, whatever somebody wrote into the log."""
    return make_visible(" ".join(str(line.get("operation", "")).split()))


def _format_time(time_: datetime | None) -> str:
    return time_.strftime("%Y-%m-%dT%H:%M:%S") if time_ is not None else ""
