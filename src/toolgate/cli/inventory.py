"""`toolgate inventory`: lists which statements of a prompt the gate enforces, which stay prose, and how many bytes can be
removed."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from toolgate.designs import TEAM_PROMPT
from toolgate.rules.team.context.policies import POLICIES, Policy

from .prompt import count_costs
from .surroundings import AS_JSON

BINDING_WORDS = re.compile(
    r"\b(must|never|always|do not|don't|may not|may only|cannot|can't|not allowed|only|no longer|required?|forbidden|prohibited|"
    r"locked out|reserved|until|append-only|should|shall|limit(ed)?|treat(ed)? as|instead|"
    r"blocked|at most|read or store|protect(ed|ion)?|remains?)\b",
    re.IGNORECASE,
)
"""Words of a binding sentence: a sentence without any of them is a description."""
POLICY_PATTERNS = [(policy, [re.compile(each, re.IGNORECASE | re.DOTALL) for each in policy.spoken]) for policy in POLICIES]


@dataclass(frozen=True, slots=True)
class Statement:
    """`line`: the first line of the statement. `policies`: those that enforce it; none: it stays prose."""

    line: int
    text: str
    policies: tuple[Policy, ...]

    @property
    def bytes(self) -> int:
        return len(self.text.encode())

    @property
    def reminders(self) -> tuple[str, ...]:
        return tuple(policy.reminder for policy in self.policies if policy.reminder)


@click.command(epilog=f"\b\nExamples:\n  toolgate team inventory {TEAM_PROMPT}\n  toolgate team inventory --json prompt.md")
@click.argument("prompt", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@AS_JSON
def inventory(prompt: Path, as_json: bool) -> int:
    """List the statements in PROMPT that bind an agent: which rules enforce them, and which stay prose.

    Enforced statements can be removed, except for reminders of rules that an agent has to know.
    """
    found = list(iter_binding_statements(prompt.read_text(encoding="utf-8")))
    enforced = [each for each in found if each.policies]
    kept = list(dict.fromkeys(reminder for each in enforced for reminder in each.reminders))
    goes = sum(each.bytes for each in enforced)
    stays = sum(len(reminder.encode()) + 1 for reminder in kept)
    saved = max(goes - stays, 0)
    if as_json:
        rows = [
            {
                "line": each.line,
                "text": each.text,
                "bytes": each.bytes,
                "policies": [policy.id for policy in each.policies],
                "rules": list_enforcing_rules(each),
            }
            for each in found
        ]
        click.echo(
            json.dumps({"statements": rows, "reminders": kept, "bytes": saved, "tokens": count_costs("x" * saved)["tokens"]})
        )
        return 0
    for each in found:
        by = ", ".join(list_enforcing_rules(each)) if each.policies else "prose"
        names = " ".join(policy.id for policy in each.policies) or "-"
        click.echo(f"{each.line:5} {each.bytes:5}  {names:8} {by}\n             {_shorten(each.text)}")
    click.echo(
        f"\n{len(enforced)} of {len(found)} statements are enforced: {goes} bytes; {stays} bytes of reminders take their place:"
    )
    for reminder in kept:
        click.echo(f"- {reminder}")
    click.echo(f"{saved} bytes can go, about {count_costs('x' * saved)['tokens']} tokens of every turn")
    return 0


def list_enforcing_rules(statement: Statement) -> list[str]:
    return list(dict.fromkeys(name for policy in statement.policies for name in policy.rules or (policy.by,)))


def iter_binding_statements(text: str) -> Iterator[Statement]:
    """Yields the sentences, items of lists and rows of tables that bind somebody. Code blocks are skipped.

    A row of a table is never enforced: toolgate itself reads the tables of sources and members. Neither is a sentence that only
    mentions what a policy is about."""
    for line, sentence in _iter_sentences(text):
        if BINDING_WORDS.search(sentence):
            spoken = () if sentence.startswith("|") else POLICY_PATTERNS
            yield Statement(
                line, sentence, tuple(policy for policy, statement in spoken if any(each.search(sentence) for each in statement))
            )


def _iter_sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yields each sentence with the line on which it begins."""
    block: list[str] = []
    start, fenced = 1, False
    for number, line in enumerate((*text.splitlines(), ""), 1):
        stripped = line.strip()
        ends = not stripped or stripped.startswith(("#", "```", "|", "- ", "* ", "> ")) or re.match(r"\d+[.)] ", stripped)
        if ends and block:
            yield from ((start, each) for each in _split_sentences(" ".join(block)))
            block = []
        if stripped.startswith("```"):
            fenced = not fenced
        elif not fenced and stripped and not stripped.startswith("#"):
            start = start if block else number
            block.append(stripped)


def _split_sentences(block: str) -> Iterator[str]:
    if block.startswith("|"):
        yield block if set(block) - set("|-: ") else ""
        return
    for sentence in re.split(r"(?<=[.!?])[\"')*]*\s+(?=[A-Z*\"'`(])", block):
        if sentence.strip():
            yield sentence.strip()


def _shorten(text: str) -> str:
    return text if len(text) <= 110 else text[:107] + "..."
