"""A machine for root's tests: everything that would write to /etc, /run or /var/lib happens in a private mount namespace.

AGENT before a command runs it as another account than root.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "private_machine.sh"
ALONE = ("unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child")
"""With processes of its own, too: whatever a test starts there ends with it."""
SOMEBODY = "12345"
INSTALLED = "GATE install claude-code --scope managed >/dev/null 2>&1"
SETTINGS, POLICY = "/etc/claude-code/managed-settings.json", "/etc/toolgate/policy.toml"


def has_namespaces() -> bool:
    if sys.platform != "linux" or os.geteuid() != 0 or shutil.which("unshare") is None or shutil.which("setpriv") is None:
        return False
    return subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode == 0


def demand_namespaces() -> None:
    if not has_namespaces():
        if os.environ.get("REQUIRE_NAMESPACES") == "1":
            pytest.fail("root, mount namespaces, unshare and setpriv are needed")
        pytest.skip("a second account needs root and mount namespaces")


class Private:
    """A machine whose /etc is a copy. `run`: runs shell text as root; AGENT before a command runs it as another account."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch

    def run(self, text: str) -> subprocess.CompletedProcess[str]:
        agent = f"setpriv --reuid {SOMEBODY} --regid {SOMEBODY} --clear-groups --"
        gate = f"{sys.executable} -m toolgate"
        text = text.replace("AGENT", f"env HOME={self.scratch}/agent {agent}").replace("GATE", gate)
        whole = f"mkdir -p {self.scratch}/agent && chown {SOMEBODY} {self.scratch}/agent && cd {self.scratch}/agent && {text}"
        python = os.path.realpath(sys.executable)
        words = [*ALONE, "sh", str(SCRIPT), str(self.scratch), python, "sh", "-c", whole]
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("CLAUDE", "TOOLGATE", "XDG"))}
        environ = {**inherited, "HOME": str(self.scratch / "root")}
        return subprocess.run(words, env=environ, capture_output=True, text=True, check=False, timeout=300)
