"""Proposes policy changes that the evidence supports: settings to relax, to tighten and to add.

The caller must prove each proposal with the resulting policy. Text that agents wrote enters a setting only as a quoted TOML
string.
"""

import json
import os
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from toolgate import rules
from toolgate.model.address import host_of
from toolgate.model.decision import Verdict
from toolgate.model.effect import Connect, Effects, Escalate, Operation, Run, list_places
from toolgate.model.place import LOCAL

from .evidence import Evidence
from .replay import JudgedCall

Purpose = Literal["relax", "tighten", "add"]
EffectsOf = Callable[[JudgedCall], Effects]
NEW_RULE = "[[rule]]"
_PROGRAM = re.compile(r"[A-Za-z0-9][\w.+-]{0,60}")


class Setting(NamedTuple):
    """Lines of a policy file, and the table that they belong to."""

    table: str
    lines: tuple[str, ...]

    def insert_into(self, text: str) -> str | None:
        """Returns a policy file's text with this setting, or None if the text is invalid or already has such a setting."""
        body = "".join(f"{line}\n" for line in self.lines)
        there = [] if self.table == NEW_RULE else [n for n, line in enumerate(text.splitlines()) if line.strip() == self.table]
        if there:
            kept = text.splitlines(keepends=True)
            changed = "".join((*kept[: there[0] + 1], body, *kept[there[0] + 1 :]))
        else:
            changed = f"{text.rstrip()}\n\n{self.table}\n{body}".lstrip()
        try:
            tomllib.loads(changed)
        except tomllib.TOMLDecodeError:
            return None
        return changed


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A proposed change. `supporting`: its evidence. `rule`: the rule it concerns; empty for a rule to add."""

    purpose: Purpose
    rule: str
    setting: Setting
    supporting: tuple[Evidence, ...]

    @property
    def weight(self) -> int:
        """Counts the answers of a person and the refused calls that support the change."""
        return len({each.answer or each.judged.call.call for each in self.supporting})


def propose_relaxations(evidence: Iterable[Evidence], least: int, home: str, effects_of: EffectsOf) -> Iterator[list[Suggestion]]:
    """Yields the possible exemptions, narrowest first, for each rule and project with enough approvals."""
    groups: dict[tuple[str, str], list[Evidence]] = {}
    for each in evidence:
        if each.label == "approved" and len(each.stops) == 1:
            (rule,) = each.stops
            groups.setdefault((rule, each.judged.call.project), []).append(each)
    for (rule, project), own in sorted(groups.items()):
        table = f'[project.{json.dumps(_beneath_home(project, home))}.rules."{rule}"]'
        settings = [
            *(Setting(table, (line,)) for line in _options(rule, own, effects_of)),
            *(
                Setting("[zones]", (f"safe = {json.dumps([_beneath_home(folder, home)])}",))
                for folder in _folders(rule, own, home)
            ),
            Setting(table, ('verdict = "warn"',)),
        ]
        found = [Suggestion("relax", rule, setting, tuple(own)) for setting in settings]
        if found[0].weight >= least:
            yield found


def propose_tightenings(evidence: Iterable[Evidence], least: int) -> Iterator[Suggestion]:
    """Yields the rules that only warned of at least `least` refused calls, more than ran."""
    refused: dict[str, list[Evidence]] = {}
    ran: Counter[str] = Counter()
    for each in evidence:
        if each.judged.after.verdict < Verdict.ASK:
            for rule in {finding.rule for finding in each.judged.after.findings}:
                if each.label == "refused":
                    refused.setdefault(rule, []).append(each)
                else:
                    ran[rule] += 1
    for rule, own in sorted(refused.items()):
        if len(own) >= least and len(own) > ran[rule] and rule in rules.TABLE:
            matches = [finding.match for each in own for finding in each.judged.after.findings if finding.rule == rule]
            keys = {"verdict" if match.sure is True else "unsure" for match in matches}
            lines = tuple(f'{key} = "ask"' for key in sorted(keys))
            yield Suggestion("tighten", rule, Setting(f'[rules."{rule}"]', lines), tuple(own))


def propose_rules(evidence: Iterable[Evidence], least: int) -> Iterator[Suggestion]:
    """Yields rules for programs with subcommands that were refused at least `least` times, never ran, and matched no rule."""
    refused: dict[str, list[Evidence]] = {}
    ran: set[str] = set()
    for each in evidence:
        shape = each.judged.shape
        if each.label != "refused":
            ran.update(part for name in shape.split(", ") for part in (name, name.partition(" ")[0]))
        elif not each.judged.after.findings and _PROGRAM.fullmatch(shape.partition(" ")[0]):
            refused.setdefault(shape, []).append(each)
    for shape, own in sorted(refused.items()):
        program, _, verb = shape.partition(" ")
        if len(own) < least or shape in ran or "," in shape or own[0].judged.shape == own[0].judged.call.tool:
            continue
        pattern = rf"^\S+ {re.escape(verb)}( |$)"
        text = f", text = {json.dumps(pattern)}" if verb else ""
        name = re.sub("[^a-z0-9]+", "-", shape.lower())[:40].strip("-")
        lines = (
            f'id = "suggested.{name}"',
            f"on = {{ program = {json.dumps(program)}{text} }}",
            'verdict = "ask"',
            f"reason = {json.dumps(f'You refused this {len(own)} times.')}",
        )
        yield Suggestion("add", "", Setting(NEW_RULE, lines), tuple(own))


def _options(rule: str, own: list[Evidence], effects_of: EffectsOf) -> Iterator[str]:
    """Yields the rule's options (`programs`, or `trusted` hosts) that exempt these calls."""
    options = getattr(rules.load_rule_module(rule), "Options", None) if rule in rules.TABLE else None
    fields = getattr(options, "__dataclass_fields__", {})
    for name, find in (("programs", _programs_run_by), ("trusted", _hosts_of)):
        if name in fields:
            found = [set(find(rule, each, effects_of)) for each in own]
            if all(found):
                yield f"options = {{ {name} = {json.dumps(sorted(set().union(*found)))} }}"


def _programs_run_by(rule: str, each: Evidence, effects_of: EffectsOf) -> Iterator[str]:
    """Yields the names of the programs that an escalation runs."""
    matched = [finding.match.effect for finding in each.judged.after.findings if finding.rule == rule]
    how = {effect.how for effect in matched if isinstance(effect, Escalate)}
    for run in effects_of(each.judged).of_kind(Run):
        name = run.argv[0].file_name if run.argv else ""
        if how & {carrier.program for carrier in run.origin.via} and _PROGRAM.fullmatch(name):
            yield name


def _hosts_of(rule: str, each: Evidence, _effects_of: EffectsOf) -> Iterator[str]:
    for finding in each.judged.after.findings:
        effect = finding.match.effect
        if finding.rule == rule and isinstance(effect, Connect | Operation) and effect.target is not None:
            text = effect.target.text
            host = host_of(text) if text else ""
            if host and _PROGRAM.fullmatch(host) and "." in host:
                yield host


def _folders(rule: str, own: list[Evidence], home: str) -> Iterator[str]:
    """Yields the deepest folder of all matched places, unless it is the home folder, above it, or hidden in it."""
    found = [
        place.path
        for each in own
        for finding in each.judged.after.findings
        if finding.rule == rule
        for place in list_places(finding.match.effect)
        if place.machine == LOCAL and place.is_in("outside") is True and place.path
    ]
    if not rule.startswith("filesystem.") or not found:
        return
    folder = os.path.commonpath([os.path.dirname(path) for path in found])
    if folder.startswith(f"{home}/"):
        is_narrow = not folder.startswith(f"{home}/.")
    else:
        is_narrow = folder.count("/") > 1 and not f"{home}/".startswith(f"{folder}/")
    if is_narrow:
        yield folder


def _beneath_home(path: str, home: str) -> str:
    return f"~{path[len(home) :]}" if path.startswith(f"{home}/") else path
