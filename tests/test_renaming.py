"""Law 12: names that no table knows decide nothing. Renaming them throughout a call does not change its verdict."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import toolgate
from judged import SHELL, answer, text
from toolgate.cases import Case
from toolgate.model.effect import Run
from toolgate.understand import understand

_ASSIGNED = re.compile(r"(?:^|[;&|{]|\s)(?:local |export |declare |readonly )?([a-z_]\w*)=")
_DEFINED = re.compile(r"\b([a-z_]\w*)\s*\(\)\s*\{")
_USED = r"(?:(?<=[\s;&|{{])|^){0}(?==|\s*\(\)|[\s;]|$)|(?<=\$){0}\b|(?<=\${{){0}\b|(?<=\${{[#!]){0}\b"
NAMES = ("frobnicate", "what_find_finds", "unknown_part")
"""The second and third are words that were once looked for in what is shown of a word."""
SOURCE = Path(toolgate.__file__).parent
WORDS = {
    word
    for folder in ("programs", "rules", "flows", "shell")
    for path in (SOURCE / folder).rglob("*.py")
    for word in re.findall(r"[a-z][a-z0-9_]+", path.read_text())
}
"""All that a table may know."""


def own_names(command: str) -> list[str]:
    """Returns the variables and functions that a text defines and uses, where each mention of the name is one of them. zsh makes
    further names of a variable's beside braces: `$x{a,b}`."""
    if re.search(r"\$\w+\{", command):
        return []
    used = [name for name in _ASSIGNED.findall(command) if re.search(rf"\${{?[#!]?{name}\b", command)]
    found = dict.fromkeys(
        (*used, *(name for name in _DEFINED.findall(command) if name not in WORDS and "command_not_found" not in name))
    )
    return [name for name in found if count_mentions(name, command) == len(re.findall(rf"\b{name}\b", command))]


def count_mentions(name: str, command: str) -> int:
    return len(re.findall(_USED.format(name), command, re.MULTILINE))


def unknown_programs(case: Case) -> list[str]:
    """Returns the programs that a call runs under a name that no table has."""
    effects = understand(case.action, case.scene, case.world)
    names = dict.fromkeys(run.argv[0].text or "" for run in effects.of_kind(Run) if run.argv)
    return [
        name
        for name in names
        if re.fullmatch(r"[a-z][a-z0-9_]{3,}", name)
        and name not in WORDS
        and "command_not_found" not in name
        and len(re.findall(rf"(?:^|[;&|({{]\s*){name}\b", text(case))) == len(re.findall(rf"\b{name}\b", text(case)))
    ]


def is_changed(case: Case, name: str, other: str) -> bool:
    renamed = re.sub(rf"\b{name}\b", other, text(case))
    return answer(case, renamed).verdict != answer(case, text(case)).verdict


@pytest.mark.parametrize("other", NAMES)
def test_variables_and_functions_of_a_text(other: str) -> None:
    calls = [(case, name) for case in SHELL for name in own_names(text(case))]
    assert len(calls) > 50
    assert [(name, text(case)) for case, name in calls if is_changed(case, name, other)] == []


@cache
def list_unknown_programs() -> list[tuple[Case, str]]:
    return [(case, name) for case in SHELL for name in unknown_programs(case)]


@pytest.mark.parametrize("other", NAMES)
def test_programs_that_no_table_knows(other: str) -> None:
    calls = list_unknown_programs()
    assert len(calls) > 50
    assert [(name, text(case)) for case, name in calls if is_changed(case, name, other)] == []


TEXT_FOR_PEOPLE = {"display_text", "why"}
SEARCHES = set(
    "startswith endswith partition rpartition split search match fullmatch find index removeprefix removesuffix".split()
)
WRITES_SENTENCES = ("cli/rule_view.py", "designs/guardrail_hooks/messages.py", "model/effect.py")
"""Modules that search in a text for people to write another one."""
COMPARES_NAMES = ("rules/plan/unplanned.py",)
"""A plan names the variables that may be set as it writes them: to it, the names are known."""


def mentions_text_for_people(node: ast.AST) -> bool:
    return any(isinstance(each, ast.Attribute) and each.attr in TEXT_FOR_PEOPLE for each in ast.walk(node))


def decides_by_text_for_people(node: ast.AST) -> bool:
    match node:
        case ast.Compare():
            return any(map(mentions_text_for_people, (node.left, *node.comparators)))
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in SEARCHES:
            return any(map(mentions_text_for_people, (owner, *node.args)))
        case _:
            return False


def test_nothing_is_searched_in_text_for_people_or_compared_with_it() -> None:
    allowed = {SOURCE / name for name in (*WRITES_SENTENCES, *COMPARES_NAMES)}
    for path in sorted({*SOURCE.rglob("*.py")} - allowed):
        found = [node for node in ast.walk(ast.parse(path.read_text())) if decides_by_text_for_people(node)]
        assert not found, (path, [ast.unparse(node) for node in found])
    for path in sorted(allowed):
        assert any(map(decides_by_text_for_people, ast.walk(ast.parse(path.read_text())))), f"{path} needs no exception any more"
