"""The packages of an installation, compared with what they were: on a copy of the package in an environment of its own."""

import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from toolgate.machine import build

METADATA = "Metadata-Version: 2.1\nName: {}\nVersion: 1.0\n{}"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("gate")
    venv.create(root, with_pip=False, symlinks=True)
    packages = next((root / "lib").iterdir()) / "site-packages"
    shutil.copytree(build.PACKAGE, packages / "toolgate", ignore=shutil.ignore_patterns("__pycache__"))
    (packages / "needed.py").write_text("value = 1\n")
    for name, files, more in (("toolgate", "toolgate/app.py", "Requires-Dist: needed>=1\n"), ("needed", "needed.py", "")):
        folder = packages / f"{name}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(METADATA.format(name, more))
        (folder / "RECORD").write_text(f"{files},,\n")
    run(root, "write_record()")
    return packages


def run(root: Path, call: str) -> str:
    program = f"from toolgate.machine import integrity; print(integrity.{call})"
    done = subprocess.run([root / "bin" / "python", "-I", "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def changes(packages: Path) -> str:
    return run(packages.parent.parent.parent, "changed_packages()")


def test_nothing_changed(installed: Path) -> None:
    assert changes(installed) == "[]"


@pytest.mark.parametrize(
    ("file", "name"), [("needed.py", "needed 1.0"), ("toolgate/app.py", "toolgate 1.0"), ("re2.py", "names beside the packages")]
)
def test_a_changed_dependency_a_changed_module_and_a_new_name_are_told(installed: Path, file: str, name: str) -> None:
    path = installed / file
    before = path.read_text() if path.exists() else None
    path.write_text((before or "") + "\n# changed\n")
    try:
        assert changes(installed) == str([name])
    finally:
        path.unlink() if before is None else path.write_text(before)


def test_an_environment_that_was_never_recorded_says_nothing() -> None:
    nowhere = "installation.ENVIRONMENTS = ('/nonexistent',)"
    program = f"from toolgate.machine import installation, integrity; {nowhere}; print(integrity.changed_packages())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
