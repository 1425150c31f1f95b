"""`toolgate why`: explains one answer of the gate from its record."""

import json
from collections.abc import Iterator

import click

from toolgate import rules
from toolgate.audit.query import LAST_ID, find_by_id, iter_rules
from toolgate.audit.summary import RecordLine
from toolgate.model.errors import ToolgateError

from .log import COLOURS, iter_records
from .surroundings import AS_JSON, read_surroundings

ANSWER_TEXTS = {"pass": "passed", "warn": "passed with a warning", "ask": "asked about", "deny": "denied"}


@click.command(epilog="\b\nExamples:\n  toolgate why last\n  toolgate why 3f9c21ab\n  toolgate why last --json")
@click.argument("wanted", metavar="ID|last")
@AS_JSON
def why(wanted: str, as_json: bool) -> None:
    """Explain why a call was answered as it was: the operation, which rules matched, and which setting decides.

    ID is what `toolgate log` shows, or the beginning of a record's whole id. `last`: the last call that did not pass in silence.
    """
    matching = find_by_id(iter_records(read_surroundings()), wanted)
    if not matching:
        what = "no call that did not pass in silence" if wanted == LAST_ID else f"no call whose id begins or ends with {wanted!r}"
        raise ToolgateError(f"there is {what} on record; toolgate log lists the calls")
    if len(matching) > 1:
        raise ToolgateError(f"{len(matching)} calls have such an id; give more of it")
    if as_json:
        click.echo(json.dumps(matching[0], indent=2))
        return
    for line in _iter_explanation(matching[0]):
        click.echo(line)


def _iter_explanation(line: RecordLine) -> Iterator[str]:
    verdict, judged = str(line.get("verdict", "")), str(line.get("judged", ""))
    answer = click.style(ANSWER_TEXTS.get(verdict, verdict), fg=COLOURS.get(verdict), bold=True)
    yield f"{line.get('tool')} was {answer}: {line.get('operation')}"
    yield f"  at {str(line.get('time', '')).replace('T', ' ')}, in session {line.get('session') or '-'} of {line.get('host')}"
    if line.get("agent"):
        yield f"  by agent {line['agent']}"
    if line.get("allowed"):
        yield f"  the host's own question was answered in your place: {line['allowed']}"
    if judged and judged != verdict:
        yield f"  the rules came to {judged}; an approval, a mode or a cap of the policy made it {verdict}"
    for rule, came_to in sorted(
        iter_rules(line), key=lambda each: list(COLOURS).index(each[1]) if each[1] in COLOURS else -1, reverse=True
    ):
        yield f"  {click.style(f'{came_to:5}', fg=COLOURS.get(came_to))} {rule}: {_read_headline(rule)}"
        yield f'        to change it: [rules."{rule}"] verdict = ... in your policy'
    digest = str(line.get("policy", ""))[:12] or "-"
    yield f"  policy {digest}, judged in {_format_milliseconds(line)} ms, record {line.get('id')}"


def _read_headline(rule: str) -> str:
    """Returns the first line of a rule's page; a rule of the user's own has none."""
    return rules.read_headline(rule).rstrip(".") if rule in rules.TABLE else "a rule of your policy"


def _format_milliseconds(line: RecordLine) -> str:
    took = line.get("microseconds")
    return f"{took / 1000:.1f}" if isinstance(took, int) else "?"
