"""Installs toolgate as people do: with pip, pipx and uv, from these sources, with its dependencies from the index.

Each leaves commands that a host can call from anywhere.
"""

import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from faults.child import is_refusal, is_silence
from installed import Installed

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache" / "installers"
INSTALLERS = {"pip": "26.3", "pipx": "1.18.4", "uv": "0.13.9"}

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def installers() -> Path:
    """The folder of the installers' programs."""
    folder = CACHE / "-".join(f"{name}-{version}" for name, version in INSTALLERS.items())
    if not (folder / "ready").exists():
        venv.create(folder, with_pip=True)
        wanted = [f"{name}=={version}" for name, version in INSTALLERS.items()]
        subprocess.run([folder / "bin" / "python", "-m", "pip", "install", "--quiet", *wanted], check=True)
        (folder / "ready").touch()
    return folder / "bin"


@pytest.fixture(params=sorted(INSTALLERS))
def installation(request: pytest.FixtureRequest, installers: Path, tmp_path: Path) -> Iterator[Installed]:
    folder, programs = tmp_path / request.param, tmp_path / "bin"
    environ = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))},
        "PIPX_HOME": str(folder),
        "PIPX_BIN_DIR": str(programs),
        "UV_TOOL_DIR": str(folder),
        "UV_TOOL_BIN_DIR": str(programs),
    }
    words: tuple[str | Path, ...]
    match request.param:
        case "pip":
            venv.create(folder)
            programs = folder / "bin"
            words = (installers / "python", "-m", "pip", "--python", programs / "python", "install", "--quiet", ROOT)
        case "pipx":
            words = (installers / "pipx", "install", "--python", sys.executable, ROOT)
        case _:
            words = (installers / "uv", "tool", "install", "--python", sys.executable, ROOT)
    result = subprocess.run(words, env=environ, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    installed = Installed(tmp_path, programs)
    yield installed
    installed.end()


def test_what_an_installer_leaves_answers_from_anywhere(installation: Installed) -> None:
    installation.toolgate("install", "claude-code")
    words = installation.registered_command()
    assert Path(words[0]).is_absolute()
    assert Path(words[0]).name == "toolgate-hook"
    for _ in range(2):  # cold, warm
        assert is_refusal("PreToolUse", installation.ask(words, "rm -rf /"))
        assert is_silence(installation.ask(words, "git status"))
        installation.until_it_answers()
