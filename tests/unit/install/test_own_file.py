"""Tests a host that loads the gate through a plugin file: created, kept, repaired and removed, with the Node package that it
imports.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from toolgate.install import apply_plan, check_wiring, find_node_package, own_command, plan_install, plan_uninstall
from toolgate.model.errors import SettingsError

HOST = "opencode"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def plugin(home: Path) -> Path:
    return home / ".config/opencode/plugin/toolgate.js"


def install(home: Path) -> None:
    apply_plan(plan_install(HOST, "user", str(home), str(home / "project"), {}), str(home / "backups"))


def uninstall(home: Path) -> None:
    apply_plan(plan_uninstall(HOST, ("user", "project"), str(home), str(home / "project"), {}), str(home / "backups"))


def problems(home: Path) -> list[str]:
    return [each.what for each in check_wiring(HOST, str(home), str(home / "project"), {}, ask_version=False)]


def test_in_and_out(home: Path) -> None:
    assert problems(home) == ["not registered in any settings file"]
    install(home)
    assert f'const COMMAND = ["{own_command()[0]}"' in plugin(home).read_text()
    assert problems(home) == []
    assert plan_install(HOST, "user", str(home), str(home), {}).changes == ()
    uninstall(home)
    assert not plugin(home).exists()


def test_a_plugin_that_was_edited_is_told_and_mended(home: Path) -> None:
    install(home)
    whole = plugin(home).read_text()
    plugin(home).write_text(whole.replace("throw", "return"))
    assert "hooks.plugin: it is not what `toolgate install` wrote" in problems(home)
    install(home)
    assert plugin(home).read_text() == whole
    plugin(home).write_text(whole.replace("throw", "return"))
    uninstall(home)
    assert not plugin(home).exists()


def test_somebody_elses_file_is_left_alone(home: Path) -> None:
    plugin(home).parent.mkdir(parents=True)
    plugin(home).write_text("export const Theirs = async () => ({})\n")
    with pytest.raises(SettingsError, match="is not toolgate's"):
        install(home)
    uninstall(home)
    assert "Theirs" in plugin(home).read_text()


def test_the_package_is_where_the_plugin_says() -> None:
    assert {"index.js", "gate.js", "open-code.js", "package.json"} <= set(os.listdir(find_node_package()))


def test_the_package_passes_its_own_tests() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node")
    tests = sorted(str(path) for path in Path(find_node_package(), "test").glob("*.test.js"))
    result = subprocess.run([node, "--test", *tests], capture_output=True, text=True, check=False, timeout=120)
    assert result.returncode == 0, result.stdout[-3000:]
    assert "# fail 0" in result.stdout or "ℹ fail 0" in result.stdout
