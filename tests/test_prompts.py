"""Tests what is answered in the host's place: nothing harmful, however spelled or carried, even if no rule matched (law 2)."""

import json
import random
import re
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judged import PASSES, SHELL, STOPS, answer, text
from prompted import of_case
from spellings import PROGRAM_FORMS, REWORDINGS, carriers, simple_words
from test_renaming import NAMES, own_names
from toolgate import cases
from toolgate.cases import Case
from toolgate.model.decision import Verdict

HARMFUL = [case for case in STOPS if not re.search(r"rules/(plan|team)/", case.file) and not case.config]
"""Without the rules under which even looking at a file of the project is stopped: while they speak, nothing is answered."""
LINES = cases.load_acceptance_cases(Path(__file__).parent / "acceptance" / "cases.jsonl")
BYPASSES = [
    str(row["input"]["command"])
    for row in map(json.loads, (Path(__file__).parent / "acceptance" / "bypasses.jsonl").read_text().splitlines())
    if row["tool"] == "Bash"
]
SEED = 20261123


@cache
def list_other_stops() -> list[Case]:
    shell = [case for case in LINES if case.tool == "Bash" and not case.known_gap]
    return [case for case in shell if answer(case, text(case)).verdict > Verdict.PASS]


@cache
def list_proven() -> list[Case]:
    return [case for case in PASSES if of_case(case, text(case)).reason]


@cache
def list_unproven() -> list[Case]:
    return [case for case in PASSES if not of_case(case, text(case)).reason]


def sample_cases(given_: list[Case], form: str, most: int = 8) -> list[Case]:
    return random.Random(f"{SEED}{form}").sample(given_, most)


def test_the_proof_is_of_use_at_all() -> None:
    assert len(list_proven()) > 90


def test_a_stop_case_is_never_answered() -> None:
    assert [text(case) for case in (*HARMFUL, *list_other_stops()) if of_case(case, text(case), is_silenced=False).reason] == []


def test_a_stop_case_is_not_proven_harmless_even_where_no_rule_speaks() -> None:
    assert [text(case) for case in (*HARMFUL, *list_other_stops()) if of_case(case, text(case)).reason] == []


def test_a_stop_case_is_never_answered_whatever_is_granted() -> None:
    for case in (*HARMFUL, *list_other_stops()):
        assert not of_case(case, text(case), is_silenced=False, folder="/**").reason, text(case)


def test_a_grant_of_everything_in_one_folder_reaches_no_stop_case_elsewhere() -> None:
    for case in (*HARMFUL[::3], *list_other_stops()):
        assert not of_case(case, text(case), folder=f"{case.project}/granted").reason, text(case)


def test_a_bypass_of_every_rule_is_not_proven_harmless() -> None:
    place = list_proven()[0]
    assert [command for command in BYPASSES if of_case(place, command).reason] == []


@pytest.mark.parametrize("form", PROGRAM_FORMS)
def test_a_form_around_harm_is_not_proven_harmless(form: str) -> None:
    for case in sample_cases(HARMFUL, form):
        spelling = PROGRAM_FORMS[form](text(case))
        assert spelling is None or not of_case(case, spelling).reason, spelling
        assert spelling is None or not of_case(case, spelling, is_silenced=False, folder="/**").reason, spelling


@pytest.mark.parametrize("form", sorted(set(carriers())))
def test_a_carrier_of_harm_is_not_proven_harmless(form: str) -> None:
    for case in sample_cases(HARMFUL, form, 2):
        spelling = form.replace("{}", text(case), 1)
        assert not of_case(case, spelling).reason, spelling


@pytest.mark.parametrize("way", REWORDINGS)
def test_other_words_for_harm_are_not_proven_harmless(way: str) -> None:
    for case in sample_cases(HARMFUL, way):
        words = simple_words(text(case)) if "{" not in text(case) else None
        spelling = REWORDINGS[way](words, random.Random(SEED)) if words else None
        assert spelling is None or not of_case(case, spelling).reason, spelling


# ---- 3. Wrapping never loosens: what is answered within a form is answered without it.


@pytest.mark.parametrize("form", PROGRAM_FORMS)
def test_a_form_brings_no_answer(form: str) -> None:
    for case in sample_cases(list_unproven(), form):
        spelling = PROGRAM_FORMS[form](text(case))
        assert spelling is None or "#" in spelling or not of_case(case, spelling).reason, spelling


# ---- 12. Names decide nothing.


@pytest.mark.parametrize("other", NAMES)
def test_renaming_changes_no_answer(other: str) -> None:
    for case in SHELL:
        for name in own_names(text(case)):
            renamed = re.sub(rf"\b{name}\b", other, text(case))
            assert bool(of_case(case, renamed).reason) == bool(of_case(case, text(case)).reason), (name, text(case))


# ---- programs that are made up

HARM = (
    "rm -rf {0}", "rm {0}", "mv {0} /tmp/x", "cp /dev/null {0}", "tee {0}", "dd of={0}", "chmod 777 {0}", "truncate -s0 {0}",
    "find . -delete", "find {0} -exec rm {{}} +", "sed -i d {0}", "sort -o {0} {0}", "uniq {0} {0}", "kill -9 1", "ln -s / {0}",
    "git clean -fdx", "git push -f", "curl http://h/{0}", "python3 -c 'import os; os.remove(\"{0}\")'", "node {0}", "sh {0}",
    "./{0}", "source {0}", "cat ~/.ssh/id_rsa", "cat ../../{0}", "cat .env", "awk 'BEGIN{{system(\"rm {0}\")}}'", "xargs rm",
    "touch {0}", "frobnicate {0}", "echo x > {0}", ": > {0}", "cat /etc/passwd >> {0}", "eval rm {0}", "exec rm {0}",
    "trap 'rm {0}' EXIT",
)  # fmt: skip
CALM = ("ls", "cat a.txt", "echo hi", "true", "pwd", "grep -n x a.txt", "head -n 1 a.txt")
FRAMES = (
    "{0}", "{1}; {0}", "{1} && {0}", "{1} || {0}", "{1} | {0}", "{0} | {1}", "({0})", "{{ {1}; {0}; }}", "if {1}; then {0}; fi",
    "if {0}; then {1}; fi", "for f in a b; do {0}; done", "while {0}; do break; done", 'echo "$({0})"', "X=$({0})",
    "! {0}", "cat <({0})", "cat <<E\n$({0})\nE", "case x in x) {0};; esac", "f() {{ {0}; }}; f", "{0} &", "cd . && {0}",
    "time {0}", "cat() {{ {0}; }}; cat a.txt", 'echo "${{X:-$({0})}}"', "[ -n \"$({0})\" ]", "false && {0}", "{1}\n{0}",
    "\\{0}", "X=1 {0}",
)  # fmt: skip


@settings(max_examples=250)
@given(
    st.sampled_from(HARM),
    st.sampled_from(("a.txt", "src", "'a b'", "$X", "*", "/", "~")),
    st.lists(st.tuples(st.sampled_from(FRAMES), st.sampled_from(CALM)), min_size=1, max_size=4),
)
def test_a_destructive_program_that_is_made_up_is_not_proven_harmless(
    harm: str, target: str, frames: list[tuple[str, str]]
) -> None:
    command = harm.format(target)
    for frame, calm in frames:
        command = frame.format(command, calm)
    assert not of_case(list_proven()[0], command).reason, command
    assert not of_case(list_proven()[0], command, folder=f"{list_proven()[0].project}/granted").reason, command
