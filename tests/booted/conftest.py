from pathlib import Path

import pytest

from booted.machine import ROOT, Machine, find_missing_requirement


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """A machine on which the gate is installed for every account, under the supervisor."""
    if why := find_missing_requirement():
        pytest.fail(f"this needs {why}")
    new_machine = Machine(Path(ROOT / ".cache/booted")).with_toolgate(tmp_path_factory.mktemp("wheel"))
    output = new_machine.boot("$GATE install claude-code --scope managed; echo installed $?")
    assert "installed 0" in output
    return new_machine
