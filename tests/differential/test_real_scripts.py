"""Reads the shell scripts of Debian packages, and lines as agents write them: what bash accepts is read, and other parsers find
the same commands. The packages are listed in packages.txt; those that are installed are read, with their installation scripts.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from differential.markers import commands, name
from differential.opinions import UNKNOWN, shfmt_names, tree_sitter_names
from differential.test_shell_parsing import accepted_by_bash
from toolgate.shell.syntax.parser import parse

HERE = Path(__file__).parent
PACKAGES = (HERE / "packages.txt").read_text().split()
LINES = (HERE / "oneliners.txt").read_text().removesuffix("\n").split("\n----\n")
INSTALLED = Path("/var/lib/dpkg/info")
SHEBANG = re.compile(rb"#!\s*(?:/usr)?/bin/(?:env\s+)?(?:ba|da)?sh\b")
MOST_REFUSED = 0.03
REQUIRED = "REQUIRE_SHELLS" in os.environ
FEWEST = 100


def scripts() -> Iterator[Path]:
    for package in PACKAGES:
        for files in sorted({*INSTALLED.glob(f"{package}.list"), *INSTALLED.glob(f"{package}:*.list")}):
            listed = [Path(line) for line in files.read_text().splitlines() if line]
            own = [files.with_suffix(f".{step}") for step in ("preinst", "postinst", "prerm", "postrm", "config")]
            yield from (path for path in (*listed, *own) if path.is_file() and not path.is_symlink() and is_script(path))


def is_script(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return SHEBANG.match(file.read(60)) is not None
    except PermissionError:
        return False


def refused_of(found: list[Path], bash: str) -> tuple[int, list[str]]:
    """Returns how many of them bash accepts, and which of those the parser refuses."""
    taken, refused = 0, []
    for path in found:
        result = subprocess.run([bash, "-n", path], capture_output=True, env={"LC_ALL": "C.UTF-8"}, check=False)
        if result.returncode:
            continue
        taken += 1
        trouble = parse(path.read_text(errors="surrogateescape")).trouble
        if trouble is not None:
            refused.append(f"{path}: {trouble.why}")
    return taken, refused


def test_scripts_that_bash_takes_are_read(capsys: pytest.CaptureFixture[str]) -> None:
    bash = shutil.which("bash")
    found = list(scripts()) if bash is not None else []
    if len(found) < FEWEST and not REQUIRED:
        pytest.skip("there are no Debian packages here")
    assert len(found) >= FEWEST
    taken, refused = refused_of(found, bash or "bash")
    with capsys.disabled():
        print(f"\n{taken} scripts of {len(PACKAGES)} listed packages, {len(refused)} refused ({len(refused) / taken:.2%})")
    assert len(refused) <= MOST_REFUSED * taken, refused


@pytest.mark.parametrize("text", LINES)
def test_no_line_of_an_agent_is_refused(text: str) -> None:
    assert accepted_by_bash(text)
    assert parse(text).trouble is None


# (text, what tree-sitter-bash finds, why it differs)
TREE_SITTER: tuple[tuple[str, list[str] | None, str], ...] = (
    ("tee -a ~/.bashrc >/dev/null <<< 'export EDITOR=vim'", None, "it takes no here-string after another redirect"),
    ("{ time make -j8; } 2> time.log", ["time"], "`time` is a word of the shell's, make is what runs"),
    ('select x in a b; do echo "$x"; break; done <<< 1', None, "it takes no here-string after a compound command"),
    ('echo "`date` `uname -a`"', ["dateuname", "echo"], "it takes two substitutions for one"),
    ("cat << 'A' << \"B\"\nfirst\nA\nsecond\nB", None, "it takes no two documents on a line"),
    (
        'cat <<EOF\n$(inner_command "with args")\n`other_command`\n\\$(not_this)\nEOF',
        ["cat", "inner_command"],
        "it does not look between backquotes in a document",
    ),
    ("coproc worker { cat; }", ["coproc", "}"], "it does not know coproc"),
    ("time -p sleep 1", ["time"], "`time` is a word of the shell's, sleep is what runs"),
    ("time { sleep 1; sleep 2; }", ["sleep", "time", "}"], "`time` is a word of the shell's, and the braces are a group"),
    ("ls !(*.txt) 2>/dev/null", None, "it does not know extglob here"),
    ("a <<E && b <<F\n$(c)\nE\n$(d)\nF", None, "it takes no two documents on a line"),
    ("echo `a \\`b\\``", ["a", "echo"], "it does not look into backquotes within backquotes"),
    ('echo ${x:+"$(a)"} ${y:=`b`}', ["a", "echo"], "it does not look between backquotes in an expansion"),
)

# (text, what shfmt finds, why it differs)
SHFMT: tuple[tuple[str, list[str] | None, str], ...] = (
    ("x[$(a)]=$(b) c", None, "it takes no member of an array before a command; bash does, and runs a and b"),
)


@pytest.mark.parametrize("text", LINES)
def test_other_parsers_find_the_same_commands(text: str) -> None:
    ours = sorted(name(command) or UNKNOWN for command in commands(parse(text).body))
    for found, differing in ((tree_sitter_names(text), TREE_SITTER), (shfmt_names(text), SHFMT)):
        theirs = next((marked for other, marked, _ in differing if other == text), ours)
        assert found == theirs
    marked = [each for differing in (TREE_SITTER, SHFMT) for each in differing if each[0] == text]
    assert all(found != ours for _, found, _ in marked), "they agree now: the mark can go"


def test_every_mark_stands_at_a_line() -> None:
    assert {text for text, _, _ in (*TREE_SITTER, *SHFMT)} <= set(LINES)
