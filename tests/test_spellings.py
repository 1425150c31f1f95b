"""Laws 3 and 4: another spelling of a call is never judged more loosely, and mentioning a call does nothing.

Tries every way on a sample of the cases that LAW_SEED chooses; LAW_CASES=1000000 takes all of them (`make soak`).
"""

import os
import random
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest

from judged import SHELL, STOPS, answer, text
from spellings import MENTIONS, PROGRAM_FORMS, RELIEFS, REWORDINGS, carriers, simple_words
from toolgate import cases, programs
from toolgate.cases import Case
from toolgate.consent.codes import has_code
from toolgate.model.decision import Decision, Verdict
from toolgate.programs.aspects import ASPECTS

SAMPLE = int(os.environ.get("LAW_CASES", "40"))
SEED = int(os.environ.get("LAW_SEED", "0"))


def sample_cases(cases: Sequence[Case], form: str) -> tuple[list[Case], random.Random]:
    """Returns other cases for every form, and a random generator for it."""
    chance = random.Random(f"{SEED} {form}")
    return chance.sample(cases, min(SAMPLE, len(cases))), chance


ACCEPTANCE = cases.load_acceptance_cases(Path(__file__).parent / "acceptance" / "cases.jsonl")
OTHERS = [case for case in ACCEPTANCE if case.tool == "Bash" and not case.config and text(case).strip()]
"""Acceptance cases of the four designs, here under the default profile."""
ABOUT_TEXT = ("secrets.write", "secrets.write-likely", "secrets.placeholder", "secrets.send")
"""Rules on what a text holds: whoever writes it down does it, whatever it is part of."""
CASES_ABOUT_TEXT = tuple(f"rules/{rule.replace('.', '/').replace('-', '_')}.cases.toml" for rule in ABOUT_TEXT)
ABOUT_OUTPUT = {"secrets.print", "secrets.environment-file", "secrets.private-key", "secrets.mcp-config"}
"""Rules on what the model is shown: a form that takes the output up may loosen them."""
TAKES_OUTPUT = {"coproc {}", "nohup sh -c", "assigned substitution", "unheard", "env sh -c"}
"""Forms that take the output up, or the environment away that would be shown."""
RUN_WITHOUT_MENTION = (
    "hook",
    ".husky",
    "gitconfig",
    ".git/",
    "more.inc",
    "conftest",
    "pytest.ini",
    "pyproject",
    "tox.ini",
    "plug.py",
)
MENTIONABLE = [
    case
    for case in (*SHELL, *OTHERS)
    if not has_code(text(case))
    and case.rule not in ABOUT_TEXT
    and not case.file.endswith(CASES_ABOUT_TEXT)
    and not any(mark in text(case) for mark in ("EOX", "sk_test_"))
    and "ssn 2" not in text(case)
    and not any(mark in path for path in case.world.files for mark in RUN_WITHOUT_MENTION)
]
"""All but those with an approval's code: that is nothing an agent can have by chance, and naming it is what is stopped; those
with the numbers of several people, which are stopped wherever others read them; and those in whose folder git or a test runner
runs what files there say."""
ONE_SHELL = re.compile(r"\bdash\b")
"""A reason that speaks of dash: within `bash -c`, another shell reads the text."""
ABOUT_HOME = ("x=$(bash -c 'echo rm -rf ~", "zsh -c 'x=(ls rm)")
"""Where HOME may be one of two, what another program prints of it is unknown, as are the options that zsh starts with: that is
asked about instead of denied."""
STOPPED = [
    case
    for case in STOPS
    if '"unterminated' not in text(case) and not text(case).startswith(ABOUT_HOME) and not ONE_SHELL.search(case.why)
]
STOPPED += [case for case in OTHERS if answer(case, text(case)).verdict is not Verdict.PASS]
TAKES_INPUT = re.compile(r"(?:^|[;&|(\s])(?:read|mapfile|readarray|getopts)\s")
"""What it reads is another text within a form that has an input of its own; and options are not taken one by one in a loop."""
WHOLE = [
    case
    for case in STOPPED
    if not text(case).rstrip().endswith("&")
    and not any(mark in text(case) for mark in ("#", "EOX"))
    and not any(TAKES_INPUT.search(str(each)) for each in (text(case), *case.world.files.values()))
]
SIMPLE = [case for case in STOPPED if "{" not in text(case) and simple_words(text(case))]

# ---- 3. Wrapping never loosens, and what may not run never relieves.


def is_relieved(form: str, base: Decision, carried: Decision) -> bool:
    """Returns whether a form takes up the output, and that was all the call is no longer stopped for."""
    lost = {finding.rule for finding in base.findings if finding.verdict > carried.verdict}
    return form in TAKES_OUTPUT and lost <= ABOUT_OUTPUT


@pytest.mark.parametrize("form", sorted(set(carriers())))
def test_a_carrier_never_loosens(form: str) -> None:
    for case in sample_cases(SIMPLE, form)[0]:
        base = answer(case, text(case))
        spelling = form.replace("{}", text(case), 1)
        carried = answer(case, spelling)
        assert carried.verdict >= base.verdict or is_relieved(form, base, carried), (SEED, spelling, carried)


@pytest.mark.parametrize("form", PROGRAM_FORMS)
def test_a_form_around_a_program_never_loosens(form: str) -> None:
    for case in sample_cases(WHOLE, form)[0]:
        spelling = PROGRAM_FORMS[form](text(case))
        if spelling is not None:
            base, wrapped = answer(case, text(case)), answer(case, spelling)
            assert wrapped.verdict >= base.verdict or is_relieved(form, base, wrapped), (SEED, spelling, base.verdict, wrapped)


def is_named_by(relief: str, base: Decision) -> bool:
    """Returns whether a relief says only that a variable which may be deleted is one of the call's own."""
    rules = {finding.rule for finding in base.findings if finding.verdict is not Verdict.PASS}
    return "=" in relief and base.verdict is Verdict.ASK and rules == {"filesystem.delete-protected"}


@pytest.mark.parametrize("relief", RELIEFS)
def test_what_may_not_run_never_relieves(relief: str) -> None:
    for case in sample_cases(STOPPED, relief)[0]:
        base = answer(case, text(case))
        relieved = answer(case, f"false && {relief}; {text(case)}")
        assert relieved.verdict >= base.verdict or is_named_by(relief, base), (SEED, relief, text(case), base, relieved)


@pytest.mark.parametrize("way", REWORDINGS)
def test_other_words_for_it_never_loosen(way: str) -> None:
    chosen, chance = sample_cases(SIMPLE, way)
    for case in chosen:
        spelling = REWORDINGS[way](simple_words(text(case)) or [], chance)
        if spelling is not None:
            base, other = answer(case, text(case)).verdict, answer(case, spelling)
            assert other.verdict >= base, (SEED, spelling, base, other)


def test_quoting_and_spacing_change_nothing() -> None:
    for chance in map(random.Random, range(3)):
        for case in sample_cases(SIMPLE, "same")[0]:
            spelling = REWORDINGS["quoted and spaced"](simple_words(text(case)) or [], chance) or ""
            assert answer(case, spelling).verdict == answer(case, text(case)).verdict, (SEED, spelling)


def test_every_way_fits_a_case() -> None:
    for way, reworded in REWORDINGS.items():
        assert any(reworded(simple_words(text(case)) or [], random.Random(0)) for case in SIMPLE), way


# ---- 4. Mentioning is not doing.


@pytest.mark.parametrize("form", MENTIONS)
def test_a_mention_does_nothing(form: str) -> None:
    for case in sample_cases(MENTIONABLE, form)[0]:
        spelling = MENTIONS[form](text(case))
        decision = answer(case, spelling) if spelling is not None else None
        assert decision is None or decision.verdict is Verdict.PASS, (SEED, spelling, decision)


_STOPS_THAT_SHIP = set(map(id, STOPS))
MENTIONABLE_STOPS = [case for case in MENTIONABLE if id(case) in _STOPS_THAT_SHIP]


def data_rows() -> list[str]:
    """Returns the programs whose row takes every operand as text, but for those that print a credential if their words say so."""
    printers = set(ASPECTS["infrastructure.credential_printers.find_printed_credentials"].split())
    names = [name for family in programs.FAMILIES.values() for name in family.split() if name not in printers]
    rows = [(name, programs.find_row(name)) for name in names]
    return [name for name, row in rows if row is not None and row.does is None and row.operands == "data*" and not row.operation]


@pytest.mark.parametrize("name", data_rows())
def test_what_a_program_takes_as_text_does_nothing(name: str) -> None:
    for case in sample_cases(MENTIONABLE_STOPS, name)[0]:
        spelling = f"{name} {shlex.quote(text(case))}"
        assert answer(case, spelling).verdict is Verdict.PASS, (SEED, spelling)
