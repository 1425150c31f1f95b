"""Tests what `pip install` makes of the project: built, installed into a fresh environment, registered, and called."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import hatch_build
import pytest

from faults.child import is_refusal, is_silence
from installed import Installed

ROOT = Path(__file__).parents[2]
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
KINDS = ("native", "pure")


def installed_from(wheel: Path, root: Path) -> Installed:
    """Installs the wheel in a fresh environment with the dependencies of the tests: there is no network."""
    venv.create(root / "env", symlinks=True)
    programs = root / "env" / "bin"
    result = subprocess.run(
        [*PIP, "--python", str(programs / "python"), "install", "--no-deps", "--no-index", str(wheel)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    (site,) = (root / "env" / "lib").glob("python*/site-packages")
    (site / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return Installed(root, programs)


def build_wheel(folder: Path, kind: str) -> Path:
    environ = dict(os.environ) | {"TOOLGATE_PURE": "1" if kind == "pure" else "0"}
    if kind == "pure":
        environ.pop("REQUIRE_NATIVE", None)  # which would refuse to build it
    result = subprocess.run(
        [*PIP, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module", params=KINDS)
def wheel(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("dist"), request.param)


def has_client(wheel: Path) -> bool:
    return any(name.endswith(".data/scripts/toolgate-hook") for name in zipfile.ZipFile(wheel).namelist())


def test_the_tag_says_what_is_in_it(wheel: Path) -> None:
    """A program is for one platform, and for every Python on it."""
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    assert wheel.name.endswith(f"-py3-none-{platform}.whl" if has_client(wheel) else "-py3-none-any.whl")
    assert "toolgate/transport/BUILD" in zipfile.ZipFile(wheel).namelist()


def test_the_node_package_is_in_it(wheel: Path) -> None:
    files = zipfile.ZipFile(wheel).namelist()
    assert {"toolgate/clients/node/index.js", "toolgate/clients/node/package.json"} <= set(files)


def test_native_where_there_is_a_compiler(tmp_path: Path) -> None:
    promised = os.environ.get("REQUIRE_NATIVE") == "1"
    assert has_client(build_wheel(tmp_path, "native")) == (promised or any(shutil.which(name) for name in hatch_build.COMPILERS))


def test_installed_registered_and_asked(wheel: Path, tmp_path: Path) -> None:
    installed = installed_from(wheel, tmp_path)
    try:
        installed.toolgate("install", "claude-code")
        words = installed.registered_command()
        native = str(installed.programs / "toolgate-hook")
        if has_client(wheel):
            assert words == [native, "claude-code", "PreToolUse"]
        else:
            assert words[:3] == [str(installed.programs / "python"), "-I", "-S"]
            assert words[3].startswith(str(tmp_path / "env"))
        assert is_refusal("PreToolUse", installed.ask(words, "rm -rf /"))  # cold
        installed.until_it_answers()
        assert is_refusal("PreToolUse", installed.ask(words, "rm -rf /"))  # warm
        assert is_silence(installed.ask(words, "git status"))
        link = tmp_path / "link"  # as pipx and uv put it on the PATH
        link.symlink_to(words[0])
        assert is_refusal("PreToolUse", installed.ask([str(link), *words[1:]], "rm -rf /"))
        report = json.loads(installed.toolgate("daemon", "status", "--json"))
        assert [(each["answers"], each["same_build"]) for each in report] == [(True, True)]
        assert len(report[0]["build"].strip("-")) == 32
    finally:
        installed.end()
