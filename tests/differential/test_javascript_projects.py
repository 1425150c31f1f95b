"""Compares the reading of JavaScript projects with node: every file that a project really deletes must have been read."""

import os
from pathlib import Path

import pytest

from differential.javascript_execution import NODE
from differential.javascript_projects import Projects
from differential.projects import compare_projects

SEED = int(os.environ.get("FUZZ_SEED", "1"))
COUNT = (int(os.environ.get("FUZZ_COUNT", "0")) or 1000) // 10
STUBS = """
const fs = require('fs'), log = fs.openSync(process.env.LOG, 'a');
fs.rmSync = fs.unlinkSync = fs.rmdirSync = path => { fs.writeSync(log, path + '\\n') };
require('module').syncBuiltinESMExports();
"""
pytestmark = pytest.mark.skipif(NODE is None and "REQUIRE_SHELLS" not in os.environ, reason="there is no node")


def test_whatever_was_deleted_was_read(tmp_path: Path) -> None:
    (tmp_path / "stubs.cjs").write_text(STUBS)

    def environ(_folder: Path) -> dict[str, str]:
        return {"NODE_OPTIONS": f"--require {tmp_path}/stubs.cjs"}

    compare_projects(Projects(SEED).project, COUNT, tmp_path, environ)
