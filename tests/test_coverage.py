"""Checks docs/coverage.md: every row is proved by a removal, and the checked-in result belongs to the current hook points."""

import json
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from prove_coverage import PACKAGE, apply_point, digest_point, load_hook_points, load_results

ACCEPTANCE = Path(__file__).parent / "acceptance"
ADDED = tomllib.loads((ACCEPTANCE / "added.toml").read_text())
SHOWN: dict[str, list[str]] = ADDED.pop("shown")
UNPROVED: dict[str, str] = ADDED.pop("unproved")
"""Row -> the reason why no removal can prove it."""
del ADDED["requirements"]
HOOK_POINTS = load_hook_points()
ROW_RULES = tomllib.loads((ACCEPTANCE / "row_rules.toml").read_text())
ANSWERS = json.loads((ACCEPTANCE / "answered.json").read_text())
CASES: dict[str, list[str]] = defaultdict(list)
for line in (ACCEPTANCE / "cases.jsonl").read_text().splitlines():
    CASES[json.loads(line)["req"]].append(json.loads(line)["id"])


def iter_judged_cases() -> Iterator[str]:
    for kind, found in ANSWERS.items():
        for ids in found.values() if kind.endswith("otherwise") else (found,):
            yield from ids


def test_every_acceptance_case_is_judged() -> None:
    assert set(iter_judged_cases()) == {case for cases in CASES.values() for case in cases}


def test_every_row_is_proved() -> None:
    rows = {*CASES, *ADDED, *SHOWN}
    assert rows == {*HOOK_POINTS, *ROW_RULES, *UNPROVED}, sorted(rows ^ {*HOOK_POINTS, *ROW_RULES, *UNPROVED})
    assert not UNPROVED.keys() & (HOOK_POINTS.keys() | ROW_RULES.keys())


@pytest.mark.parametrize("row", HOOK_POINTS)
def test_a_hook_point_is_the_one_that_was_removed(row: str) -> None:
    """`python tests/prove_coverage.py` removes those that are new or changed."""
    point = HOOK_POINTS[row]
    apply_point(point, (PACKAGE / point["file"]).read_text())
    assert load_results().get(row) == digest_point(point), f"python tests/prove_coverage.py {row}"


@pytest.mark.parametrize("row", HOOK_POINTS)
def test_a_row_is_proved_by_a_test_of_its_own(row: str) -> None:
    named, _, parameter = HOOK_POINTS[row]["test"].partition("[")
    own = {*CASES[row], *(f"{row}/{n}" for n in range(1, len(ADDED.get(row, ())) + 1))}
    assert named in SHOWN.get(row, ()) or parameter.removesuffix("]") in own, f"{named} is not among the tests of {row}"
