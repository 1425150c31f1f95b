"""The supervisor of the managed tier: its units for systemd, its account, and the marker file for clients.

Where systemd runs, `install --scope managed` sets all of it up, and `uninstall --scope managed` removes it. The units use nothing
that gives a process mounts of its own (ProtectSystem=, PrivateTmp= and similar): a worker must see the machine as its caller
does.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from toolgate.machine import build
from toolgate.machine.current_account import account_exists
from toolgate.machine.supervision import ACCOUNT, MARKER, SOCKET, STATE_FOLDER, UNITS

SYSTEMD_FOLDER = "/run/systemd/system"
SOCKET_UNIT, SERVICE_UNIT = UNITS
WITHOUT_SYSTEMD = "no systemd runs here, so no supervisor was set up: each user's gate runs as that user"
REMAINS_NOTE = (
    f"the supervisor's records remain: {STATE_FOLDER} and the account {ACCOUNT}; as root: rm -r {STATE_FOLDER}; userdel {ACCOUNT}"
)


@dataclass(frozen=True, slots=True)
class SetupSteps:
    """Programs that run first, files with their contents, programs that run last."""

    first: tuple[tuple[str, ...], ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    last: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()


def plan_setup(client: Sequence[str]) -> SetupSteps:
    """`client`: the command that is registered with the host."""
    if sys.platform != "linux" or not os.path.isdir(SYSTEMD_FOLDER):
        return SetupSteps(notes=(WITHOUT_SYSTEMD,))
    options = ("--system", "--user-group", "--no-create-home", "--home-dir", STATE_FOLDER, "--shell", "/usr/sbin/nologin")
    account = () if account_exists(ACCOUNT) else (("useradd", *options, ACCOUNT),)
    return SetupSteps(
        first=(*account, ("install", "-d", "-m", "0700", "-o", ACCOUNT, "-g", ACCOUNT, STATE_FOLDER)),
        files={
            SOCKET_UNIT: render_socket_unit(),
            SERVICE_UNIT: render_service_unit(os.path.abspath(sys.executable)),
            MARKER: render_marker(client),
        },
        last=(("systemctl", "daemon-reload"), ("systemctl", "enable", "--now", "toolgate.socket")),
    )


def is_listening() -> bool:
    """Returns whether the supervisor's socket exists: it is missing where the setup failed."""
    return os.path.exists(SOCKET)


def plan_removal() -> SetupSteps:
    if not os.path.lexists(SOCKET_UNIT):
        return SetupSteps(files={MARKER: ""})
    return SetupSteps(
        first=(("systemctl", "disable", "--now", "toolgate.socket", "toolgate.service"),),
        files={MARKER: "", SOCKET_UNIT: "", SERVICE_UNIT: ""},
        last=(("systemctl", "daemon-reload"),),
        notes=(REMAINS_NOTE,),
    )


def render_marker(client: Sequence[str]) -> str:
    """Returns the clients that call only the supervisor, one path on each line: all of this installation's, whichever is
    registered."""
    registered = [word for word in client if os.path.isabs(word) and word != os.path.abspath(sys.executable)]
    paths = [*registered, f"{build.PACKAGE}/transport/client.py"]
    return "".join(f"{path}\n" for path in dict.fromkeys(each for path in paths for each in (path, os.path.realpath(path))))


def render_socket_unit() -> str:
    return f"""\
[Unit]
Description=toolgate: where hooks ask

[Socket]
ListenStream={SOCKET}
SocketMode=0666
DirectoryMode=0755
Backlog=512
RemoveOnStop=yes

[Install]
WantedBy=sockets.target
"""


def render_service_unit(python: str) -> str:
    return f"""\
[Unit]
Description=toolgate: the gate between coding agents and their tools
Requires=toolgate.socket
After=toolgate.socket

[Service]
Type=exec
ExecStart={_quote_word(python)} -I -X utf8 -m toolgate.transport.supervisor
Restart=always
RestartSec=1
KillMode=mixed
TimeoutStopSec=15
CapabilityBoundingSet=CAP_SETUID CAP_SETGID CAP_KILL CAP_SYS_PTRACE
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
UMask=0077
LimitCORE=0
LimitNOFILE=16384
OOMScoreAdjust=-500
MemoryMax=2G
TasksMax=2048

[Install]
WantedBy=multi-user.target
"""


def _quote_word(word: str) -> str:
    """Quotes a word for ExecStart=: systemd.service(5)."""
    word = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{word}"' if any(char in word for char in " \t\\'\"") else word
