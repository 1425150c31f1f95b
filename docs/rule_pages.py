"""Writes the pages on rules: an index with every profile's verdicts, and a page for each rule from its module and its cases."""

import inspect
import json
from collections.abc import Iterator
from dataclasses import dataclass, fields

from toolgate import cases, policy
from toolgate.cases import Case
from toolgate.cli.rule_view import describe_rule, find_examples, hide_secrets, iter_options, summarize_rule
from toolgate.cli.test import build_case_policy
from toolgate.model.decision import Verdict
from toolgate.model.rule import RuleRow
from toolgate.policy import profiles
from toolgate.rules import TABLE, load_rule_module

EXAMPLES = 8
POLICIES = {
    name: policy.load({"TOOLGATE_HOME": "/nonexistent"}, "/home/u", "/home/u/project", profile=name)
    for name in profiles.list_names()
}


def pages() -> dict[str, str]:
    each = {f"rules/{rule.replace('.', '/')}.md": "\n".join(page(rule)) + "\n" for rule in TABLE}
    return {"rules.md": "# Rules\n\n" + "\n".join(index()) + "\n", **each}


def index() -> Iterator[str]:
    yield "Each rule with its verdict under the profile `default`, and its floor: the verdict below which no profile, approval or"
    yield "mode goes. Of two verdicts, the second is for a match that only running the call would confirm. A rule's page has its"
    yield "verdicts under the other profiles, its options and examples; so has `toolgate rules show ID`.\n"
    yield "| rule | default | floor |\n|---|---|---|"
    for rule, row in sorted(TABLE.items()):
        link = f"[`{rule}`](rules/{rule.replace('.', '/')}.md)"
        about = summarize_rule(rule).replace("|", "\\|")
        yield f"| {link}<br>{about} | {verdicts_under('default', rule, row)} | {pair(*row.floor) if any(row.floor) else ''} |"


def verdicts_under(profile: str, rule: str, row: RuleRow) -> str:
    ruling = POLICIES[profile].ruling_for(rule, row)
    return pair(ruling.verdict, ruling.unsure)


def page(rule: str) -> Iterator[str]:
    row = TABLE[rule]
    yield f"# {rule}\n"
    yield f"{describe_rule(rule)}\n"
    yield f"Looks at: {', '.join(f'`{each}`' for each in row.triggers)}.\n"
    yield "| profile | verdict |\n|---|---|"
    for name in profiles.list_general_names():
        yield f"| {name} | {verdicts_under(name, rule, row)} |"
    yield "\nFor the profiles of other designs, see [their verdicts](../../designs/index.md#verdicts)."
    if any(row.floor):
        yield f"\nFloor: {pair(*row.floor)}. No profile, cap, approval or mode goes below it."
    options = getattr(load_rule_module(rule), "Options", None)
    if options is not None:
        yield f"\n## Options\n\n{inspect.getdoc(options)}\n"
        yield from (f"- `{name}`, by default `{json.dumps(default)}`" for name, default in iter_options(rule))
    yield from relaxing_section(rule, row)
    stops, leaves = find_examples(rule)
    yield from example_message(rule, stops)
    for title, some in (("Stops", stops), ("Leaves alone", leaves)):
        if some:
            yield f"\n## {title}\n\n```sh"
            yield from (
                f"{hide_secrets(case.display_text.strip())}{f'   # {case.why}' if case.why else ''}" for case in some[:EXAMPLES]
            )
            yield "```"


def example_message(rule: str, stops: list[Case]) -> Iterator[str]:
    """Yields what the agent is told about the first example that the rule stops."""
    for case in stops[:1]:
        for finding in cases.decide_case(case, build_case_policy(case)).findings:
            if finding.rule == rule:
                match = finding.match
                instead = f" Instead: {match.remedy}" if match.remedy else ""
                yield "\n## What the agent is told\n"
                yield f"```text\n{hide_secrets(f'{match.reason}{instead}')}\n```"
                return


def relaxing_section(rule: str, row: RuleRow) -> Iterator[str]:
    """Yields how a person can make the rule stop less, as far as its floor and their organisation allow."""
    yield "\n## To relax this\n"
    if any(row.floor):
        yield "No approval waives the floor. The owner of the highest policy layer can lower it by name, with a reason:\n"
        yield f'```toml\n[floors."{rule}"]\nverdict = "ask"\nreason = "..."\n```\n'
    else:
        yield "Approve one stopped call, or calls like it for this session or project, on a terminal of your own. The approval"
        yield "applies at once:\n"
        yield "```sh\ntoolgate why last            # what was stopped, and why"
        yield "toolgate approve             # shows what each choice covers\n```\n"
    yield "From the next session on, in `~/.config/toolgate/policy.toml`, where your organisation lets you:\n"
    name = next((each.name for each in fields(getattr(load_rule_module(rule), "Options", _NoOptions))), "")
    yield f'```toml\n[rules."{rule}"]\nverdict = "{"ask" if any(row.floor) else "warn"}"'
    if name:
        yield f"# options.{name} = ...     # see Options"
    yield "```"


@dataclass
class _NoOptions:
    pass


def pair(sure: Verdict, unsure: Verdict) -> str:
    return sure.name.lower() if sure == unsure else f"{sure.name.lower()} / {unsure.name.lower()}"
