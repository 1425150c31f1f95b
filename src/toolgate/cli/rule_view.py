"""Text about one rule, from its module and its cases: for `toolgate rules show`, and for its page in the documentation."""

import inspect
import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import click

from toolgate import cases
from toolgate.cases import Case
from toolgate.model.decision import Verdict
from toolgate.model.rule import Policy, RuleRow, WrittenRule
from toolgate.redaction.finder import Finder
from toolgate.redaction.placeholders import label_placeholder
from toolgate.redaction.redactor import Redactor
from toolgate.rules import load_rule_module

MAX_EXAMPLE_LENGTH = 100
MAX_EXAMPLES = 4
WIDTH = 80


def render_rule(rule: str, row: RuleRow, policy: Policy) -> str:
    """Returns a rule in full: what it stops, its verdicts, options and examples, and how to relax it."""
    ruling, floor = policy.ruling_for(rule, row), policy.floor_for(rule, row)
    lines = [click.style(rule, bold=True), "", click.wrap_text(describe_rule(rule), WIDTH, preserve_paragraphs=True), ""]
    lines.append(f"here      {format_pair((ruling.verdict, ruling.unsure))}")
    lines.append(f"default   {format_pair((row.verdict, row.unsure))}")
    if any(floor):
        lines.append(f"floor     {format_pair(floor)}: no profile, approval or mode goes below it")
    lines.append(f"looks at  {', '.join(row.triggers)}")
    if options := dict(iter_options(rule)):
        lines += ["", "Options, with their defaults:", *(f"  {name} = {json.dumps(value)}" for name, value in options.items())]
    stops, leaves = find_examples(rule)
    for title, some in (("Stops:", stops), ("Leaves alone:", leaves)):
        if some:
            lines += ["", title, *(f"  {hide_secrets(case.display_text.strip())}" for case in some[:MAX_EXAMPLES])]
    lines += ["", *iter_relaxation(rule, row)]
    return "\n".join(lines)


def render_written_rule(rule: WrittenRule) -> str:
    """Returns a rule of a policy file in full."""
    pair = (rule.verdict, rule.verdict if rule.unsure is None else rule.unsure)
    lines = [click.style(rule.id, bold=True), "", rule.reason]
    if rule.instead:
        lines.append(f"Instead: {rule.instead}")
    return "\n".join([*lines, "", f"here      {format_pair(pair)}", f"set by    the {rule.author}'s policy"])


def iter_relaxation(rule: str, row: RuleRow) -> Iterator[str]:
    if any(row.floor):
        yield "To relax it, the owner of the highest policy layer lowers the floor, with a reason:"
        yield f'  [floors."{rule}"]'
        yield '  verdict = "ask"'
        yield '  reason = "..."'
    else:
        yield "To let one stopped call run: toolgate approve"
        yield "To relax it from the next session on, in ~/.config/toolgate/policy.toml:"
        yield f'  [rules."{rule}"]'
        yield '  verdict = "warn"'


def describe_rule(rule: str) -> str:
    return inspect.getdoc(load_rule_module(rule)) or ""


def summarize_rule(rule: str) -> str:
    """Returns the first sentence of a rule's description."""
    return describe_rule(rule).partition("\n\n")[0].replace("\n", " ")


def iter_options(rule: str) -> Iterator[tuple[str, object]]:
    """Yields each option of a rule with its default."""
    kind = getattr(load_rule_module(rule), "Options", None)
    if kind is not None:
        defaults = kind()
        yield from ((field.name, getattr(defaults, field.name)) for field in fields(kind))


def find_examples(rule: str) -> tuple[list[Case], list[Case]]:
    """Returns short shipped cases of a rule: those that it stops, and those that pass."""
    shown = [
        case
        for path in list_rule_files(rule)
        for case in cases.load_cases(path)
        if case.tool == "Bash" and "\n" not in case.display_text.strip() and len(case.display_text) < MAX_EXAMPLE_LENGTH
    ]
    return [case for case in shown if case.rule == rule], [case for case in shown if case.expect == {Verdict.PASS}]


def list_rule_files(rule: str) -> list[Path]:
    """Returns the case files of a rule: the one beside it, and those of the designs."""
    own = f"rules/{rule.replace('.', '/').replace('-', '_')}.cases.toml"
    return [path for path in cases.iter_shipped_files() if path.as_posix().endswith(f"/{own}")]


def hide_secrets(text: str) -> str:
    """Hides made-up tokens like real ones: scanners of repositories cannot tell them apart."""
    return Redactor(Finder(frozenset()), label_placeholder).redact_text(text)


def format_pair(verdicts: tuple[Verdict, Verdict]) -> str:
    sure, unsure = (verdict.name.lower() for verdict in verdicts)
    return sure if sure == unsure else f"{sure}/{unsure}"
