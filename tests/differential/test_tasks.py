"""Compares what task files run with the real runners just and make. Markers stand for the commands."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from differential.execution import Ran, Scratch, find_missed, read_log
from toolgate.model.effect import Effects, Run

JUST = shutil.which("just", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
JUSTFILES = {
    "justfile": """import 'lib/a.just'
import? 'nope.just'
mod sub
mod other 'lib/o.just'
mod? gone

x := "val"  # not a secret
default: first
  @m1 default {{x}}
first:
  m1 first
build target mode="debug" *rest: first
  @m1 build {{target}} {{mode}} {{rest}}
script:
  #!/usr/bin/env sh
  if true; then
    m1 script
  fi
after: first && default
  @-m1 mid
use: sub::one
  m1 use
long:
  m1 a \\
    b
given: (build "D" x)
# comment: not a recipe
loop name:
  # nothing
  for i in 1 2; do m1 {{name}}$i; done
""",
    "lib/a.just": "import 'b.just'\nfroma:\n  m1 froma\n",
    "lib/b.just": "fromb:\n  m1 fromb\n",
    "lib/o.just": "o1:\n  m1 o1\n",
    "sub/mod.just": "mod deep\none: two\n  m1 one\ntwo:\n  m1 two\n",
    "sub/deep/justfile": "d1:\n  m1 d1\n",
}
CALLS = (
    *("just", "just froma", "just fromb", "just sub one", "just sub::one", "just sub deep d1", "just sub::deep::d1", "just sub"),
    *("just other o1", "just build T M r1 r2", "just build T first", "just script", "just after", "just use", "just long"),
    *(
        "just given",
        "just x=Z default",
        "just first froma",
        "just sub one first",
        "just loop n",
        "just --dry-run first",
        "just --list",
    ),
    *("cd sub && just froma", "just -f lib/o.just o1", "just first 'build' T"),
)
MAKEFILES = {
    "Makefile": "include rules/*.mk\n-include $(wildcard more/*.mk) none.mk\nall: one two\n\tm1 all\n",
    "rules/a.mk": "one:\n\t@m1 one $(X)\nX = x\n",
    "rules/b.mk": "two: three\n\t-m1 two\n",
    "more/c.mk": "three:\n\tm1 three\nDIR := more\ninclude $(DIR)/d.inc\n",
    "more/d.inc": "four:\n\tm1 four $@\n",
}
MAKES = ("make", "make one", "make two", "make three", "make four", "make -n all", "make four one")


def run_and_read(text: str, files: dict[str, str], runner: str, tmp_path: Path) -> tuple[list[Ran], Effects, str]:
    scratch = Scratch(tmp_path)
    (scratch.bin / Path(runner).name).symlink_to(runner)
    folder = scratch.folder()
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    effects = scratch.read_text(text, folder, SHELL="/bin/bash")
    program = f"({text}) 9>>{folder}.log"
    subprocess.run(["/bin/sh", "-c", program], env=scratch.environ(), cwd=folder, check=False, capture_output=True)
    return read_log(Path(f"{folder}.log")), effects, str(folder)


def read(effects: Effects) -> list[str]:
    found = [effect for effect in effects.all if isinstance(effect, Run) and effect.argv[0].text == "m1"]
    return [shlex.join(word.display_text for word in effect.argv[1:]) for effect in found]


@pytest.mark.skipif(JUST is None, reason="there is no just here")
@pytest.mark.parametrize("text", CALLS)
def test_just_runs_what_was_read(text: str, tmp_path: Path) -> None:
    ran, effects, _ = run_and_read(text, JUSTFILES, JUST or "", tmp_path)
    assert not find_missed(ran, effects)
    if "loop" not in text:
        assert set(read(effects)) == {shlex.join(arguments) for _, _, arguments in ran}
    assert bool(ran) is ("--" not in text)


@pytest.mark.parametrize("text", MAKES)
def test_make_runs_what_was_read(text: str, tmp_path: Path) -> None:
    make = shutil.which("make")
    assert make is not None, "the project is built with it"
    ran, effects, _ = run_and_read(text, MAKEFILES, make, tmp_path)
    assert not find_missed(ran, effects)
    assert set(read(effects)) == {shlex.join(arguments) for _, _, arguments in ran}
    assert bool(ran) is ("-n" not in text)
