"""`toolgate why`: explains one answer of the gate from its record."""

import json
import sys
from collections.abc import Iterator

import click

from toolgate import rules
from toolgate.audit.fields import RecordLine, describe_stakes, make_visible
from toolgate.audit.query import LAST_ID, iter_rules
from toolgate.history.recorded_calls import IndeterminateCall
from toolgate.history.rejudging import find_smallest_change, judge_again
from toolgate.judge import sort_by_weight
from toolgate.machine.ancestry import describe_agent_above
from toolgate.machine.environment import find_folders
from toolgate.model.decision import Decision, Verdict
from toolgate.model.errors import ToolgateError
from toolgate.model.rule import Policy
from toolgate.policy import load
from toolgate.policy.cache import Cache
from toolgate.policy.cache_storage import FolderStorage

from .log import COLOURS, show_operation
from .log_index import find_records_by_id
from .surroundings import AS_JSON, Surroundings, build_hider, read_surroundings

ANSWER_TEXTS = {"pass": "passed", "warn": "passed with a warning", "ask": "asked about", "deny": "denied"}
OUTCOME_TEXTS = {"ran": "ran", "failed": "ran, and reported an error"}


@click.command(epilog="\b\nExamples:\n  toolgate why last\n  toolgate why 3f9c21ab\n  toolgate why last --json")
@click.argument("wanted", metavar="ID|last")
@AS_JSON
def why(wanted: str, as_json: bool) -> None:
    """Explain why a call was answered as it was: the operation, which rules matched, and which setting decides.

    If the record holds the whole call, it is judged again on the machine as it is now, under the policy in force then and
    under the present one. On a terminal of your own, the smallest change of your policy that would let it run is shown.

    ID is what `toolgate log` shows, or the beginning of a record's whole id. `last` is the last call that did not pass
    silently.
    """
    surroundings = read_surroundings()
    matching = find_records_by_id(surroundings, wanted)
    if not matching:
        what = "no call that did not pass in silence" if wanted == LAST_ID else f"no call whose id begins or ends with {wanted!r}"
        raise ToolgateError(f"there is {what} on record; toolgate log lists the calls")
    if len(matching) > 1:
        raise ToolgateError(f"{len(matching)} calls have such an id; give more of it")
    if as_json:
        click.echo(json.dumps(matching[0], indent=2))
        return
    for line in (*_iter_explanation(matching[0]), *_iter_rejudgements(matching[0], surroundings)):
        click.echo(line)


def _iter_rejudgements(line: RecordLine, surroundings: Surroundings) -> Iterator[str]:
    """Yields the answers of the policy at the time and of the current one, on the machine as it is now."""
    then = Cache(FolderStorage(find_folders(surroundings.environ, surroundings.home).cache)).load_decided(
        str(line.get("policy", ""))
    )
    now = load(surroundings.environ, surroundings.home, str(line.get("project", "")) or surroundings.project)
    try:
        if then is None:
            yield "  under the policy at the time: no longer kept"
        else:
            past = judge_again(line, surroundings.home, surroundings.environ, then)
            yield f"  under the policy at the time: {_describe_answer(past, now)}"
        current = judge_again(line, surroundings.home, surroundings.environ, now)
        yield f"  under the current policy:     {_describe_answer(current, now)}"
        if sys.stdout.isatty() and not describe_agent_above(surroundings.environ):
            yield from _iter_smallest_change(line, surroundings, now)
    except IndeterminateCall as problem:
        yield f"  not judged again: {problem}"


def _describe_answer(decision: Decision, policy: Policy) -> str:
    named = dict.fromkeys(each.rule for each in sort_by_weight(decision.findings) if each.verdict >= Verdict.ASK)
    verdict = decision.verdict.name.lower()
    rules = build_hider(policy).redact_text(", ".join(named))
    return f"{click.style(verdict, fg=COLOURS.get(verdict))}{f'  [{rules}]' if rules else ''}"


def _iter_smallest_change(line: RecordLine, surroundings: Surroundings, now: Policy) -> Iterator[str]:
    rules = find_smallest_change(line, surroundings.home, surroundings.environ, now)
    if rules:
        yield "  the smallest change that lets it through, in ~/.config/toolgate/policy.toml:"
    for rule in rules:
        yield f'        [project."{make_visible(line.get("project", ""))}".rules."{rule}"]'
        yield '        verdict = "warn"'


def _iter_explanation(line: RecordLine) -> Iterator[str]:
    verdict, judged = str(line.get("verdict", "")), str(line.get("judged", ""))
    answer = click.style(ANSWER_TEXTS.get(verdict, make_visible(verdict)), fg=COLOURS.get(verdict), bold=True)
    yield f"{make_visible(line.get('tool'))} was {answer}: {show_operation(line)}"
    session, host = make_visible(line.get("session") or "-"), make_visible(line.get("host"))
    yield f"  at {make_visible(line.get('time', '')).replace('T', ' ')}, in session {session} of {host}"
    if line.get("agent"):
        yield f"  by agent {make_visible(line['agent'])}"
    if outcome := OUTCOME_TEXTS.get(str(line.get("outcome", ""))):
        yield f"  the call {outcome}"
    if line.get("allowed"):
        yield f"  the host's own question was answered in your place: {make_visible(line['allowed'])}"
    if line.get("failure"):
        yield f"  it was answered without a judgement: {make_visible(line['failure'])}"
    if stakes := describe_stakes(line):
        yield f"  at stake: {stakes}"
    if line.get("undo"):
        yield f"  a copy was kept; to get it back: toolgate undo {make_visible(line['undo'])}"
    if judged and judged != verdict:
        yield f"  the rules came to {make_visible(judged)}; an approval, a mode or a cap of the policy made it {verdict}"
    for rule, came_to in sorted(
        iter_rules(line), key=lambda each: list(COLOURS).index(each[1]) if each[1] in COLOURS else -1, reverse=True
    ):
        answer, name = click.style(f"{make_visible(came_to):5}", fg=COLOURS.get(came_to)), make_visible(rule)
        yield f"  {answer} {name}: {_read_headline(rule)}"
        yield f'        to change it: [rules."{name}"] verdict = ... in your policy'
    digest = make_visible(line.get("policy", ""))[:12] or "-"
    gate, took = make_visible(line.get("gate", ""))[:12] or "-", _format_milliseconds(line)
    yield f"  policy {digest}, gate {gate}, judged in {took} ms, record {make_visible(line.get('id'))}"


def _read_headline(rule: str) -> str:
    """Returns the first line of a rule's page; a rule of the user's own has none."""
    return rules.read_headline(rule).rstrip(".") if rule in rules.TABLE else "a rule of your policy"


def _format_milliseconds(line: RecordLine) -> str:
    took = line.get("microseconds")
    return f"{took / 1000:.1f}" if isinstance(took, int) else "?"
