"""Tests text that `sh` reads where that is dash: commands that dash runs and bash does not are among those that were read."""

import os
import subprocess
from pathlib import Path

import pytest

from differential.execution import Ran, Scratch, find_missed, is_unread, run
from differential.test_execution import find_shell
from toolgate.machine.world import MachineWorld
from toolgate.model.action import RunShell
from toolgate.model.effect import Run, Write
from toolgate.model.event import Caller, Scene
from toolgate.shell.syntax.dash import parse_for_dash, parse_for_sh
from toolgate.understand import understand

# (text, what dash runs and bash does not). Every text is one that bash takes.
OF_DASH: dict[str, tuple[str, tuple[str, str]]] = {
    "both streams are an & and a redirect": ("m2 a &>f m1 RAN", ("m1", "RAN")),
    "so are both that are appended to": ("m2 a &>>f m1 RAN", ("m1", "RAN")),
    "a test is a command, and so is what follows a bar in it": ("[[ x || m1 ]]", ("m1", "]]")),
    "arithmetic is two subshells": ("((m1 RAN))", ("m1", "RAN")),
    "a quote ends at an escaped quote": ("m2 $'a\\'\nm1 RAN\nm2 \\'\nm3 '' '", ("m1", "RAN")),
    "a bracket after a dollar is text": ("m2 $[1; m1 RAN; m2 ]", ("m1", "RAN")),
    "a function with a word is none": ("function f {\nm1 RAN\n}", ("m1", "RAN")),
    "the end of a document keeps its dollar": ("cat <<$'E'\n$E\nm1 RAN\nE", ("m1", "RAN")),
    "nothing is added to a variable": ("x=RAN; x+=/tmp; m1 $x", ("m1", "RAN")),
    "no member of an array is set": ("x=RAN; x[0]=a; m1 $x", ("m1", "RAN")),
    "declare declares nothing": ("x=RAN; declare x=tmp; m1 $x", ("m1", "RAN")),
    "typeset neither": ("x=RAN; typeset x=tmp; m1 $x", ("m1", "RAN")),
    "printf sets nothing": ("x=RAN; printf -v x tmp; m1 $x", ("m1", "RAN")),
    "read knows few options": ("x=RAN; read -d '' x < list; m1 $x", ("m1", "RAN")),
    "source reads nothing": ("x=RAN; source ./s.sh; m1 $x", ("m1", "RAN")),
    "words in braces are one": ("m1 {a,b}", ("m1", "{a,b}")),
    "an assignment before one of the shell's own words stays": ("X=RAN :; m1 $X", ("m1", "RAN")),
    "an expansion that it does not know ends it": ('m1 "$(echo ${PWD/x/y})RAN"', ("m1", "RAN")),
    "a mistake ends it, and its traps run": ("trap 'm1 $x' EXIT; x=RAN\na=(x)\nx=later", ("m1", "RAN")),
    "echo knows escapes": ("echo 'm2\\nm1 RAN' | sh", ("m1", "RAN")),
    "and in octal": ("echo '\\0155\\061 RAN' | sh", ("m1", "RAN")),
    "one that is sourced is read by it, too": ("echo '((m1 RAN))' > f; . ./f", ("m1", "RAN")),
    "a function's body": ("f() { [[ x || m1 ]]; }; f", ("m1", "]]")),
    "an alias": ("alias f='[[ x || m1 RAN'\nf", ("m1", "RAN")),
    "text that is evaluated": ("eval 'm2 &>f m1 RAN'", ("m1", "RAN")),
}


@pytest.mark.parametrize(("text", "ran"), OF_DASH.values(), ids=OF_DASH.keys())
def test_what_dash_runs_is_read(text: str, ran: tuple[str, str], tmp_path: Path) -> None:
    scratch = Scratch(tmp_path)
    folder = scratch.folder()
    effects = scratch.read_text(text, folder)
    (really,) = run(find_shell("dash"), [(text, folder)], scratch)
    one: Ran = (ran[0], str(folder), (ran[1],))
    assert really is not None
    assert one in really
    assert not find_missed(really, effects)
    scratch.fill(folder)
    (in_bash,) = run(find_shell("bash"), [(text, folder)], scratch)
    assert in_bash is not None
    assert not [each for each in in_bash if each[0] == "m1" and each[2] == (ran[1],)], "bash runs it, too"
    assert is_unread(effects) or not find_missed(in_bash, effects)


@pytest.mark.parametrize("text", ["m2 a &>f m1 RAN", "((m1 RAN))", "m2 $[1; m1 RAN; m2 ]", "function f {\nm1 RAN\n}"])
@pytest.mark.parametrize("login", ["/bin/bash", "/usr/bin/zsh"])
def test_what_only_dash_runs_is_not_read_where_the_shell_is_another(text: str, login: str, tmp_path: Path) -> None:
    scratch = Scratch(tmp_path)
    folder = scratch.folder()
    assert find_missed([("m1", str(folder), ("RAN",))], scratch.read_text(text, folder, SHELL=login))


# Who hands text to sh, and who to bash.
HANDED = {
    "sh -c '((m1 RAN))'": True,
    "dash -c '((m1 RAN))'": True,
    "env sh -c '((m1 RAN))'": True,
    "echo '((m1 RAN))' | sh": True,
    "xargs -I% sh -c '((m1 RAN))' < list": True,
    "printf '#!/bin/sh\\n((m1 RAN))\\n' > f; chmod +x f; ./f": True,
    "printf '((m1 RAN))\\n' > f; sh f": True,
    "bash -c '((m1 RAN))'": False,
    "env bash -c '((m1 RAN))'": False,
    "printf '#!/bin/sh\\n((m1 RAN))\\n' > f; bash f": False,
    "printf '#!/bin/bash\\n((m1 RAN))\\n' > f; chmod +x f; ./f": False,
    "printf '#!/usr/bin/env bash\\n((m1 RAN))\\n' > f; chmod +x f; ./f": False,
    "bash -c \"sh -c '((m1 RAN))'\"": True,
    "sh -c \"bash -c '((m1 RAN))'\"": False,
}


@pytest.mark.parametrize(("text", "runs"), HANDED.items())
def test_whoever_may_be_dash_is_read_as_dash(text: str, runs: bool, tmp_path: Path) -> None:
    scratch = Scratch(tmp_path)
    (scratch.bin / "chmod").symlink_to("/bin/chmod")
    folder = scratch.folder()
    effects = scratch.read_text(text, folder, SHELL="/bin/bash")
    assert (not find_missed([("m1", str(folder), ("RAN",))], effects)) is runs
    if runs and os.path.realpath("/bin/sh").endswith("dash"):
        (really,) = run(find_shell("bash"), [(text, folder)], scratch)
        assert really is not None
        assert ("m1", str(folder), ("RAN",)) in really


def test_a_redirect_where_bash_compares(tmp_path: Path) -> None:
    """`[[ a > b ]]` truncates b although dash runs no command."""
    for text in ("[[ a > b ]]", "((1 > b))"):
        subprocess.run([find_shell("dash"), "-c", text], cwd=tmp_path, check=False, capture_output=True)
        assert (tmp_path / "b").exists()
        (tmp_path / "b").unlink()
        scene = Scene(Caller("test"), str(tmp_path), str(tmp_path), "/home/u", {"SHELL": "/bin/sh"}, "u")
        effects = understand(RunShell(text), scene, MachineWorld()).all
        assert [effect.place.path for effect in effects if isinstance(effect, Write)] == [f"{tmp_path}/b"]


# What both read alike, and what only looks as if they did not.
ORDINARY = (
    "if [ -f a.txt ]; then m1 a; else m2 b; fi",
    'for f in *.txt; do m1 "$f" > /dev/null 2>&1 || exit 1; done',
    'cd sub && m1 "$(m2 ${x:-a} ${y#b})" | m3',
    "case $1 in start) m1 ;; *) m2 ;; esac",
    "m1 -m 'use [[ x ]], ((y)), a&>b and $\\'",
    "x=$((x + 1)); m1 $x",
    'f() { m1 "$@"; }; f a b',
    "cat <<'E'\n[[ x || m1 ]]\n((m2))\nE",
    'm1 \'{"a": 1, "b": [2, 3]}\'',
)


@pytest.mark.parametrize("text", ORDINARY)
def test_what_both_read_alike_is_read_once(text: str, tmp_path: Path) -> None:
    scratch = Scratch(tmp_path)
    folder = scratch.folder()
    read = [
        [effect for effect in scratch.read_text(text, folder, SHELL=shell).all if isinstance(effect, Run)]
        for shell in ("/bin/bash", "/bin/dash")
    ]
    assert read[0] == read[1]


REFUSED = (
    "a=(x y)", "m1 <(m2)", "m1 <<< x", "m1 |& m2", "case x in a) m1;& b) m2;; esac", "for ((;;)); do m1; done", "f-g() { m1; }",
    "for x in a; { m1; }", "m1 @(a|b)", "time { m1; }", "function f { m1; }", "select x in a; do m1; done", "if ((x)) { m1; }",
)  # fmt: skip
TAKEN = (
    "[[ a < b ]]", "((m1))", "function f", "m1 &> f", "m1 $'a' $\"b\" $[1]", "x+=1", "x[1]=2", "m1 {a,b}", "coproc m1", "time m1",
    "f() (m1)", "if m1; then m2; fi", "m1 <<E\n$(m2)\nE", "echo ${x/a/b} ${x^^}", "m1 {fd}>f", "! m1", "m1 <<-E\n\tx\n\tE",
)  # fmt: skip


@pytest.mark.parametrize("text", REFUSED + TAKEN)
def test_dash_takes_and_refuses_the_same(text: str) -> None:
    takes = subprocess.run([find_shell("dash"), "-n", "-c", text], check=False, capture_output=True).returncode == 0
    assert takes is (text in TAKEN)
    assert (parse_for_dash(f"m0\n{text}\n").body.items[1:] != ()) is takes


@pytest.mark.parametrize("depth", [1, 8, 16])
def test_nested_tests_are_read_once_by_each(depth: int) -> None:
    text = "[[ $(" * depth + "m1" + ") ]]" * depth
    assert parse_for_sh(text).trouble is None
