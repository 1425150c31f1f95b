"""Tests how the engine starts: without `site`, so that code beside the packages does not run in it."""

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from faults.clients import KINDS, Client, Gate
from toolgate.machine import build
from toolgate.transport import twin


def environment(root: Path, marker: Path) -> Path:
    """A virtual environment with this one's packages, and with a .pth file and a customization module that leave a mark."""
    venv.create(root, with_pip=False, symlinks=True)
    packages = next((root / "lib").iterdir()) / "site-packages"
    code = f"import pathlib; pathlib.Path({str(marker)!r}).touch()\n"
    (packages / "evil.pth").write_text(code)
    (packages / "sitecustomize.py").write_text(code)
    sources = f"{Path(build.PACKAGE).parent}\n{sysconfig.get_path('purelib')}\n"
    (packages / "_editable_impl_toolgate.pth").write_text(sources)
    return root / "bin" / "python"


@pytest.mark.parametrize("kind", KINDS)
def test_no_code_beside_the_packages_runs_in_the_engine(kind: str, gate: Gate, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    python = environment(tmp_path / "env", marker)
    subprocess.run([python, "-I", "-c", "pass"], check=True)
    assert marker.exists()  # it would run
    marker.unlink()
    gate.client = Client(kind, tmp_path / "bin", engine=python)
    answer = gate.ask("rm -rf /")
    assert gate.is_right(answer, "rm -rf /")
    gate.end()
    assert not marker.exists()


def test_both_clients_start_the_same_code() -> None:
    text = (Path(build.PACKAGE) / "transport" / "client.c").read_text()
    _, _, rest = text.partition("static const char START[] =\n")
    lines = [line.strip() for line in rest.partition(";\n\n")[0].splitlines()]
    assert "".join(eval(line) for line in lines) == twin.START_CODE


def test_the_interpreter_of_this_test_finds_its_packages_so() -> None:
    program = twin.START_CODE.partition("from toolgate")[0] + "import toolgate, msgspec; print(toolgate.__file__)"
    result = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == f"{build.PACKAGE}/__init__.py"
