"""Proves that rows of docs/coverage.md are shown by their tests: removes each row's hook point from a copy of the package, runs
the named test there, and expects it to fail. Run by hand; the result is checked in beside the table.

    python tests/prove_coverage.py            every row of tests/acceptance/hook_points.toml that is new or changed
    python tests/prove_coverage.py S1-25      some rows, again
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import venv
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

TESTS = Path(__file__).parent
ACCEPTANCE = TESTS / "acceptance"
PACKAGE = TESTS.parent / "src" / "toolgate"
RESULTS = ACCEPTANCE / "proved.json"


def load_hook_points() -> dict[str, dict[str, str]]:
    return tomllib.loads((ACCEPTANCE / "hook_points.toml").read_text())


def load_results() -> dict[str, str]:
    """Returns the digest of each hook point whose test failed without it."""
    found: dict[str, str] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    return found


def digest_point(point: Mapping[str, str]) -> str:
    return hashlib.sha256(json.dumps(point, sort_keys=True).encode()).hexdigest()[:12]


def apply_point(point: Mapping[str, str], text: str) -> str:
    """Returns the file without the hook point. Raises ValueError if it does not occur exactly once, or if the rest does not
    parse."""
    if text.count(point["remove"]) != 1:
        raise ValueError(f"the hook point occurs {text.count(point['remove'])} times")
    left = text.replace(point["remove"], point.get("put", ""))
    try:
        compile(left, point["file"], "exec") if point["file"].endswith(".py") else tomllib.loads(left)
    except (SyntaxError, tomllib.TOMLDecodeError) as problem:
        raise ValueError(f"without the hook point it does not parse: {problem}") from None
    return left


class PackageCopy:
    """A copy of the package in an environment of its own, in which tests and every process that they start run."""

    def __init__(self, folder: Path) -> None:
        """The engine starts without `site`: the package and its imports must be in the folder of installed packages."""
        venv.create(folder, with_pip=False)
        (own,) = folder.glob("lib/python*/site-packages")
        self.package, self.python = own / "toolgate", folder / "bin" / "python"
        for installed in Path(sysconfig.get_path("purelib")).iterdir():
            if installed.suffix != ".pth" and installed.name != PACKAGE.name:
                (own / installed.name).symlink_to(installed)
        shutil.copytree(PACKAGE, self.package, ignore=shutil.ignore_patterns("__pycache__"))
        program = self.python.with_name("toolgate")
        program.write_text(f"#!{self.python}\nimport sys\nfrom toolgate.__main__ import main\nsys.exit(main())\n")
        program.chmod(0o755)

    @contextmanager
    def apply_temporarily(self, point: Mapping[str, str]) -> Iterator[None]:
        path = self.package / point["file"]
        text = path.read_text()
        path.write_text(apply_point(point, text))
        try:
            yield
        finally:
            path.write_text(text)

    def run(self, tests: Iterable[str]) -> int:
        """Returns the exit code of pytest."""
        environ = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "LAW_CASES": "30"}
        options = ("-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist")
        words = [str(self.python), "-m", "pytest", *options, *(str(TESTS / test) for test in tests)]
        return subprocess.run(words, cwd=TESTS.parent, env=environ, capture_output=True, check=False).returncode

    def prove(self, point: Mapping[str, str]) -> str:
        """Returns `fails`, as the test must, or what happened instead."""
        try:
            with self.apply_temporarily(point):
                code = self.run([point["test"]])
        except ValueError as problem:
            return f"unusable: {problem}"
        if code != 1:
            return "passes" if code == 0 else f"unusable: pytest ended with {code}"
        return "fails" if self.run([point["test"]]) == 0 else "unusable: the test fails with its hook point"


def main(rows: list[str]) -> int:
    points, results = load_hook_points(), load_results()
    results = {row: digest for row, digest in results.items() if row in points}
    left = rows or [row for row, point in points.items() if results.get(row) != digest_point(point)]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = PackageCopy(Path(folder))
        for row in left:
            outcome = copy.prove(points[row])
            print(f"{row:8} {outcome}", flush=True)
            results.pop(row, None)
            if outcome == "fails":
                results[row] = digest_point(points[row])
            failed += outcome != "fails"
            RESULTS.write_text(json.dumps({each: results[each] for each in points if each in results}, indent=1) + "\n")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
