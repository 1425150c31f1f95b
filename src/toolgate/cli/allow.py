"""`toolgate allow`: grants the effects of a call, so that the host does not ask about similar calls."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import click

from toolgate import cases, hosts
from toolgate.app import App
from toolgate.audit.fields import RecordLine
from toolgate.audit.query import find_by_id
from toolgate.consent.approvals import build_grant
from toolgate.consent.grants import Clause, Grant, describe_clause, narrowest_clause
from toolgate.locate import make_zone_finder
from toolgate.machine.world import MachineWorld
from toolgate.model.action import Action, EditFile, Replacement, RunShell, WriteFile
from toolgate.model.decision import NO_OBJECTION, Verdict
from toolgate.model.event import Caller, Scene
from toolgate.model.permission import ShellSetup, Unreadable
from toolgate.model.rule import Policy
from toolgate.model.store import Scope
from toolgate.model.world import World
from toolgate.prompts.plain_text import read_plain_text
from toolgate.prompts.proving import Answered, Asked, prove
from toolgate.prompts.writers import read_test_command
from toolgate.session_places import find_session_places
from toolgate.sessions.approval_answers import APPROVAL_SECONDS, keep_answer, name_of_user

from .approve import replace_control_characters
from .log_index import iter_records
from .person import demand_person, demand_shown_number
from .surroundings import Surroundings, open_user_store, read_surroundings

MONTH = 30 * 86400.0
HOST = "claude-code"
SHOWN = 5
_CUT = (" ...", "REDACTED]")


@click.command(
    epilog="""\b
Examples:
  toolgate allow --last         what the last call did
  toolgate allow 4f1c0a9e       the id is from `toolgate log`
"""
)
@click.argument("id_", metavar="[ID]", required=False)
@click.option("--last", is_flag=True, help="The last call on record that the gate did not answer.")
def allow(id_: str | None, last: bool) -> int:
    """Grant the effects of a call in this project, so that similar calls run without the host's question.

    Shows the narrowest grant that covers the call, which calls of the last month it would have covered, and that it covers no
    call that a shipped case stops. Grants apply under `answer_prompts = "granted"`; `toolgate approvals` lists and revokes them.
    """
    if last == bool(id_):
        raise click.UsageError("give the ID of a call, or --last")
    surroundings = read_surroundings()
    demand_person(surroundings, "grant anything")
    lines = [line for line in iter_records(surroundings, _day(time.time() - MONTH)) if _is_whole(line)]
    chosen = [line for line in lines if not line.get("allowed")][-1:] if last else find_by_id(lines, id_ or "")
    if len(chosen) != 1:
        raise click.ClickException("no such call on record, or its text is not kept whole; see: toolgate log")
    call = _call(chosen[0])
    past = _Past(surroundings)
    clauses = past.clauses(call)
    grant = Grant("", 0.0, clauses)
    click.secho(f"    {replace_control_characters(call.operation)}", bold=True)
    for each in (text for clause in clauses for text in describe_clause(clause)):
        click.echo(f"  allows: {replace_control_characters(each)}")
    _show_covered(past, grant, lines)
    if harmful := list(covered_stops(clauses, surroundings.project)):
        raise click.ClickException(f"it would cover what the shipped cases stop: {replace_control_characters(harmful[0])}")
    click.echo(
        f"  of the shipped cases it covers none that is stopped; it ends after {APPROVAL_SECONDS['project'] / 86400:.0f} days"
    )
    demand_shown_number("grant it")
    now = time.time()
    answer = build_grant(clauses, now, now + APPROVAL_SECONDS["project"], name_of_user(), call.operation)
    keep_answer(open_user_store(surroundings), Scope("project", surroundings.project), *answer, now)
    click.echo("granted; `toolgate approvals` shows it")
    return 0


def _show_covered(past_calls: "_Past", grant: Grant, lines: list[RecordLine]) -> None:
    calls = [_call(line) for line in lines]
    like = [call for call in dict.fromkeys(calls) if past_calls.answer(call, (grant,)).grants]
    times = sum(call in like for call in calls)
    click.echo(f"  in the last month it would have covered {times} of {len(lines)} calls on record")
    for call in like[:SHOWN]:
        click.echo(f"    {replace_control_characters(call.operation)}")


class _Call(NamedTuple):
    tool: str
    operation: str

    @property
    def action(self) -> Action:
        """Returns the action of the call. For a written file the record has only the path, which a grant is about."""
        path = self.operation.removeprefix("write ")
        match self.tool:
            case "Write":
                return WriteFile(path, "")
            case "Edit":
                return EditFile(path, (Replacement("", ""),))
            case _:
                return RunShell(self.operation)


def _call(line: RecordLine) -> _Call:
    return _Call(str(line.get("tool", "")), str(line.get("operation", "")))


def _is_whole(line: RecordLine) -> bool:
    tool, operation = _call(line)
    known = line.get("host") == HOST and tool in ("Bash", "Write", "Edit")
    return known and bool(operation) and not any(mark in operation for mark in _CUT)


def _day(at: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(at))


@dataclass
class _Past:
    """Recorded commands, judged again in this project's current state."""

    here: Surroundings

    @property
    def scene(self) -> Scene:
        here = self.here
        return Scene(Caller(HOST), here.project, here.project, here.home, here.environ, here.environ.get("USER", ""))

    def clauses(self, call: _Call) -> tuple[Clause, ...]:
        """Returns the narrowest clauses that cover a call. Raises ClickException if none can."""
        if call.tool == "Bash" and (test := read_test_command(call.operation)):
            clauses: tuple[Clause, ...] = (Clause(test[0], test=test),)
        else:
            answered = self.answer(call, ())
            if answered.reason:
                raise click.ClickException("no grant is needed: it is proven to read alone")
            if not answered.needs:
                raise click.ClickException(f"no grant can cover it: {answered.doubt}")
            clauses = tuple(dict.fromkeys(narrowest_clause(need, self.here.project) for need in answered.needs))
        answered = self.answer(call, (Grant("", 0.0, clauses),))
        if not answered.reason:
            raise click.ClickException(f"no grant can cover it: {answered.doubt}")
        return clauses

    def answer(self, call: _Call, grants: tuple[Grant, ...]) -> Answered:
        world = MachineWorld()
        try:
            asking = hosts.prompts(HOST)
            assert asking is not None
            setup = asking.shell_setup(self.scene, self.here.environ, world)
        except Unreadable as problem:
            return Answered(doubt=str(problem))
        return prove_call(call.tool, call.action, self.scene, world, setup, grants)


def prove_call(
    tool: str, action: Action, scene: Scene, world: World, setup: ShellSetup, grants: tuple[Grant, ...], *, silenced: bool = False
) -> Answered:
    """Proves a call without the host's rules. `silenced`: as if no rule of the gate matched."""
    judgement = App(lambda: world).judge(action, scene, Policy())
    decision = NO_OBJECTION if silenced else judgement.decision
    zones_of = make_zone_finder(find_session_places(scene), world)
    return prove(Asked(action, tool, judgement.effects, decision, scene, world, zones_of, (), setup, grants))


def covered_stops(clauses: tuple[Clause, ...], project: str) -> Iterator[str]:
    """Yields the stopped calls of the shipped cases that clauses would cover in the cases' own projects if no rule matched."""
    everything = ShellSetup(frozenset(), None)
    for case in (case for path in cases.iter_shipped_files() for case in cases.load_cases(path)):
        if not isinstance(case.action, RunShell) or Verdict.PASS in case.expect or case.known_gap or case.config:
            continue
        if not _names(case.action.text) & {clause.program.partition(" ")[0] for clause in clauses}:
            continue
        moved = Grant("", 0.0, tuple(_move_clause(clause, project, case.project) for clause in clauses))
        if prove_call("Bash", case.action, case.scene, case.world, everything, (moved,), silenced=True).grants:
            yield case.action.text


def _names(text: str) -> set[str]:
    """Returns the commands that a text names; empty for a text that no grant can cover."""
    try:
        return read_plain_text(text).names
    except Unreadable:
        return set()


def _move_clause(clause: Clause, project: str, target: str) -> Clause:
    deeds = (
        deed._replace(target=target + deed.target.removeprefix(project)) if deed.target.startswith(f"{project}/") else deed
        for deed in clause.deeds
    )
    return clause._replace(deeds=tuple(deeds))
