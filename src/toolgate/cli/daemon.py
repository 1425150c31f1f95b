"""`toolgate daemon`: shows, stops and restarts the background daemon. A call is judged without one, too."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from toolgate.machine.environment import find_folders

from .command_groups import CommandGroup
from .surroundings import AS_JSON, read_surroundings

if TYPE_CHECKING:
    from toolgate.transport.running_daemons import RunningDaemon

MAX_LOG_LINES = 50
UNSUPPORTED_PLATFORM = "there is no daemon on this platform: each call is judged in a process of its own"


@click.group(
    cls=CommandGroup,
    epilog="""\b
Examples:
  toolgate daemon status
  toolgate daemon restart
  toolgate daemon unit systemd > ~/.config/systemd/user/toolgate.service
""",
)
def daemon() -> None:
    """Show, stop or restart the background daemon.

    The first call starts it, and it exits after half an hour without calls. A call that it does not answer is judged without
    it.
    """
    if sys.platform == "win32":
        raise click.ClickException(UNSUPPORTED_PLATFORM)


@daemon.command(epilog="\b\nExample:\n  toolgate daemon status --json")
@AS_JSON
def status(as_json: bool) -> int:
    """Show whether the daemon runs and answers. Exit 0 if it does."""
    from toolgate.machine import build
    from toolgate.transport.running_daemons import is_responsive

    found = _find_daemons()
    rows = [
        {
            "pid": each.pid,
            "answers": is_responsive(each),
            "build": each.build,
            "same_build": each.build == build.installed_build(),
            "since": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(each.since)),
            "kilobytes": _measure_kilobytes(each.pid),
        }
        for each in found
    ]
    if as_json:
        click.echo(json.dumps(rows, indent=2))
    for row in () if as_json else rows:
        of = "this build" if row["same_build"] else f"build {row['build']}"
        answer = "answers" if row["answers"] else "does not answer"
        click.echo(f"process {row['pid']}, {of}, since {row['since']}, {row['kilobytes']} kB: {answer}")
    if not rows and not as_json:
        click.echo("no daemon runs; the next call starts one")
    return 0 if any(row["answers"] and row["same_build"] for row in rows) else 1


@daemon.command(epilog="\b\nExample:\n  toolgate daemon stop")
def stop() -> None:
    """Stop the daemon. Calls in progress are answered; the next call starts another daemon."""
    from toolgate.transport.running_daemons import stop_daemon as end

    found = _find_daemons()
    for each in found:
        end(each)
        click.echo(f"stopped process {each.pid}")
    if not found:
        click.echo("no daemon runs")


@daemon.command(epilog="\b\nExample:\n  toolgate daemon restart")
@click.pass_context
def restart(context: click.Context) -> None:
    """Restart the daemon."""
    context.invoke(stop)
    process = subprocess.Popen(
        _serve_command(), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stderr is not None
    problem = process.stderr.read()  # the stream ends when the client becomes the daemon
    if problem:
        raise click.ClickException(problem.strip())
    click.echo(f"started process {process.pid}")


@daemon.command(epilog="\b\nExample:\n  toolgate daemon logs")
def logs() -> None:
    """Print the end of the daemon's log: when it started and stopped, and why. The log contains no calls."""
    lines = [line for file in Path(_runtime_folder()).glob("*.log") for line in file.read_text(errors="replace").splitlines()]
    click.echo("\n".join(sorted(lines, key=lambda line: line[:20])[-MAX_LOG_LINES:]) or "nothing was written down")


@daemon.command(epilog="\b\nExample:\n  toolgate daemon unit systemd > ~/.config/systemd/user/toolgate.service")
@click.argument("manager", type=click.Choice(["systemd", "launchd"]))
def unit(manager: Literal["systemd", "launchd"]) -> None:
    """Print a unit that makes a service manager start the daemon at login. Otherwise the first call starts it."""
    click.echo(
        SYSTEMD_UNIT.format(" ".join(_quote_word(word) for word in _serve_command())) if manager == "systemd" else _render_plist()
    )


@daemon.command(
    epilog="""\b
Example:
  toolgate daemon http --port 7391

Registered in the host's settings for an event, but not for SessionStart, which it posts nowhere:

\b
  {"type": "http", "onFailure": "block",
   "url": "http://127.0.0.1:7391/claude-code/PreToolUse",
   "headers": {"Authorization": "Bearer $GATE_TOKEN",
               "X-Toolgate-Project": "$CLAUDE_PROJECT_DIR"},
   "allowedEnvVars": ["GATE_TOKEN", "CLAUDE_PROJECT_DIR"]}
"""
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=7391, show_default=True, help="A port on loopback. 0: any free port."
)
def http(port: int) -> None:
    """Answer hooks that a host posts, until it is interrupted.

    Set GATE_TOKEN from the token's file when you start the host's client. Without "onFailure": "block", the host runs every
    call that gets no answer.
    """
    from toolgate.install import own_command
    from toolgate.transport.http import Endpoint, build_server, load_token

    surroundings = read_surroundings()
    path = f"{find_folders(surroundings.environ, surroundings.home).state}/http-token"
    server = build_server(Endpoint(own_command(), load_token(path), surroundings.environ), port)
    click.echo(f"http://127.0.0.1:{server.server_port}, token in {path}")
    sys.stdout.flush()
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


def _find_daemons() -> "list[RunningDaemon]":
    from toolgate.transport.running_daemons import find_daemons

    return list(find_daemons(_runtime_folder()))


def _runtime_folder() -> str:
    surroundings = read_surroundings()
    return find_folders(surroundings.environ, surroundings.home).runtime


def _serve_command() -> list[str]:
    from toolgate.install import own_command

    return [*own_command(), "--serve"]


def _measure_kilobytes(pid: int) -> int:
    """Returns the memory of the daemon and its workers, shared pages counted once; 0 where the system does not report it."""
    total = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if int((folder / "stat").read_text().rpartition(")")[2].split()[2]) == pid:
                total += int((folder / "smaps_rollup").read_text().partition("Pss:")[2].split()[0])
        except (OSError, ValueError, IndexError):
            continue
    return total


def _quote_word(word: str) -> str:
    return word if word.replace("/", "").replace("-", "").replace(".", "").replace("_", "").isalnum() else json.dumps(word)


SYSTEMD_UNIT = """\
[Unit]
Description=toolgate, kept warm

[Service]
ExecStart={}
Restart=always
RestartSec=60

[Install]
WantedBy=default.target"""


def _render_plist() -> str:
    import plistlib

    table = {
        "Label": "toolgate",
        "ProgramArguments": _serve_command(),
        "RunAtLoad": True,
        "KeepAlive": True,
        "ThrottleInterval": 60,
    }
    return plistlib.dumps(table).decode().rstrip()
