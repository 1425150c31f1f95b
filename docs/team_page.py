"""Writes the report on the eighteen policies of the team design: what enforces each, and the cases that show it."""

import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from toolgate import cases, rules
from toolgate.cli.rule_view import list_rule_files
from toolgate.hosts import HOSTS
from toolgate.model.decision import Verdict
from toolgate.rules import TABLE
from toolgate.rules.team.context.policies import AUDITED_RULES, POLICIES, Policy

ACCEPTANCE = Path(__file__).parents[1] / "tests" / "acceptance"
SHOWN_BY = {
    "P1": "S3-P1", "P2": "S3-80 S3-81 S3-82 S3-83", "P3": "S3-P3", "P4": "S3-60 S3-61 S3-62 S3-63 S3-64 S3-65",
    "P5": "S3-50 S3-51 S3-52 S3-53 S3-P5", "P6": "S3-P6", "P7": "S3-40 S3-41 S3-42 S3-43", "P8": "S3-P8",
    "P9": "S3-70 S3-71 S3-72 S3-73 S3-74", "P10": "S3-P10", "P11": "S3-P11", "P12": "S3-P12", "P13": "S3-P13", "P14": "S3-P1",
    "P15": "S3-P15", "P16": "S3-P16", "P17": "S3-P17", "P18": "S3-P18",
}  # fmt: skip
"""Policy -> rows of the requirements whose acceptance cases are about it."""
HEAD = """\
# The eighteen policies of a team

The profile `squad` enforces these policies on every host ({hosts}).
The rules judge effects, so one rule stops an action whatever tool or command performs it. Denials of policies with priority P0
are also recorded in `.squad/security-audit.log`. [teams.md](teams.md) explains the setup. `tests/e2e/test_story.py` tests each
policy, violated and obeyed, on the real clients.

| policy | priority | enforced by | cases that stop / leave alone | lines covered | acceptance cases |
|---|---|---|---|---|---|
"""
LEAST = 95  # percent of the lines of a rule that its own cases run


def pages() -> dict[str, str]:
    return {"team-policies.md": "".join(text())}


def text() -> Iterator[str]:
    yield HEAD.format(hosts=", ".join(sorted(HOSTS)))
    by_row: dict[str, list[str]] = defaultdict(list)
    for line in (ACCEPTANCE / "cases.jsonl").read_text().splitlines():
        case = json.loads(line)
        by_row[case["req"]].append(case["id"])
    run = measure_coverage([rule for policy in POLICIES for rule in policy.rules if rule in TABLE])
    if short := [f"{rule}: {percent} %" for rule, percent in run.items() if percent < LEAST]:
        raise SystemExit(f"the cases beside a rule run at least {LEAST} % of its lines; write some for {', '.join(short)}")
    for policy in POLICIES:
        named = ", ".join(map(link_to_rule, policy.rules)) or policy.by
        share = f"{min(run[rule] for rule in policy.rules if rule in run)} %" if set(policy.rules) & run.keys() else ""
        examples = " ".join(case for row in SHOWN_BY[policy.id].split() for case in by_row[row])
        yield f"| {policy.id}: {policy.what} | {policy.priority} | {named} | {count_cases(policy)} | {share} | {examples} |\n"
    yield "\n## Other rules on teams\n\n"
    own = {rule for policy in POLICIES for rule in policy.rules}
    for rule in sorted(each for each in TABLE if each.startswith("team.") and each not in own):
        yield f"- {link_to_rule(rule)}{' (recorded in the audit of the team)' if rule in AUDITED_RULES else ''}\n"


def link_to_rule(rule: str) -> str:
    return f"[`{rule}`](rules/{rule.replace('.', '/')}.md)" if rule in TABLE else f"`{rule}`"


def count_cases(policy: Policy) -> str:
    own = [
        case
        for path in cases.iter_shipped_files()
        if f"{path.parent.name}.{path.name.removesuffix('.cases.toml')}".replace("_", "-") in policy.rules
        for case in cases.load_cases(path)
    ]
    leaves = sum(case.expect == {Verdict.PASS} for case in own)
    return f"{len(own) - leaves} / {leaves}" if own else ""


def measure_coverage(of: list[str]) -> dict[str, int]:
    """Returns for each rule the percentage of its module's lines that all their cases run, in a process of their own, definitions
    included."""
    top = Path(next(iter(rules.__path__)))
    modules = {rule: top / f"{rule.replace('.', '/').replace('-', '_')}.py" for rule in dict.fromkeys(of)}
    with tempfile.TemporaryDirectory() as folder:
        options = [f"--data-file={folder}/data"]
        words = ["-m", "toolgate", "test", *(str(path) for rule in modules for path in list_rule_files(rule))]
        _coverage("run", *options, f"--include={','.join(map(str, modules.values()))}", *words)
        _coverage("json", *options, "-o", f"{folder}/told.json")
        report = json.loads(Path(folder, "told.json").read_text())["files"]
    by_name = {Path(name).resolve(): each["summary"]["percent_covered"] for name, each in report.items()}
    return {rule: int(by_name[module.resolve()]) for rule, module in modules.items()}


def _coverage(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "coverage", *words], check=True, capture_output=True)
