"""Checks which tier a host's gate is in: who could remove it. A part of `toolgate doctor`."""

import os
import shutil
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

import click

from toolgate import hosts
from toolgate.hosts.capabilities import load_capabilities
from toolgate.machine import build, supervision
from toolgate.machine.current_account import is_root, real_user
from toolgate.machine.environment import find_folders
from toolgate.model.errors import ToolgateError

from .surroundings import Surroundings

State = Literal["fine", "note", "wrong"]
TRUSTED_SCOPES = ("user", "managed")
"""The scopes whose settings do not come with a project."""
MARKS: dict[State, tuple[str, str]] = {"fine": ("ok", "green"), "note": ("note", "yellow"), "wrong": ("wrong", "red")}
SUPERVISOR_TIMEOUT = 3.0  # seconds within which the supervisor has to answer


@dataclass(frozen=True, slots=True)
class Check:
    """One checked item. `remedy` is a command or a sentence, where there is something to fix. `rows`: a table of what was tried,
    and what came of it."""

    about: str
    state: State
    found: str
    remedy: str = ""
    rows: Mapping[str, str] = field(default_factory=dict)


def print_check(check: Check) -> None:
    mark, colour = MARKS[check.state]
    click.secho(f"{mark:5} ", fg=colour, nl=False)
    click.echo(f"{check.about}: {check.found}{f'; {check.remedy}' if check.remedy else ''}")
    width = max(map(len, check.rows), default=0)
    for row, outcome in check.rows.items():
        click.echo(f"      {row:{width}}  {outcome}")


def check_tiers(surroundings: Surroundings) -> Iterator[Check]:
    """Reports who can remove the gate: a hook of the user's own account can be removed by anything that runs as the user."""
    for name in list_relevant_hosts(surroundings):
        scopes = find_registrations(name, surroundings)
        if "managed" in scopes:
            yield _check_managed(name, surroundings, scopes["managed"])
        elif scopes:
            found = f"registered in the {' and '.join(scopes)} settings: code that runs as you can remove it"
            yield Check(f"tier of {name}", "note", found)
        else:
            yield Check(f"tier of {name}", "wrong", "not registered: nothing is guarded", f"toolgate install {name}")
    if supervision.is_supervised():
        yield _check_supervisor()


def _check_managed(host: str, surroundings: Surroundings, commands: tuple[tuple[str, ...], ...]) -> Check:
    """Checks by trying whether this account can change any file that the managed registration depends on."""
    from toolgate.install.managed import list_changeable

    about, file = (
        f"tier of {host}",
        hosts.load_settings(host).locate_settings("managed", surroundings.home, surroundings.project, surroundings.environ),
    )
    if is_root():
        found = "registered in the managed settings; root can change all of it, so ask from the account that agents run as"
        return Check(about, "note", found)
    could = list_changeable(file, [word for command in commands for word in command])
    again = f"let only root write there, and run as root: toolgate install {host} --scope managed"
    if could:
        return Check(about, "wrong", f"registered in the managed settings, but this account can change {could[0]}", again)
    found = "registered in the managed settings: this account tried, and can change none of what it stands on"
    if supervision.is_supervised():
        return Check(about, "fine", f"{found}; state, approvals and audit are the supervisor's")
    return Check(about, "fine", f"{found}; state, approvals and audit are this account's own, without a supervisor")


def _check_supervisor() -> Check:
    """Checks that a supervisor answers, and that it runs as root."""
    remedy = "root: systemctl status toolgate.socket toolgate.service"
    if is_root():
        return Check("supervisor", "note", "it judges no call of root's: ask from the account that agents run as")
    if os.access(supervision.STATE_FOLDER, os.R_OK | os.X_OK):
        return Check(
            "supervisor",
            "wrong",
            f"this account can look into {supervision.STATE_FOLDER}",
            f"root: chmod 700 {supervision.STATE_FOLDER}",
        )
    from toolgate.machine.accounts import read_peer
    from toolgate.transport.frames import QUESTION

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as conversation:
        try:
            conversation.settimeout(SUPERVISOR_TIMEOUT)
            conversation.connect(supervision.SOCKET)
            if read_peer(conversation).uid != 0:
                return Check("supervisor", "wrong", f"the server at {supervision.SOCKET} does not belong to root", remedy)
            conversation.sendall(QUESTION.pack(b"TGQ1", build.installed_build().encode(), 0, real_user(), 2000, *[0] * 5))
            answers = bool(conversation.recv(1))
        except OSError as problem:
            return Check("supervisor", "wrong", f"{problem.strerror or problem}: every call is refused", remedy)
    if not answers:
        return Check("supervisor", "wrong", "it gives no answer: every call is refused", remedy)
    return Check("supervisor", "fine", "it answers; what it keeps, this account can neither read nor write")


def describe_supervised_state(surroundings: Surroundings) -> str:
    """Returns where the supervisor keeps this account's records; empty where the account keeps them itself."""
    user = supervision.supervised_user(surroundings.environ)
    if not supervision.is_supervised() or not user:
        return ""
    return f"kept by the supervisor's account, in {supervision.STATE_FOLDER}/users/{user}"


def find_audit_folder(surroundings: Surroundings) -> str:
    """Returns the folder of this account's audit log. Raises ToolgateError where a supervisor keeps it, except for root."""
    if description := describe_supervised_state(surroundings):
        folder = f"{supervision.STATE_FOLDER}/users/{supervision.supervised_user(surroundings.environ)}/audit"
        if is_root():
            return folder
        raise ToolgateError(f"the audit log is {description}: ask there, as root")
    return f"{find_folders(surroundings.environ, surroundings.home).state}/audit"


def list_relevant_hosts(surroundings: Surroundings) -> list[str]:
    """Returns the guarded hosts; where none is, those whose programs are installed, or else all that were proved."""
    guarded = [name for name in hosts.HOSTS if find_registrations(name, surroundings)]
    proven, path = list_proven_hosts(), surroundings.environ.get("PATH", os.defpath)
    return guarded or [name for name in proven if shutil.which(hosts.load_settings(name).PROGRAM, path=path)] or proven


def list_proven_hosts() -> list[str]:
    """Returns the hosts that were proved in their real clients. A codec that nobody has tried is installed by name alone."""
    return [name for name in hosts.HOSTS if load_capabilities(name).proof == "client"]


def select_hosts(host: str | None, every: bool, surroundings: Surroundings) -> list[str]:
    """Returns the named host, or each proven one whose program or folder is on this machine. Raises UsageError for neither, and
    for both."""
    if every is (host is not None):
        raise click.UsageError("name a host, or use --all")
    if host is not None:
        return [host]
    path = surroundings.environ.get("PATH", os.defpath)

    def is_installed(name: str) -> bool:
        return bool(shutil.which(hosts.load_settings(name).PROGRAM, path=path)) or os.path.isdir(
            hosts.load_places(name).own_folder(surroundings.home, surroundings.environ)
        )

    found = [name for name in list_proven_hosts() if is_installed(name)]
    if not found:
        raise click.UsageError(f"none of these is on this machine: {', '.join(list_proven_hosts())}")
    return found


def find_registrations(host: str, surroundings: Surroundings) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Returns the scopes whose settings register the gate, with its commands. In the home folder, two scopes may be one file."""
    from toolgate.install.wiring import find_registered_commands

    wiring = hosts.load_settings(host)
    scopes = {
        wiring.locate_settings(scope, surroundings.home, surroundings.project, surroundings.environ): scope
        for scope in reversed(wiring.SCOPES)
    }
    found = {}
    for path, scope in reversed(scopes.items()):
        try:
            with open(path, encoding="utf-8-sig") as file:
                commands = find_registered_commands(wiring, file.read())
        except (OSError, ValueError, RecursionError):
            continue  # the wiring check reports what is wrong with the file
        if commands:
            found[scope] = commands
    return found
