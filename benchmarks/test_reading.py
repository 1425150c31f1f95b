"""Reading shell text, compared with the shells themselves, on real scripts, and with other parsers of bash.

Counts, no times: the same seeds give the same programs. `missed`: a command that a shell ran and nobody read.
"""

import math
import random
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from measuring import cpu

import spellings
import test_spellings
from differential import test_real_scripts as real
from differential import test_shell_parsing as parsing
from differential.execution import Scratch, compare_programs
from differential.markers import commands, find_missed, name, run
from differential.opinions import UNKNOWN, shfmt_names, tree_sitter_names
from differential.programs import Programs
from differential.test_execution import GIVEN
from differential.turns import Turns
from judged import answer, text
from toolgate.shell.syntax.parser import MAX_TEXT, parse

Figure = Callable[..., None]
SEED = 1
PROGRAMS = {"bash": 4_000, "dash": 2_000, "zsh": 2_000}
MUTATED = 4_000
SPELT = 60


def find_shell(shell: str) -> str:
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"there is no {shell} here")
    return path


@pytest.mark.parametrize(("shell", "of_bash"), GIVEN)
def test_execution(shell: str, of_bash: bool, benchmark: Any, figure: Figure, tmp_path: Path) -> None:
    """Runs and reads generated programs of markers."""
    scratch = Scratch(tmp_path)
    half = PROGRAMS[shell] // 2
    first, second = (
        compare_programs(find_shell(shell), generator(SEED, bash=of_bash), half, scratch) for generator in (Programs, Turns)
    )
    ended, ran = first.ended + second.ended, first.commands + second.commands
    misses, unread = len(first.misses) + len(second.misses), first.unread + second.unread
    description = (
        f"{ended:,} programs, {ran:,} commands ran, {misses} missed; {unread / ended:.1%} of the programs cannot be read whole"
    )
    figure(f"{shell}, programs of {'bash' if of_bash else 'POSIX'} grammar", description, "0 missed")
    assert not misses
    benchmark.pedantic(Programs(SEED, bash=of_bash).program, rounds=5)


def test_mutated_programs(benchmark: Any, figure: Figure, tmp_path: Path) -> None:
    """Programs with places cut out, doubled and moved: what bash ran of them is in the tree, or reported as unread."""
    bash, ran_at_all, misses, refused, texts = (
        find_shell("bash"),
        0,
        0,
        0,
        list(map(parsing.mutated_program, range(SEED, SEED + MUTATED))),
    )
    for first in range(0, MUTATED, parsing.BATCH):
        batch = texts[first : first + parsing.BATCH]
        for each, ran in zip(batch, run(batch, bash, tmp_path), strict=True):
            tree = parse(each)
            ran_at_all += len(ran)
            refused += tree.trouble is not None
            misses += tree.trouble is None and bool(find_missed(ran, tree, each))
    description = (
        f"{MUTATED:,} programs, {ran_at_all:,} commands ran, {misses} missed; {refused / MUTATED:.0%} are refused in part"
    )
    figure("bash, programs with mistakes put into them", description, "0 missed")
    assert not misses
    benchmark.pedantic(parse, (texts[0],), rounds=5)


def test_real_scripts(benchmark: Any, figure: Figure) -> None:
    found = list(real.scripts())
    if len(found) < real.FEWEST:
        pytest.skip("there are no Debian packages here")
    taken, refused = real.refused_of(found, find_shell("bash"))
    figure(
        f"shell scripts of {len(real.PACKAGES)} listed Debian packages that bash takes",
        f"{taken:,}, {len(refused)} refused ({len(refused) / taken:.2%})",
        "3%",
    )
    assert len(refused) <= real.MOST_REFUSED * taken
    benchmark.pedantic(parse, (":",), rounds=5)


def test_second_opinions(benchmark: Any, figure: Figure) -> None:
    """Compares the names of the commands in lines as agents write them with those of two other parsers."""
    refused = sum(parse(line).trouble is not None for line in real.LINES)
    figure("lines as agents write them, all taken by bash", f"{len(real.LINES)}, {refused} refused", "0 refused")
    for parser, names in (("tree-sitter-bash", tree_sitter_names), ("shfmt", shfmt_names)):
        same = none = 0
        for line in real.LINES:
            theirs = names(line)
            ours = sorted(name(command) or UNKNOWN for command in commands(parse(line).body))
            same, none = same + (theirs == ours), none + (theirs is None)
        others = len(real.LINES) - same - none
        figure(
            f"of them, the same commands by {parser}", f"{same}; it refuses {none}, and differs in {others}", "each is marked why"
        )
    assert refused == 0
    benchmark.pedantic(parse, (real.LINES[0],), rounds=5)


def test_other_spellings(benchmark: Any, figure: Figure) -> None:
    """Spells cases that are stopped differently: in carriers, in nested shells, with other quotes."""
    tried = looser = 0
    for form in sorted(set(spellings.carriers())):
        for case in sample_cases(test_spellings.SIMPLE, form):
            tried += 1
            looser += answer(case, form.replace("{}", text(case), 1)).verdict < answer(case, text(case)).verdict
    for form, way in spellings.PROGRAM_FORMS.items():
        for case in sample_cases(test_spellings.WHOLE, form):
            if (spelling := way(text(case))) is not None:
                tried += 1
                looser += answer(case, spelling).verdict < answer(case, text(case)).verdict
    for form, reworded in spellings.REWORDINGS.items():
        for case in sample_cases(test_spellings.SIMPLE, form):
            if (spelling := reworded(spellings.simple_words(text(case)) or [], random.Random(SEED))) is not None:
                tried += 1
                looser += answer(case, spelling).verdict < answer(case, text(case)).verdict
    figure("cases that are stopped, in other spellings", f"{tried:,}, {looser} judged looser", "0 looser")
    assert not looser
    benchmark.pedantic(parse, (":",), rounds=5)


def sample_cases(cases: Any, form: str) -> Any:
    return random.Random(f"{SEED} {form}").sample(cases, min(SPELT, len(cases)))


def test_growth_of_parsing(benchmark: Any, figure: Figure) -> None:
    """From 1 kB to 1 MiB, doubled: the exponent of cost over length. The longest are refused if they have too many words."""
    line = 'cp "a$n" "b$n" && echo "x $HOME" | tee c # ' + "x" * 200 + "\n"
    points: list[tuple[float, float]] = []
    for doubled in range(11):
        text = (line * (1024 * 2**doubled // len(line) + 1))[: MAX_TEXT - 8]
        cost = min(cpu(partial(parse, f"{text}\n: {n}")) for n in range(3))
        points.append((math.log(len(text)), math.log(cost)))
    (x0, y0), (x1, y1) = points[0], points[-1]
    exponent = (y1 - y0) / (x1 - x0)
    figure("growth of text to tree from 1 kB to 1 MiB, exponent", f"{exponent:.2f}", "1.1; gate 1.3")
    assert exponent <= 1.3
    benchmark.pedantic(parse, (line,), rounds=5)
