"""A Debian system with systemd in a folder: debootstrap creates it, systemd-nspawn boots it, and a script runs in it as root."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = "systemd,systemd-sysv,dbus,python3,python3-venv"
NEEDED = ("debootstrap", "systemd-nspawn")
NSPAWN = ("systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--console=pipe")
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
UNIT = """\
[Unit]
After=multi-user.target

[Service]
Type=oneshot
ExecStart=/bin/sh -c 'bash /root/guest.sh >/root/said 2>&1; systemctl poweroff'

[Install]
WantedBy=multi-user.target
"""
WORDS = r"""\
HOOK=/opt/toolgate/bin/toolgate-hook
GATE=/opt/toolgate/bin/toolgate
as_agent() { setpriv --reuid agent --regid agent --init-groups env HOME=/home/agent "$@"; }
ask() {
    cd /home/agent || exit
    echo '{"session_id":"s","cwd":"/home/agent","tool_name":"Bash","tool_input":{"command":"'"$1"'"}}' |
        as_agent "$HOOK" claude-code PreToolUse 2>/dev/null | sed 's/^/answer /'
    printf '\ncode %s\n' "${PIPESTATUS[1]}"
}
"""


def find_missing_requirement() -> str:
    """Returns what prevents a machine from being booted here; empty if nothing does."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "root on Linux"
    return " and ".join(name for name in NEEDED if shutil.which(name) is None)


@dataclass(frozen=True)
class Machine:
    """`tree`: the machine's files. Files that a script leaves there still exist at the next boot."""

    tree: Path

    def with_toolgate(self, scratch: Path) -> "Machine":
        if not (self.tree / "usr/lib/systemd/systemd").exists():
            shutil.rmtree(self.tree, ignore_errors=True)
            self.tree.parent.mkdir(parents=True, exist_ok=True)
            run("debootstrap", "--variant=minbase", f"--include={PACKAGES}", "bookworm", str(self.tree))
        run(*PIP, "wheel", "--no-deps", "-w", str(scratch), str(ROOT))
        (wheel,) = scratch.glob("*.whl")
        wheels = self.tree / "root/wheels"
        shutil.rmtree(wheels, ignore_errors=True)
        run(*PIP, "download", "-d", str(wheels), "--python-version", "3.11", "--only-binary=:all:", str(wheel))
        install = (
            "rm -rf /opt/toolgate /etc/toolgate && python3 -m venv /opt/toolgate && id agent >/dev/null || useradd -m agent; "
        )
        install += "/opt/toolgate/bin/pip install -q --no-index --find-links /root/wheels toolgate"
        run("chroot", str(self.tree), "sh", "-c", install)
        (self.tree / "etc/systemd/system/guest.service").write_text(UNIT)
        run("chroot", str(self.tree), "systemctl", "enable", "guest.service")
        return self

    def boot(self, script: str) -> str:
        """Boots the machine, runs a script, returns its output. `ask COMMAND` calls the hook's client as the account `agent`."""
        (self.tree / "root/guest.sh").write_text(WORDS + script)
        (self.tree / "root/said").unlink(missing_ok=True)
        run(
            "unshare",
            "--mount",
            "sh",
            "-c",
            'mount -t tmpfs none /run && exec "$0" "$@"',
            *NSPAWN,
            "-D",
            str(self.tree),
            "--boot",
        )
        return (self.tree / "root/said").read_text()


def run(*words: str) -> None:
    result = subprocess.run(words, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=600)
    assert result.returncode == 0, (words, result.stdout[-2000:], result.stderr[-2000:])


def codes(output: str) -> list[int]:
    return [int(each) for each in re.findall(r"^code (\d+)$", output, re.MULTILINE)]
