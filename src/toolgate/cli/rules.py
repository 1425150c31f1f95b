"""`toolgate rules`: lists the rules with their default verdicts and those in force here."""

import json

import click

from toolgate.model.decision import Verdict
from toolgate.model.rule import Policy, RuleRow
from toolgate.policy import load
from toolgate.rules import TABLE

from .surroundings import AS_JSON, DIRECTORY, PROFILE, read_surroundings

COLOURS = {Verdict.PASS: "dim", Verdict.WARN: "yellow", Verdict.ASK: "cyan", Verdict.DENY: "red"}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("pattern", default="*")
@PROFILE
@DIRECTORY
@AS_JSON
def rules(pattern: str, profile: str | None, directory: str | None, as_json: bool) -> None:
    """List the rules whose id matches PATTERN: their verdicts here, by default, and at least (their floor).

    Of two verdicts, the second is for a match that only running the call would confirm.

    \b
    Examples:
      toolgate rules
      toolgate rules 'git.*' --profile paranoid --json
    """
    from fnmatch import fnmatchcase

    here = read_surroundings(directory)
    policy = load(here.environ, here.home, here.project, profile=profile or "")
    rows = {rule: row for rule, row in sorted(TABLE.items()) if fnmatchcase(rule, pattern)}
    written = [rule for rule in policy.written if fnmatchcase(rule.id, pattern)]
    if as_json:
        table = {rule: _rule_fields(rule, row, policy) for rule, row in rows.items()}
        table.update((each.id, {"verdict": each.verdict.name.lower(), "written_by": each.author}) for each in written)
        click.echo(json.dumps(table, indent=2))
        return
    from rich.console import Console
    from rich.table import Table

    listing = Table("rule", "here", "default", "floor", box=None, pad_edge=False, header_style="bold")
    for rule, row in rows.items():
        ruling = policy.ruling_for(rule, row)
        floor = policy.floor_for(rule, row)
        default = (row.verdict, row.unsure)
        now = (ruling.verdict, ruling.unsure)
        style = COLOURS[ruling.verdict]
        listing.add_row(
            rule, f"[{style}]{_format_pair(now)}[/]", _format_pair(default), _format_pair(floor) if any(floor) else ""
        )
    for each in written:
        pair = (each.verdict, each.verdict if each.unsure is None else each.unsure)
        listing.add_row(each.id, f"[{COLOURS[each.verdict]}]{_format_pair(pair)}[/]", f"the {each.author}'s own", "")
    Console(soft_wrap=True, highlight=False).print(listing)


def _format_pair(verdicts: tuple[Verdict, Verdict]) -> str:
    sure, unsure = (verdict.name.lower() for verdict in verdicts)
    return sure if sure == unsure else f"{sure}/{unsure}"


def _rule_fields(rule: str, row: RuleRow, policy: Policy) -> dict[str, object]:
    ruling, floor = policy.ruling_for(rule, row), policy.floor_for(rule, row)
    return {
        "verdict": ruling.verdict.name.lower(),
        "unsure": ruling.unsure.name.lower(),
        "default": {"verdict": row.verdict.name.lower(), "unsure": row.unsure.name.lower()},
        "floor": {"verdict": floor[0].name.lower(), "unsure": floor[1].name.lower()} if any(floor) else None,
        "triggers": list(row.triggers),
    }
