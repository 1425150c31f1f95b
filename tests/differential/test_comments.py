"""Compares comments with real bash, which prints a function back as it parsed it, without comments."""

import os
import random
import shutil
import subprocess

import pytest

from toolgate.shell.syntax.comments import find_comments

BASH = shutil.which("bash") or ""
pytestmark = pytest.mark.skipif(not BASH and os.environ.get("REQUIRE_SHELLS") != "1", reason="there is no bash here")

SEED = int(os.environ.get("FUZZ_SEED", "1"))
COUNT = int(os.environ.get("FUZZ_COUNT", "400"))
BATCH = 40
MARK = "# nous: ad-hoc"

# Each holds the mark once, as a comment or as anything but one.
PLACES = [
    f"ls {MARK}",
    f"ls{MARK}",
    f"{MARK}\nls",
    f"ls;{MARK}",
    f"ls\t{MARK}\nid",
    f"echo '{MARK}'",
    f'echo "{MARK}"',
    f"echo \\{MARK}",
    f"echo x\\\n{MARK}",
    f"echo x \\\n{MARK}",
    f"cat <<X\n{MARK}\nX",
    f"cat <<'X' {MARK}\nbody\nX",
    f"cat <<-X\n\t{MARK}\n\tX",
    f"cat <<X; ls {MARK}\nbody\nX",
    f"x=$(ls {MARK}\n)",
    f'x="$(ls {MARK}\n)"',
    f"echo `ls {MARK}\n`",
    f"echo ${{x:-{MARK}}}",
    f"echo ${{x{MARK}}}",
    f"if true; {MARK}\nthen ls; fi",
    f"case x in {MARK}\nx) ls;; esac",
    f"a=({MARK}\n1 2)",
    f"f() {{ {MARK}\nls; }}",
    f"( ls {MARK}\n)",
    f"echo $'{MARK}'",
    f"echo $'a\\'{MARK}'",
    f"echo 'a'\"'{MARK}'\"",
    f"[[ x ]] {MARK}",
    f"ls &{MARK}",
    f"ls |{MARK}\ncat",
    f"ls && {MARK}\nid",
    f"echo a{MARK}",
    f"echo $#{MARK}",
    f"echo ${{#x}}{MARK}",
    f"ls # {MARK}",
    f'echo "a\\"" {MARK}',
    f"echo 'it'\\''s' {MARK}",
]
BEFORE = [
    "",
    "true\n",
    "true; ",
    "echo 'a b'; ",
    'echo "$x"\n',
    "cat <<Y\nit's\nY\n",
    "x='\n'\n",
    "echo a#b; ",
    "! ",
    "time ",
    "true && ",
]
AFTER = ["", "\n", "\nid", "\necho '#'", "\n# another", '\necho "#"']


def texts() -> list[str]:
    chance = random.Random(SEED)
    commented = [
        f"{chance.choice(BEFORE)}{place}{chance.choice(AFTER)}" for place in PLACES for _ in range(COUNT // len(PLACES) + 1)
    ]
    return [*PLACES, *dict.fromkeys(commented)]


def taken_in(texts_with_comments: list[str]) -> list[str | None]:
    """Returns each text as bash prints it back; None if bash refuses it."""
    script = "shopt -s interactive_comments\n"
    for text in texts_with_comments:
        quoted = "'" + text.replace("'", "'\\''") + "'"
        script += (
            f'unset -f f; eval "f() {{"$\'\\n\'{quoted}$\'\\n\'"}}" 2>/dev/null && declare -f f || printf NONE; printf "\\0"\n'
        )
    run = subprocess.run(
        [BASH, "--norc", "--noprofile", "-c", script], capture_output=True, text=True, check=False, env={"LC_ALL": "C.UTF-8"}
    )
    printed_parts = run.stdout.split("\0")[:-1]
    assert len(printed_parts) == len(texts_with_comments), run.stderr
    return [None if each == "NONE" else each for each in printed_parts]


def test_what_bash_leaves_out_is_what_is_reported() -> None:
    every = texts()
    read = 0
    for start in range(0, len(every), BATCH):
        batch = every[start : start + BATCH]
        for text, printed_parts in zip(batch, taken_in(batch), strict=True):
            if printed_parts is None:
                continue
            read += 1
            assert any("nous: ad-hoc" in each for each in find_comments(text)) is ("nous: ad-hoc" not in printed_parts), (
                text,
                printed_parts,
            )
    assert read > len(every) * 0.8
