"""The reading of JavaScript against node: what a program really called must be among what was read of it."""

import os
import random
from pathlib import Path

import pytest

from differential.javascript_execution import NODE, really_run
from differential.javascript_programs import Programs
from differential.python_execution import Surroundings, code_of, reading_of
from toolgate.languages import javascript
from toolgate.languages.javascript import grammar
from toolgate.model.effect import Opaque

SEED = int(os.environ.get("FUZZ_SEED", "1"))
COUNT = int(os.environ.get("FUZZ_COUNT", "0")) or 1000
BATCH = 500
FILES = 300 if os.environ.get("FUZZ_COUNT") else 60
pytestmark = pytest.mark.skipif(NODE is None and "REQUIRE_SHELLS" not in os.environ, reason="there is no node")


def test_whatever_ran_was_read(tmp_path: Path) -> None:
    source = Programs(SEED)
    executions = missed = opened = opaque = failed = extra = done = 0
    shown: list[str] = []
    kinds: set[str] = set()
    while done < COUNT:
        programs = [next(source) for _ in range(min(BATCH, COUNT - done))]
        done += len(programs)
        for program, (calls, failure) in zip(programs, really_run(programs, tmp_path), strict=True):
            reading = reading_of(program, "javascript")
            kinds |= node_types(program)
            failed += failure is not None
            executions += len(calls)
            opaque += reading.is_opaque
            opened += sum(call not in reading.calls for call in calls)
            extra += len(reading.calls - calls)
            for call in calls:
                if not reading.covers(call):
                    missed += 1
                    shown.append(f"{call} in\n{program}")
    grammatical = {name for name in grammar.node_types() if not name.startswith("_")}
    print(
        f"JavaScript: {done} programs, {executions} calls: {missed} missed, {opened} with what is given not known, {opaque}"
        f" programs opaque, {extra} calls read that this run did not make, {failed} programs failed;"
        f" {len(kinds & grammatical)} of {len(grammatical)} node types, without {', '.join(sorted(grammatical - kinds))}"
    )
    assert not shown, shown[0]
    assert opaque <= done * 0.03
    assert failed <= done * 0.02


def test_files_of_npm_are_read() -> None:
    """Files of packages: none may break the reader, few may be too much."""
    root = Path(NODE or "node").resolve().parents[1] / "lib" / "node_modules"
    files = [file for file in sorted(root.rglob("*.js")) if file.is_file()]
    random.Random(SEED).shuffle(files)
    chosen = [text for text in (file.read_text("utf-8", "surrogateescape") for file in files) if len(text) <= 64 * 1024][:FILES]
    if not chosen:
        pytest.skip("there is no npm beside node")
    opaque = 0
    for text in chosen:
        found = list(javascript.read(code_of(text, "javascript", file="lib.js"), text, Surroundings()))
        opaque += any(isinstance(each, Opaque) for each in found)
    assert opaque <= max(1, len(chosen) * 0.05)


def node_types(program: str) -> set[str]:
    """The kinds of node in a program's tree."""
    found: set[str] = set()
    waiting = [grammar.parse(program.encode())]
    while waiting:
        node = waiting.pop()
        found.add(node.type)
        waiting += node.named_children
    return found
