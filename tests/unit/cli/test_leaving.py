"""Tests what uninstalling keeps and removes:

`uninstall --purge` beside another host, `deploy --forget`, and the end of `doctor`.
"""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for folder in (".claude", ".copilot", "project"):
        (tmp_path / folder).mkdir()
    return tmp_path


@pytest.fixture
def toolgate(home: Path) -> Run:
    def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
        environ = {"HOME": str(home), "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "LANG": "C.UTF-8"}
        command = [sys.executable, "-m", "toolgate", *map(str, words)]
        return subprocess.run(command, cwd=home / "project", env=environ, capture_output=True, text=True, check=False)

    return run


def list_stored_files(home: Path) -> set[str]:
    """Returns the files that belong to toolgate, apart from its cache."""
    folders = (home / ".config" / "toolgate", home / ".local" / "state" / "toolgate")
    return {str(path.relative_to(home)) for folder in folders for path in folder.rglob("*") if path.is_file()}


def test_a_purge_leaves_everything_while_another_host_is_registered(home: Path, toolgate: Run) -> None:
    for host in ("claude-code", "copilot"):
        assert toolgate("install", host).returncode == 0
    policy = home / ".config" / "toolgate" / "policy.toml"
    policy.parent.mkdir(parents=True, exist_ok=True)
    policy.write_text('[rules."git.force-push"]\nverdict = "warn"\n')
    before = list_stored_files(home)
    refused = toolgate("uninstall", "claude-code", "--purge")
    assert refused.returncode == 1
    assert "nothing was purged: copilot still calls the gate; toolgate uninstall --all --purge" in refused.stderr
    assert before <= list_stored_files(home)

    result = toolgate("uninstall", "--all", "--purge")
    assert result.returncode == 0, result.stderr
    assert "policy.toml" in result.stderr
    assert not policy.exists()
    assert list_stored_files(home) == set()


def test_a_dry_run_of_a_purge_deletes_nothing(home: Path, toolgate: Run) -> None:
    toolgate("install", "claude-code")
    before = list_stored_files(home)
    result = toolgate("uninstall", "claude-code", "--purge", "--dry-run")
    assert result.returncode == 0
    assert list_stored_files(home) == before


def test_a_deployment_whose_folder_is_gone_is_forgotten(home: Path, toolgate: Run) -> None:
    there, gone = home / "project", home / "gone"
    gone.mkdir()
    assert toolgate("deploy", there, gone).returncode == 0
    record = home / ".config" / "toolgate" / "deployed.json"
    (gone / ".claude" / "settings.json").unlink()
    subprocess.run(["rm", "-rf", gone], check=True)

    output = toolgate("deploy", "--forget", "--dry-run", gone)
    assert (output.returncode, str(gone) in record.read_text()) == (0, True)
    result = toolgate("deploy", "--forget", gone)
    assert (result.returncode, result.stderr) == (0, f"{gone}: forgotten\n")
    assert str(gone) not in record.read_text()
    assert str(there) in record.read_text()

    again = toolgate("deploy", "--forget", gone)
    assert (again.returncode, "no deployment there is on record" in again.stderr) == (1, True)


def test_a_deployment_whose_folder_is_there_is_not_forgotten(home: Path, toolgate: Run) -> None:
    toolgate("deploy", home / "project")
    refused = toolgate("deploy", "--forget", home / "project")
    assert refused.returncode == 1
    assert "it is still there; run `toolgate uninstall claude-code --scope project` in it" in refused.stderr
    assert str(home / "project") in (home / ".config" / "toolgate" / "deployed.json").read_text()


def test_doctor_ends_with_what_to_do_next(home: Path, toolgate: Run) -> None:
    toolgate("install", "claude-code")
    whole = toolgate("doctor")
    assert whole.returncode == 0
    assert whole.stdout.splitlines()[-1].startswith("Nothing is wrong. Next: `toolgate doctor --live`")
    (home / ".config" / "toolgate").mkdir(parents=True, exist_ok=True)
    (home / ".config" / "toolgate" / "policy.toml").write_text("[rules\n")
    broken = toolgate("doctor")
    *_, output, remedy = broken.stdout.splitlines()
    assert broken.returncode == 1
    assert re.fullmatch(r"1 of \d+ checks failed\. Do this, then run `toolgate doctor` again:", output)
    assert re.match(r"  1\. policy: .*policy\.toml:1: .*; fix the syntax there$", remedy)
    settings = home / ".claude" / "settings.json"
    settings.unlink()
    assert "  1. toolgate install claude-code" in toolgate("doctor").stdout
