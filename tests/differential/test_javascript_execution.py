"""Compares the reading of JavaScript with node: every call that a program really made must have been read."""

import os
import random
from pathlib import Path

import pytest

from differential.comparing import Ran, compare_readings
from differential.javascript_execution import NODE, really_run
from differential.javascript_files import Files
from differential.javascript_programs import Programs
from differential.python_execution import Surroundings, code_of
from toolgate.languages import javascript
from toolgate.languages.javascript import grammar
from toolgate.model.effect import Opaque

SEED = int(os.environ.get("FUZZ_SEED", "1"))
COUNT = int(os.environ.get("FUZZ_COUNT", "0")) or 1000
FILES = 300 if os.environ.get("FUZZ_COUNT") else 60
pytestmark = pytest.mark.skipif(NODE is None and "REQUIRE_SHELLS" not in os.environ, reason="there is no node")


def test_whatever_ran_was_read(tmp_path: Path) -> None:
    def run(programs: list[str]) -> Ran:
        return really_run(programs, tmp_path)

    compare_readings("javascript", Programs(SEED), COUNT, run, grammar.parse_source, grammar.node_types())


def test_whatever_a_whole_file_ran_was_read(tmp_path: Path) -> None:
    def run(programs: list[str]) -> Ran:
        return really_run(programs, tmp_path)

    compare_readings("javascript", Files(SEED), COUNT // 2, run, grammar.parse_source, grammar.node_types())


def test_files_of_npm_are_read() -> None:
    """Reads files of packages: none may break the reader, and few may be too large for it."""
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
