"""Compares what the reader makes of `perl -pe` with substitutions on a known text with Perl's own result."""

import os
import random
import subprocess

from toolgate.model.word import known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.interpreters.line_edits import edit_by_perl

SEED = int(os.environ.get("FUZZ_SEED", "1"))
COUNT = int(os.environ.get("FUZZ_COUNT", "200"))
OPTIONS = Flags("-e= -p -n -l=? -0=? -a -F= -x=? -M= -m= -s -C=?")
TEXT_PARTS = ("a", "b", "ab", "aa", " ", "/", ".", "*", "$x", "&", "\\", "\n", "a\n", "A", "-", "1")
PATTERN_PARTS = (
    "a",
    "b",
    "ab",
    ".",
    "a*",
    "b+",
    "[ab]",
    "[a-c]*",
    r"\.",
    r"\/",
    "^",
    "-",
    " ",
    r"\b",
    "a?",
    r"\w",
    "1",
    "#",
    ",",
)
REPLACEMENT_PARTS = ("x", "", "&", r"\/", "ab", " ", "-", r"\$", ".", r"\@")


def make_code(chance: random.Random) -> str:
    def join(parts: tuple[str, ...], most: int) -> str:
        return "".join(chance.choice(parts) for _ in range(chance.randint(1, most)))

    def substitution() -> str:
        delimiter = chance.choice("///#,!")
        end = chance.choice(("", "", "", "$"))
        pattern, replacement = join(PATTERN_PARTS, 4), join(REPLACEMENT_PARTS, 3)
        return f"s{delimiter}{pattern}{end}{delimiter}{replacement}{delimiter}{chance.choice(('', 'g', 'i', 'gi'))}"

    return chance.choice(("; ", ";")).join(substitution() for _ in range(chance.choice((1, 1, 2))))


def run_perl(code: str, text: str) -> str | None:
    """Returns Perl's output; None if it refuses the code."""
    result = subprocess.run(["perl", "-pe", code], input=text, capture_output=True, text=True, check=False)
    return result.stdout if result.returncode == 0 else None


def test_what_is_known_is_what_perl_prints() -> None:
    chance, known, ran = random.Random(SEED), 0, 0
    wrong: list[tuple[str, str, str, str]] = []
    for _ in range(COUNT):
        code = make_code(chance)
        text = "".join(chance.choice(TEXT_PARTS) for _ in range(chance.randint(0, 12)))
        edited = edit_by_perl(OPTIONS.parse(tuple(map(known_word, ("perl", "-p", "-e", code)))), known_word(text))
        printed = run_perl(code, text)
        ran += printed is not None
        known += printed is not None and edited is not None
        if edited is not None and edited.text is not None and printed is not None and edited.text != printed:
            wrong.append((code, text, printed, edited.text))
    print(f"seed {SEED}: of {COUNT} programs Perl takes {ran}, and the result of {known} is known")
    assert not wrong, f"FUZZ_SEED={SEED}"
    assert known > 0.5 * ran
