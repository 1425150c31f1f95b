"""Writes docs/coverage.md: every requirement of the four designs, and the acceptance cases that show how it is met."""

import json
import sys
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from toolgate import cases

DOCS = Path(__file__).parent
ACCEPTANCE = DOCS.parent / "tests" / "acceptance"
DESIGNS = {
    "S1": "The plan enforcer",
    "S2": "Guardrail hooks",
    "S3": "Policies for a team of agents",
    "S4": "The safety hook for fleets",
    "X": "Across the designs",
}
VERDICTS = {"allow": "pass", "warn": "warn", "ask": "ask", "block": "deny"}
"""The acceptance cases' words."""


def page() -> str:
    answers = json.loads((ACCEPTANCE / "answered.json").read_text())
    answered = {
        case for kind in ("answered", "with state", "launched", "driven", "of a team", "of outputs") for case in answers[kind]
    }
    otherwise = answers["otherwise"] | answers["outputs otherwise"]
    reasons = {case: reason for reason, cases in otherwise.items() for case in cases}
    by_row: dict[str, list[str]] = defaultdict(list)
    pinned: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for line in (ACCEPTANCE / "cases.jsonl").read_text().splitlines():
        case = json.loads(line)
        by_row[case["req"]].append(case["id"])
        if case["tool"] == "Bash" and case["id"] in answered:
            message = VERDICTS.get(case["expect"].get("decision", ""), "")
            pinned[case["input"].get("command", ""), case.get("context", {}).get("profile", ""), message].append(case["id"])
    total = sum(map(len, by_row.values()))
    added = tomllib.loads((ACCEPTANCE / "added.toml").read_text())
    examples = added.pop("shown")
    del added["requirements"]  # tests/test_cases.py holds this page against them
    unproved = added.pop("unproved")
    lines = [
        "<!-- Written by `make coverage` from tests/acceptance. -->\n",
        "# Requirements of the four designs\n",
        f"{len(answered)} of {total} acceptance cases get the answer of their own design, each under its own profile.",
        f"{len(reasons)} get another answer, for the reason given.",
        "`S2-23/1` is a case of tests/acceptance/added.toml. A test shows each requirement that is not a verdict on a call.\n",
    ]
    for prefix, title in DESIGNS.items():
        lines += [f"## {title}\n", "| requirement | as the design says | otherwise |", "|---|---|---|"]
        for row in sorted(each for each in {*by_row, *added, *examples} if each.startswith(prefix)):
            cases = by_row[row]
            right = [case for case in cases if case in answered]
            right += [f"{row}/{n}" for n in range(1, len(added.get(row, ())) + 1)]
            right += [_link_to(each) for each in examples.get(row, ())]
            other = [f"{case} ({reasons[case]})" for case in cases if case in reasons]
            lines.append(f"| {row} | {' '.join(right)} | {'; '.join(other)} |")
        lines.append("")
    return "\n".join([*lines, *_conflicts(pinned), *_metrics(), *_proved_section(unproved), *_labelled_section(), *_gaps()])


def _link_to(target: str) -> str:
    page, _, heading = target.partition("#")
    return f"[{heading}]({page.removeprefix('docs/')}#{heading})" if heading else f"`{target.rpartition('::')[2]}`"


def _conflicts(pins: Mapping[tuple[str, str, str], list[str]]) -> list[str]:
    """Returns the conflicts, cell by cell, as tests/test_cases.py runs them; beside a verdict the acceptance cases that say the
    same of that call."""
    topics = tomllib.loads((ACCEPTANCE / "conflicts.toml").read_text())["topic"]
    profiles = ("nous-plan", "guardrail-confirm", "squad", "failover", "ci-headless", "default")
    lines = [
        "## Where the designs differ\n",
        "The verdict of each design's own profile, and of `default`. A cell is empty if the design does not mention the call.",
        "Every cell is a case (`D01-squad`), followed by the acceptance cases with that verdict.\n",
        f"| case | topic | call | {' | '.join(profiles)} |",
        "|---|---|---|" + "---|" * len(profiles),
    ]
    for topic in topics:
        call = topic["shell"].replace("|", "\\|")
        verdicts = [
            " ".join((expectation, *pins[topic["shell"], each, expectation]))
            if (expectation := topic["expect"].get(each))
            else ""
            for each in profiles
        ]
        cells = [topic["id"], topic["name"].replace("|", "\\|"), f"`{call}`", *verdicts]
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, ""]


def _labelled_section() -> list[str]:
    """Returns the section on tests/acceptance/labelled.toml: what others said of commands before the gate judged them."""
    table = tomllib.loads((ACCEPTANCE / "labelled.toml").read_text())
    commands = {**table["labelled"], **table["relief"]}
    rows = []
    for id_, why in sorted((id_, why) for why, ids in table["otherwise"].items() for id_ in ids):
        operation, command = commands[id_][0].replace("|", " or "), commands[id_][1].replace("|", "\\|")
        rows.append(f"| {id_} | `{command}` | {operation} | {why} |")
    return [
        "## Commands that were labelled first\n",
        f"{len(commands) - len(rows)} of {len(commands)} commands of tests/acceptance/labelled.toml are answered as they were",
        "labelled before the gate judged them. These differ on purpose.\n",
        "| case | command | labelled | reason |",
        "|---|---|---|---|",
        *rows,
        "",
    ]


def _metrics() -> list[str]:
    """Returns the section on the designs' own metrics that no verdict on a call shows."""
    table = tomllib.loads((ACCEPTANCE / "metrics.toml").read_text())
    prompt = table["prompt"]
    rows = []
    for profile, came in table["denials"].items():
        total, permitted = sum(came.values()), came["permitted"]
        left = came.get("left to the user", 0)
        rows.append(f"| {profile} | {total} | {permitted} ({permitted / total:.0%}) | {left} |")
    return [
        "## Metrics of the designs\n",
        "A scripted agent reads the reason of each call that the designs' own cases stop, and makes the call that the reason",
        "advises (`tests/acceptance/followed.toml`). The second column counts the agents whose call was then permitted, without",
        "a person. The third counts the reasons that leave the matter to the user.\n",
        "| profile | stopped | permitted after the advice | left to the user |",
        "|---|---|---|---|",
        *rows,
        "",
        f"In the coordinator's prompt of `{prompt['package']}` ({prompt['bytes']:,} bytes), `toolgate team inventory` finds",
        f"{prompt['binding']} binding statements. The gate enforces {prompt['enforced']} of them;",
        f"{prompt['removable']:,} bytes can be removed, after the reminders that take their place. The design expects",
        "2,650 bytes, of a prompt of 32 KB.\n",
    ]


def _proved_section(reasons: Mapping[str, str]) -> list[str]:
    """Returns the section on rows whose hook point or rule was removed, and whose test failed then."""
    points = tomllib.loads((ACCEPTANCE / "hook_points.toml").read_text())
    rules = tomllib.loads((ACCEPTANCE / "row_rules.toml").read_text())
    rows = {row: f"| {row} | `{point['file']}` | `{point['test'].rpartition('::')[2]}` |" for row, point in points.items()}
    for row, cases_of_rules in rules.items():
        for rule, case in cases_of_rules.items():
            rows[f"{row} {rule}"] = f"| {row} | `{rule}` | {case} |"
    return [
        "## What proves each row\n",
        f"For each of {len(points.keys() | rules.keys())} rows, something was removed and the test failed: either a line of a",
        "file, in a copy of the package (`tests/prove_coverage.py`), or a rule (`tests/test_cases.py`, in every run).",
        "`tests/test_coverage.py` fails where a row has no such proof.\n",
        "| requirement | removed | test that failed |",
        "|---|---|---|",
        *(rows[each] for each in sorted(rows)),
        "",
        "No removal can prove these rows:\n",
        *(f"- {row}: {reason}." for row, reason in reasons.items()),
        "",
    ]


def _gaps() -> list[str]:
    """Returns the section on cases beside the rules and programs that the gate is known to answer wrongly."""
    gaps = [case for path in cases.iter_shipped_files() for case in cases.load_cases(path) if case.known_gap]
    intro = (
        "Cases beside rules, programs and languages that are answered wrongly so far; each must fail until its mark is gone.\n"
    )
    rows = ["| call | why |", "|---|---|", *(f"| `{case.display_text}` | {case.known_gap} |" for case in gaps)]
    return ["## Known gaps\n", intro, *(rows if gaps else ["None."]), ""]


if __name__ == "__main__":
    text, path = page(), DOCS / "coverage.md"
    if "--check" in sys.argv and (not path.exists() or path.read_text() != text):
        sys.exit("stale, run `make coverage`: coverage.md")
    path.write_text(text)
