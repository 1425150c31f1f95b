"""Tests the source distribution, and the tools with which people install a command line: each provides a program that judges a
call.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*words: str | Path, home: Path | None = None, check: bool = True, **environ: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **({"HOME": str(home)} if home else {}), **environ}
    result = subprocess.run([str(word) for word in words], env=env, capture_output=True, text=True, check=False, timeout=300)
    assert result.returncode == 0 or not check, result.stdout + result.stderr
    return result


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    run(sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", folder, ROOT)
    (found,) = folder.glob("*.tar.gz")
    return found


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel that is built from the source distribution, as pip builds it."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, sdist)
    (found,) = folder.glob("*.whl")
    return found


def test_the_source_distribution_holds_what_a_build_needs_and_no_tests(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"src/toolgate/transport/client.c", "hatch_build.py", "clients/node/index.js", "CHANGELOG.md", "LICENSE"} <= names
    assert not any(name.startswith(("tests/", "benchmarks/")) for name in names)


def test_the_wheel_is_typed_and_described(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    assert "toolgate/py.typed" in archive.namelist()
    (name,) = (each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
    about = Parser().parsestr(archive.read(name).decode())
    addresses = {each.partition(",")[0] for each in about.get_all("Project-URL", [])}
    assert {"Homepage", "Documentation", "Source", "Issues", "Changelog"} <= addresses
    assert "Typing :: Typed" in about.get_all("Classifier", [])


def test_a_program_that_uses_the_library_is_type_checked(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("from toolgate.api import Gate\nreveal_type(Gate)\n")
    output = run(sys.executable, "-m", "mypy", "--config-file=", tmp_path / "mine.py", check=False).stdout
    assert "missing library stubs or py.typed" not in output


def test_pip_installs_the_source_distribution(sdist: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", symlinks=True)
    programs = tmp_path / "env" / "bin"
    (site,) = (tmp_path / "env" / "lib").glob("python*/site-packages")
    (site / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    python = programs / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-build-isolation", "--no-index", sdist)
    assert judges_calls(programs / "toolgate", tmp_path)


@pytest.mark.parametrize("tool", ["pipx", "uv"])
def test_a_tool_installs_the_wheel(tool: str, wheel: Path, tmp_path: Path) -> None:
    program = shutil.which(tool, path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if program is None:
        pytest.skip(f"{tool} is not on this machine")
    verb = ("install",) if tool == "pipx" else ("tool", "install")
    result = run(
        program, *verb, wheel, home=tmp_path, check=False, UV_CACHE_DIR=str(tmp_path / "uv"), XDG_DATA_HOME="", XDG_BIN_HOME=""
    )
    if result.returncode and os.environ.get("REQUIRE_CLIENTS") != "1":
        pytest.skip("the dependencies cannot be fetched here")
    assert result.returncode == 0, result.stdout + result.stderr
    assert judges_calls(tmp_path / ".local" / "bin" / "toolgate", tmp_path)


def judges_calls(program: Path, home: Path) -> bool:
    """Returns whether an installed program passes a harmless call and denies a harmful one."""
    codes = [run(program, "check", "--", command, home=home, check=False).returncode for command in ("ls", "rm -rf /")]
    return codes == [0, 2]
