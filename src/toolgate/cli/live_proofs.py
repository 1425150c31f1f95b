"""Proves each host's gate in its real client. A part of `toolgate doctor` and of `toolgate install --all`."""

import os
import shutil
from collections.abc import Iterator, Mapping

from toolgate import hosts
from toolgate.machine.environment import find_folders

from .progress import show_progress
from .surroundings import Surroundings
from .tier import TRUSTED_SCOPES, Check, find_registrations, list_relevant_hosts, print_check


def check_live_hosts(surroundings: Surroundings, *, client: str) -> Iterator[Check]:
    for name in list_relevant_hosts(surroundings):
        yield from _iter_proofs(name, surroundings, client)


def _iter_proofs(name: str, surroundings: Surroundings, client: str) -> Iterator[Check]:
    """Yields a proof of each registered command, once."""
    from toolgate.canary import Trial, load_proof
    from toolgate.hosts.capabilities import load_capabilities
    from toolgate.install import own_command

    about, scopes = f"canary of {name}", find_registrations(name, surroundings)
    if load_capabilities(name).proof == "documents":
        yield Check(about, "note", "known from documents alone: nobody has proved that a deny denies in this client")
        return
    if not scopes:
        yield Check(about, "note", "nothing is registered that could be proved")
    for command in dict.fromkeys(command for commands in scopes.values() for command in commands):
        named = " and ".join(scope for scope, commands in scopes.items() if command in commands)
        if command != own_command() and all(command not in scopes.get(scope, ()) for scope in TRUSTED_SCOPES):
            statement = f"{command[0]} of the {named} settings is not started: whoever wrote the project may have put it there"
            yield Check(about, "note", statement, f"toolgate install {name}")
            continue
        with show_progress("starting the client") as progress:
            proof = load_proof(name)(
                Trial(
                    command, client, surroundings.environ, find_folders(surroundings.environ, surroundings.home).cache, progress
                )
            )
        statement = f"the gate of the {named} settings: {proof.told}"
        yield Check(about, "fine" if proof.holds else "wrong", statement, proof.remedy)
        if proof.rows:
            yield _tabulate_rows(name, proof.rows)


def _tabulate_rows(name: str, rows: Mapping[str, str]) -> Check:
    """Returns the host's table: each thing that was tried in the client, and what came of it."""
    from toolgate.canary import ROWS

    table = {statement: rows[row] for row, statement in ROWS.items() if row in rows}
    held = sum(outcome == "held" for outcome in table.values())
    if held == len(table):
        return Check(f"table of {name}", "fine", "everything that was tried is held", rows=table)
    return Check(f"table of {name}", "note", f"{held} of {len(table)} are held", f"docs/hosts/{name}.md says why", table)


def prove_hosts(surroundings: Surroundings) -> int:
    """Prints the proof of each guarded host whose client is on this machine. Returns 1 where one fails, else 0."""
    path = surroundings.environ.get("PATH", os.defpath)
    present = [name for name in list_relevant_hosts(surroundings) if shutil.which(hosts.load_settings(name).PROGRAM, path=path)]
    checks = [check for name in present for check in _iter_proofs(name, surroundings, "")]
    for check in checks:
        print_check(check)
    return 1 if any(check.state == "wrong" for check in checks) else 0
