"""Compares the packages of an installation with their recorded state, on a copy of the package in an environment of its own."""

import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolgate.machine import build

METADATA = "Metadata-Version: 2.1\nName: {}\nVersion: 1.0\n{}"


@pytest.fixture(scope="module")
def installed_package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("gate")
    venv.create(root, with_pip=False, symlinks=True)
    packages = next((root / "lib").iterdir()) / "site-packages"
    shutil.copytree(build.PACKAGE, packages / "toolgate")
    (packages / "needed.py").write_text("value = 1\n")
    for name, files, more in (("toolgate", "toolgate/app.py", "Requires-Dist: needed>=1\n"), ("needed", "needed.py", "")):
        folder = packages / f"{name}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(METADATA.format(name, more))
        (folder / "RECORD").write_text(f"{files},,\n")
    run(root, "write_record()")
    return packages


def run(root: Path, call: str, settled_after: int = 3_000_000_000) -> str:
    """`settled_after`: the age in seconds from which a file's times can be trusted."""
    program = (
        f"from toolgate.machine import integrity, world; world.SETTLED_NANOSECONDS = {settled_after}; print(integrity.{call})"
    )
    result = subprocess.run([root / "bin" / "python", "-I", "-c", program], capture_output=True, text=True, check=True)
    return result.stdout.strip()


def changes(packages: Path) -> str:
    return run(packages.parent.parent.parent, "changed_packages()")


def test_nothing_changed(installed_package: Path) -> None:
    assert changes(installed_package) == "[]"


@pytest.mark.parametrize(
    ("file", "name"), [("needed.py", "needed 1.0"), ("toolgate/app.py", "toolgate 1.0"), ("re2.py", "names beside the packages")]
)
def test_a_changed_dependency_a_changed_module_and_a_new_name_are_told(installed_package: Path, file: str, name: str) -> None:
    path = installed_package / file
    before = path.read_text() if path.exists() else None
    path.write_text((before or "") + "\n# changed\n")
    try:
        assert changes(installed_package) == str([name])
    finally:
        path.unlink() if before is None else path.write_text(before)


@pytest.fixture
def stamped_package(installed_package: Path) -> Iterator[Path]:
    """The environment, with a record whose files need not be read again."""
    root = installed_package.parent.parent.parent
    run(root, "write_record()", settled_after=0)
    yield root
    run(root, "write_record()")


def test_files_that_have_not_changed_are_not_read_again(stamped_package: Path) -> None:
    program = """if True:
        import sys
        from toolgate.machine import integrity, world
        world.SETTLED_NANOSECONDS = 0
        opened = []
        sys.addaudithook(lambda event, about: opened.append(str(about[0])) if event == "open" else None)
        print(integrity.changed_packages(), [each for each in opened if each.endswith("needed.py")])
    """
    result = subprocess.run([stamped_package / "bin" / "python", "-I", "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[] []"


def test_a_change_that_keeps_size_and_time_is_told(stamped_package: Path, installed_package: Path) -> None:
    path = installed_package / "needed.py"
    before, times = path.read_text(), path.stat()
    path.write_text(before.replace("1", "2"))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    try:
        assert run(stamped_package, "changed_packages()", settled_after=0) == "['needed 1.0']"
    finally:
        path.write_text(before)


def test_a_record_of_an_earlier_version_is_compared(stamped_package: Path) -> None:
    path = stamped_package / "toolgate-installation.json"
    path.write_text(json.dumps({name: digest for name, (digest, _) in json.loads(path.read_text()).items()}))
    assert run(stamped_package, "changed_packages()") == "[]"


@pytest.mark.parametrize("text", ["[]", '{"needed 1.0": 1}', '{"needed 1.0": ["", "", ""]}', "{"])
def test_a_record_that_is_none_is_told_and_replaced(stamped_package: Path, text: str) -> None:
    path = stamped_package / "toolgate-installation.json"
    path.write_text(text)
    assert run(stamped_package, "changed_packages()") == "['the record itself, which cannot be read']"
    run(stamped_package, "write_record()")
    assert run(stamped_package, "changed_packages()") == "[]"


def test_an_environment_that_was_never_recorded_says_nothing() -> None:
    nowhere = "installation.ENVIRONMENTS = ('/nonexistent',)"
    program = f"from toolgate.machine import installation, integrity; {nowhere}; print(integrity.changed_packages())"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
