"""Compares the reading of Python projects with Python: every file that a project really deletes must have been read."""

import os
import sys
from pathlib import Path

from differential.projects import compare_projects
from differential.python_projects import Projects

SEED = int(os.environ.get("FUZZ_SEED", "1"))
COUNT = (int(os.environ.get("FUZZ_COUNT", "0")) or 1000) // 10
STUBS = """
import os, shutil, sys
def stub(path): os.write(log, f'{path}\\n'.encode())
log = os.open(os.environ['LOG'], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
shutil.rmtree = os.remove = os.unlink = os.rmdir = stub
"""


def test_whatever_was_deleted_was_read(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "sitecustomize.py").write_text(STUBS)
    (programs / "python3").write_text(f'#!/bin/sh\nPYTHONPATH={programs}:$PYTHONPATH exec {sys.executable} "$@"\n')
    (programs / "python3").chmod(0o755)

    def environ(_folder: Path) -> dict[str, str]:
        return {"PATH": f"{programs}:{os.environ['PATH']}"}

    compare_projects(Projects(SEED).project, COUNT, tmp_path, environ)
