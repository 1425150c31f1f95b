"""A layer that may only add to the description of a tool takes nothing away: for every shipped case of an MCP tool."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from judged import SHIPPED
from toolgate import cases
from toolgate.cases import Case
from toolgate.cli.test import build_case_policy
from toolgate.model.rule import DescribedTool

CASES = [case for case in SHIPPED if case.tool.startswith("mcp__")]


def rows(argument: str) -> Iterator[dict[str, str | tuple[str, ...]]]:
    for role in ("read", "write", "delete", "connect", "shell"):
        yield {role: argument}
    yield {"move": argument, "to": argument}
    yield {"write": argument, "content": argument}
    yield {"run": ("sudo", "apt", "update", f"{{{argument}}}")}
    yield {"run": ("git", "stash")}
    yield {"operation": "git.push", "target": argument}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_row_that_only_adds_never_loosens(case: Case) -> None:
    policy = build_case_policy(case)
    plain = cases.run_case(case, policy)
    server, _, tool = case.tool.removeprefix("mcp__").partition("__")
    for argument in case.input or ("nothing",):
        for row in rows(argument):
            added = cases.run_case(case, replace(policy, tools=(DescribedTool(server, tool, row, "policy.toml", adds=True),)))
            assert added.verdict >= plain.verdict
            assert set(added.rules) >= set(plain.rules), row
