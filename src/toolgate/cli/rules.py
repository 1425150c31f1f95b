"""`toolgate rules`: lists the rules with their default verdicts and those in force here; shows one of them in full."""

import difflib
import json
import sys
from fnmatch import fnmatchcase
from typing import NamedTuple

import click

from toolgate.model.decision import Verdict
from toolgate.model.errors import ToolgateError
from toolgate.model.rule import Policy, RuleRow, WrittenRule
from toolgate.policy import load
from toolgate.rules import TABLE

from .rule_view import format_pair, render_rule, render_written_rule, summarize_rule
from .surroundings import AS_JSON, DIRECTORY, PROFILE, read_surroundings

COLOURS = {Verdict.PASS: "bright_black", Verdict.WARN: "yellow", Verdict.ASK: "cyan", Verdict.DENY: "red"}
HEADINGS = ("rule", "here", "default", "floor")


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("words", nargs=-1, metavar="[list] [PATTERN] | show ID")
@PROFILE
@DIRECTORY
@AS_JSON
def rules(words: tuple[str, ...], profile: str | None, directory: str | None, as_json: bool) -> int:
    """List the rules whose id matches PATTERN, or show one rule in full.

    Three verdicts are listed: here, by default, and the floor, below which no policy goes. Of two verdicts (`ask/warn`), the
    second is for a match that only running the call would confirm.

    \b
    Examples:
      toolgate rules
      toolgate rules list 'git.*' --profile paranoid --json
      toolgate rules show git.force-push
    """
    surroundings = read_surroundings(directory)
    policy = load(surroundings.environ, surroundings.home, surroundings.project, profile=profile or "")
    match words:
        case ("show", rule):
            return _show_rule(rule, policy, as_json)
        case () | ("list",):
            return _list_rules("*", policy, as_json)
        case ("list", pattern) | (pattern,) if pattern != "show":
            return _list_rules(pattern, policy, as_json)
        case _:
            raise click.UsageError("give a PATTERN in quotes, or: show ID")


def _show_rule(rule: str, policy: Policy, as_json: bool) -> int:
    row, written = TABLE.get(rule), next((each for each in policy.written if each.id == rule), None)
    if row is not None:
        click.echo(json.dumps({"id": rule, **_rule_fields(rule, row, policy)}) if as_json else render_rule(rule, row, policy))
    elif written is not None:
        fields = {"id": rule, **_written_fields(written)}
        click.echo(json.dumps(fields) if as_json else render_written_rule(written))
    else:
        raise ToolgateError(f"there is no rule {rule!r}; {_suggest_rules(rule, policy)}")
    return 0


def _suggest_rules(name: str, policy: Policy) -> str:
    """Returns the ids nearest to a misspelled one: as a whole, or in their last part."""
    known = [*TABLE, *(each.id for each in policy.written)]
    last = {rule.rpartition(".")[2]: rule for rule in known}
    near = difflib.get_close_matches(name, known, 2, 0.75)
    near += [last[each] for each in difflib.get_close_matches(name.rpartition(".")[2], last, 1, 0.7)]
    return f"did you mean {' or '.join(dict.fromkeys(near))}?" if near else "`toolgate rules` lists them"


def _list_rules(pattern: str, policy: Policy, as_json: bool) -> int:
    rows = {rule: row for rule, row in sorted(TABLE.items()) if fnmatchcase(rule, pattern)}
    written = [rule for rule in policy.written if fnmatchcase(rule.id, pattern)]
    if not rows and not written:
        raise ToolgateError(f"no rule matches {pattern!r}; {_suggest_rules(pattern, policy)}")
    if as_json:
        table = {rule: _rule_fields(rule, row, policy) for rule, row in rows.items()}
        table.update((each.id, _written_fields(each)) for each in written)
        click.echo(json.dumps(table, indent=2))
        return 0
    lines = [_build_line(rule, row, policy) for rule, row in rows.items()]
    lines += [
        ListedRule(each.id, each.verdict, format_pair(_pair_of(each)), "", "", f"{each.reason} (the {each.author}'s own)")
        for each in written
    ]
    _print_table(lines)
    return 0


class ListedRule(NamedTuple):
    id: str
    verdict: Verdict
    here: str
    default: str
    floor: str
    summary: str


def _build_line(rule: str, row: RuleRow, policy: Policy) -> ListedRule:
    ruling, floor = policy.ruling_for(rule, row), policy.floor_for(rule, row)
    return ListedRule(
        rule,
        ruling.verdict,
        format_pair((ruling.verdict, ruling.unsure)),
        format_pair((row.verdict, row.unsure)),
        format_pair(floor) if any(floor) else "",
        summarize_rule(rule),
    )


def _print_table(lines: list[ListedRule]) -> None:
    """Prints a line for each rule; on a terminal its summary follows on lines of its own, which the terminal wraps at words."""
    first = max(len(each.id) for each in lines)
    shown = sys.stdout.isatty()
    click.secho(f"{HEADINGS[0]:{first}}  {HEADINGS[1]:9}  {HEADINGS[2]:9}  {HEADINGS[3]:9}".rstrip(), bold=True)
    for each in lines:
        verdict = click.style(f"{each.here:9}", fg=COLOURS[each.verdict])
        columns = f"{each.id:{first}}  {verdict}  {each.default:9}  {each.floor:9}"
        click.echo(columns.rstrip() if shown else f"{columns}  {each.summary}")
        if shown:
            click.echo(click.wrap_text(each.summary, click.get_current_context().terminal_width or 80, "    ", "    "))


def _pair_of(written_rule: WrittenRule) -> tuple[Verdict, Verdict]:
    return written_rule.verdict, written_rule.verdict if written_rule.unsure is None else written_rule.unsure


def _written_fields(written_rule: WrittenRule) -> dict[str, object]:
    return {"verdict": written_rule.verdict.name.lower(), "written_by": written_rule.author, "summary": written_rule.reason}


def _rule_fields(rule: str, row: RuleRow, policy: Policy) -> dict[str, object]:
    ruling, floor = policy.ruling_for(rule, row), policy.floor_for(rule, row)
    return {
        "verdict": ruling.verdict.name.lower(),
        "unsure": ruling.unsure.name.lower(),
        "default": {"verdict": row.verdict.name.lower(), "unsure": row.unsure.name.lower()},
        "floor": {"verdict": floor[0].name.lower(), "unsure": floor[1].name.lower()} if any(floor) else None,
        "triggers": list(row.triggers),
        "summary": summarize_rule(rule),
    }
