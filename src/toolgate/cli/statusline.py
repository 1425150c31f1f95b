"""`toolgate statusline`: shows the gate in the status line of Claude Code."""

import json
import os
import re
import sys
import time

import click

from toolgate.audit.segments import list_segments, read_lines
from toolgate.machine.environment import find_folders
from toolgate.model.decision import Verdict
from toolgate.policy import load
from toolgate.undo.calls import store_folder
from toolgate.undo.vault import Vault

from .approve import replace_control_characters
from .surroundings import Surroundings, read_surroundings
from .tier import describe_supervised_state

_STOP = re.compile(rb'"verdict":"(?:ask|deny)","reason":')
"""Matches a record's own verdict; inside a recorded text the quotation marks are escaped."""
LONGEST_INPUT = 1 << 20


@click.command(epilog="\b\nExamples:\n  toolgate install claude-code --statusline\n  toolgate statusline < /dev/null")
def statusline() -> None:
    """Print the profile in force, how many calls were stopped today, and whether there is something to undo, in one line.

    The session is read from standard input, as Claude Code gives it. `toolgate install claude-code --statusline` registers this.
    """
    surroundings = read_surroundings(_project_of(b"" if sys.stdin.isatty() else sys.stdin.buffer.read(LONGEST_INPUT)))
    policy = load(surroundings.environ, surroundings.home, surroundings.project)
    parts = [f"toolgate {replace_control_characters(policy.profile)}"]
    if policy.cap < Verdict.DENY:
        parts.append(f"capped at {policy.cap.name.lower()}")
    if policy.degraded:
        parts.append("policy broken: toolgate policy check")
    if not describe_supervised_state(surroundings):
        stops = _count_stops(surroundings)
        parts.append(f"{stops} {'stop' if stops == 1 else 'stops'} today")
        if Vault(store_folder(find_folders(surroundings.environ, surroundings.home).state)).list_ids():
            parts.append("undo available")
    click.echo(" \N{MIDDLE DOT} ".join(parts))


def _project_of(payload: bytes) -> str | None:
    """Returns the project that the client reports, or None if it reports none that exists."""
    try:
        session = json.loads(payload)
        project = session["workspace"]["project_dir"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return project if isinstance(project, str) and os.path.isabs(project) and os.path.isdir(project) else None


def _count_stops(surroundings: Surroundings) -> int:
    """Counts the stops of this account since midnight UTC, when the log starts a new file."""
    folder, day = f"{find_folders(surroundings.environ, surroundings.home).state}/audit", time.strftime("%Y-%m-%d", time.gmtime())
    try:
        today = [name for name in list_segments(folder) if name.startswith(day)]
        return sum(1 for name in today for line in read_lines(f"{folder}/{name}") if _STOP.search(line))
    except OSError:
        return 0
