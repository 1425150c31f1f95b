"""Compares what the reader makes of a sed script on a known text with sed's own result."""

import os
import subprocess

import pytest

from differential.sed_scripts import SedCall, SedCalls
from toolgate.stream_editing.sed_scripts import apply_script

SEED = int(os.environ.get("FUZZ_SEED", "1"))
COUNT = int(os.environ.get("FUZZ_COUNT", "600"))


def run_sed(call: SedCall) -> str | None:
    """Returns sed's output; None if it refuses the script."""
    options = [*(("-E",) if call.extended else ()), *(("-n",) if call.quiet else ())]
    result = subprocess.run(["sed", *options, "--", call.script], input=call.text, capture_output=True, text=True, check=False)
    return result.stdout if result.returncode == 0 else None


def test_what_is_known_is_what_sed_prints() -> None:
    calls, known, ran = SedCalls(SEED), 0, 0
    wrong: list[tuple[SedCall, str, str]] = []
    for call in (calls.call() for _ in range(COUNT)):
        edited, printed = apply_script(call.script, call.text, extended=call.extended, quiet=call.quiet), run_sed(call)
        ran += printed is not None
        known += printed is not None and edited is not None
        if edited is not None and printed is not None and edited != printed:
            wrong.append((call, printed, edited))
    print(f"seed {SEED}: of {COUNT} scripts sed takes {ran}, and the result of {known} is known")
    assert not wrong, f"FUZZ_SEED={SEED}"
    assert known > 0.6 * ran


@pytest.mark.parametrize(
    "script",
    [
        r"s/\(a*\)*b/x/",
        "s/a|b/x/w out",
        "s/a/id/e",
        "N;s/a/b/",
        "s//x/",
        r"s/a\|ab/x/",
        "2~3d",
        "s/x/\\U&/",
        ":a;s/a/b/;ta",
        "r f",
    ],
)
def test_other_scripts_are_left_unknown(script: str) -> None:
    assert apply_script(script, "aaab\n", extended=False, quiet=False) is None


def test_a_pattern_that_takes_long_is_left_unknown() -> None:
    assert apply_script("s/.*.*.*=x/y/", "a" * 2000 + "\n", extended=False, quiet=False) is None
    assert apply_script("s/a.*=x/y/", "a" * 2000 + "\n", extended=False, quiet=False) is not None


def test_a_script_that_makes_a_long_text_is_left_unknown() -> None:
    growing = "\n".join(["s/./&&&&&&&&/g"] * 30)
    assert apply_script(growing, "a" * 10 + "\n", extended=False, quiet=False) is None
    assert apply_script("a " + "x" * 60_000, "a\n" * 1000, extended=False, quiet=False) is None
