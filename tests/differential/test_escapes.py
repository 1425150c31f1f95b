"""Compares backslash escapes with the programs that evaluate them."""

import os
import random
import re
import shutil
import subprocess

import pytest

from toolgate.model import escapes

BY = {
    "bash's echo": ("bash", 'echo -ne "$1"', escapes.BASH_ECHO),
    "bash's printf": ("bash", 'printf "$1"', escapes.PRINTF_FORMAT),
    "bash's %b": ("bash", 'printf %b "$1"', escapes.PRINTF_ARGUMENT),
    "dash's echo": ("dash", 'echo -n "$1"', escapes.DASH_ECHO),
    "zsh's echo": ("zsh", 'echo -n "$1"', escapes.ZSH_ECHO),
}
PIECES = [
    r"\0",
    r"\01",
    r"\0162",
    r"\162",
    r"\7",
    r"\x72",
    r"\x7",
    r"\x",
    r"\u0072",
    r"\U0000072",
    *(f"\\{c}" for c in "abcefnrtvzE\\'\"?"),
]
SEED = 20_261_122


def texts(number: int) -> list[str]:
    chance = random.Random(SEED)
    return ["".join(chance.choice([*PIECES, "r", "m ", "8", "-"]) for _ in range(chance.randint(1, 5))) for _ in range(number)]


@pytest.mark.parametrize("by", BY)
def test_a_text_comes_to_what_the_program_prints(by: str) -> None:
    shell, code, known = BY[by]
    program = shutil.which(shell)
    if program is None:
        assert os.environ.get("REQUIRE_SHELLS") != "1", f"{shell} is needed"
        pytest.skip(f"there is no {shell} here")
    for text in [*PIECES, *texts(60)]:
        words = [program, *(["-f"] if shell == "zsh" else []), "-c", code, shell, text]
        result = subprocess.run(words, capture_output=True, check=False, env={"LC_ALL": "C.UTF-8"})
        if b"missing" in result.stderr or (shell == "zsh" and re.search(r"\\x(?![0-9A-Fa-f])", text)):
            continue  # digits are missing: bash says so, zsh takes what comes for them
        assert escapes.decode_escapes(text, known).encode("latin-1") == result.stdout, text


def test_a_code_that_is_no_character() -> None:
    assert escapes.decode_escapes(r"\U7fffffff\ud800", escapes.BASH_ECHO) == 2 * "\N{REPLACEMENT CHARACTER}"
