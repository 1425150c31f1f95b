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
from toolgate.machine.supervision import ACCOUNT, MARKER, SOCKET, STATE, UNITS

SYSTEMD = "/run/systemd/system"
SOCKET_UNIT, SERVICE_UNIT = UNITS
WITHOUT_SYSTEMD = "no systemd runs here, so no supervisor was set up: each user's gate runs as that user"
STAYS = f"what the supervisor kept stays: {STATE} and the account {ACCOUNT}; as root: rm -r {STATE}; userdel {ACCOUNT}"


@dataclass(frozen=True, slots=True)
class Steps:
    """Programs that run first, files with their contents, programs that run last."""

    first: tuple[tuple[str, ...], ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    last: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()


def setting_up(client: Sequence[str]) -> Steps:
    """`client`: the command that is registered with the host."""
    if sys.platform != "linux" or not os.path.isdir(SYSTEMD):
        return Steps(notes=(WITHOUT_SYSTEMD,))
    account = () if _has_account() else (("useradd", "--system", "--user-group", "--no-create-home", "--home-dir", STATE,
                                           "--shell", "/usr/sbin/nologin", ACCOUNT),)  # fmt: skip
    return Steps(
        first=(*account, ("install", "-d", "-m", "0700", "-o", ACCOUNT, "-g", ACCOUNT, STATE)),
        files={SOCKET_UNIT: socket_unit(), SERVICE_UNIT: service_unit(os.path.abspath(sys.executable)), MARKER: marker(client)},
        last=(("systemctl", "daemon-reload"), ("systemctl", "enable", "--now", "toolgate.socket")),
    )


def is_up() -> bool:
    """Returns whether the supervisor's socket exists: it is missing where the setup failed."""
    return os.path.exists(SOCKET)


def taking_down() -> Steps:
    if not os.path.lexists(SOCKET_UNIT):
        return Steps(files={MARKER: ""})
    return Steps(
        first=(("systemctl", "disable", "--now", "toolgate.socket", "toolgate.service"),),
        files={MARKER: "", SOCKET_UNIT: "", SERVICE_UNIT: ""},
        last=(("systemctl", "daemon-reload"),),
        notes=(STAYS,),
    )


def marker(client: Sequence[str]) -> str:
    """Returns the clients that call only the supervisor, one path on each line: all of this installation's, whichever is
    registered."""
    registered = [word for word in client if os.path.isabs(word) and word != os.path.abspath(sys.executable)]
    paths = [*registered, f"{build.PACKAGE}/transport/client.py"]
    return "".join(f"{path}\n" for path in dict.fromkeys(each for path in paths for each in (path, os.path.realpath(path))))


def socket_unit() -> str:
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


def service_unit(python: str) -> str:
    return f"""\
[Unit]
Description=toolgate: the gate between coding agents and their tools
Requires=toolgate.socket
After=toolgate.socket

[Service]
Type=exec
ExecStart={_quoted(python)} -I -X utf8 -m toolgate.transport.supervisor
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


def _quoted(word: str) -> str:
    """Quotes a word for ExecStart=: systemd.service(5)."""
    word = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{word}"' if any(char in word for char in " \t\\'\"") else word


def _has_account() -> bool:
    import pwd

    try:
        pwd.getpwnam(ACCOUNT)
    except KeyError:
        return False
    return True
