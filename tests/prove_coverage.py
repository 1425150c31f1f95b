"""Proves that rows of docs/coverage.md are shown by their tests: removes each row's hook point from a copy of the package, runs
the named test there, and expects it to fail. Run by hand; the result is checked in beside the table.

    python tests/prove_coverage.py            every row of tests/acceptance/hook_points.toml
    python tests/prove_coverage.py S1-25      some
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

TESTS = Path(__file__).parent
ACCEPTANCE = TESTS / "acceptance"
PACKAGE = TESTS.parent / "src" / "toolgate"


def prove(row: dict[str, str]) -> str:
    """Returns `fails`, as it must, `passes`, or `unusable` where the test does not pass with its hook point."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "toolgate"
        shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
        path = copy / row["file"]
        text = path.read_text()
        if text.count(row["remove"]) != 1:
            return f"unusable: the hook point occurs {text.count(row['remove'])} times"
        if run(row["test"], folder) != 0:
            return "unusable: the test fails without the change"
        path.write_text(text.replace(row["remove"], row.get("put", "")))
        code = run(row["test"], folder)
    return {0: "passes", 1: "fails"}.get(code, f"unusable: pytest ended with {code}")


def run(test: str, folder: str) -> int:
    environ = {**os.environ, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"}
    words = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", str(TESTS / test)]
    return subprocess.run(words, cwd=TESTS.parent, env=environ, capture_output=True, check=False).returncode


def main(wanted: list[str]) -> int:
    table = tomllib.loads((ACCEPTANCE / "hook_points.toml").read_text())
    results = ACCEPTANCE / "proved.json"
    proved: dict[str, str] = json.loads(results.read_text()) if results.exists() else {}
    for name in wanted or list(table):
        proved[name] = prove(table[name])
        print(f"{name:8} {proved[name]}", flush=True)
    proved = {name: proved[name] for name in table if name in proved}
    results.write_text(json.dumps(proved, indent=1) + "\n")
    return int(any(said != "fails" for said in proved.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
