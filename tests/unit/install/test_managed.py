"""Tests the managed tier: what root installs, and that no other account can change it.

Everything that would write to /etc happens in a private mount namespace, on a copy of it.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from toolgate.machine import ownership
from unit.install.private_machine import INSTALLED, POLICY, SETTINGS, SOMEBODY, Private, has_namespaces


def test_root_registers_it_for_everybody(private_machine: Private) -> None:
    result = private_machine.run(
        f"GATE install claude-code --scope managed >/dev/null && cat {SETTINGS} && stat -c '%u %a' {SETTINGS} {POLICY}"
    )
    assert result.returncode == 0, result.stderr
    text, _, modes = result.stdout.rpartition("}\n")
    assert {"PreToolUse", "ConfigChange"} <= set(json.loads(text + "}")["hooks"])
    assert modes.split("\n")[:2] == ["0 644", "0 644"]
    assert not Path(SETTINGS).exists(), "the machine's own /etc was never touched"


def test_it_goes_as_it_came(private_machine: Private) -> None:
    text = f"GATE install claude-code --scope managed && GATE uninstall claude-code --scope managed && ls {SETTINGS}"
    assert "No such file" in private_machine.run(text).stderr


def test_from_the_agents_account_nothing_of_it_can_be_changed(private_machine: Private) -> None:
    result = private_machine.run(f"{INSTALLED}; AGENT GATE doctor | grep 'tier of claude-code'")
    assert "this account tried, and can change none of what it stands on" in result.stdout, result.stdout + result.stderr
    attempts = f'for each in {SETTINGS} {POLICY} /etc/claude-code/x; do AGENT sh -c "echo {{}} >> $each" && echo CHANGED; done'
    assert "CHANGED" not in private_machine.run(f"{INSTALLED}; {attempts}").stdout
    result = private_machine.run(
        "GATE install claude-code --scope managed >/dev/null 2>&1; AGENT GATE uninstall claude-code --scope managed"
    )
    assert (result.returncode, "only root" in result.stderr) == (65, True)


@pytest.mark.parametrize(
    "hole",
    [f"chmod 666 {SETTINGS}", "chmod 777 /etc/claude-code", f"chown {SOMEBODY} {POLICY}", f"chown {SOMEBODY} /etc/toolgate"],
)
def test_what_the_account_could_change_is_found(hole: str, private_machine: Private) -> None:
    text = f"{INSTALLED}; {hole}; AGENT GATE doctor | grep 'tier of claude-code'"
    result = private_machine.run(text)
    assert "but this account can change /etc/" in result.stdout, result.stdout + result.stderr


def test_nobody_else_registers_it(private_machine: Private) -> None:
    result = private_machine.run(f"AGENT GATE install claude-code --scope managed; ls {SETTINGS}")
    assert "only root writes managed settings" in result.stderr
    assert "No such file" in result.stderr


def test_a_users_policy_lowers_nothing_beneath_it(private_machine: Private) -> None:
    own = "mkdir -p .config/toolgate && printf 'profile = \"observe\"' > .config/toolgate/policy.toml && chown -R 12345 .config"
    check = "AGENT GATE check -- git push --force"
    assert private_machine.run(f"{own}; {check}").stdout.startswith("warn")
    assert private_machine.run(f"{INSTALLED}; {own}; {check}").stdout.startswith("ask")


# ---- who could change a file


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="gives files away")
def test_the_weakest_link(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    for each in (tmp_path, tmp_path / "a", folder):
        each.chmod(0o755)
    file = folder / "x"
    file.write_text("")
    assert ownership.find_weak_path(str(file)) == ""
    folder.chmod(0o777)
    assert ownership.find_weak_path(str(file)) == str(folder)
    folder.chmod(0o1777)
    assert ownership.find_weak_path(str(file)) == ""
    os.chown(tmp_path / "a", 12345, 0)
    assert ownership.find_weak_path(str(file)) == str(tmp_path / "a")
    os.chown(tmp_path / "a", 0, 0)
    link = tmp_path / "link"
    link.symlink_to(folder / "gone")
    assert ownership.find_weak_path(str(link)) == str(folder / "gone")
    os.chown(file, 12345, 0)
    assert ownership.find_weak_path_below(str(folder)) == str(file)


# ---- the machine that the tests run on


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="nobody but root could write there")
@pytest.mark.parametrize("folder", ["/etc", "/usr", "/run", "/var/lib"])
def test_no_test_writes_to_the_machine_itself(folder: str) -> None:
    if os.environ.get("REQUIRE_NAMESPACES") != "1" and not has_namespaces():
        pytest.skip("root may not mount here")
    result = subprocess.run(["touch", f"{folder}/toolgate-was-here"], capture_output=True, text=True, check=False)
    assert "Read-only file system" in result.stderr
