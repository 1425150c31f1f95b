"""Does this process run beneath an agent? What opens the gate is for a person's terminal alone.

Same user, same rights: an agent that cuts itself loose (a cleared environment, a process of its own) is not seen here. That
is a deliberate act, and the rules on the gate's own commands stand before it.
"""

import os
from collections.abc import Iterator, Mapping

from toolgate.hosts import HOSTS, host

PROC = "/proc"


def agent_above(environ: Mapping[str, str], pid: int | None = None, proc: str | None = None) -> str:
    """By what an agent shows above this process, for people; empty when none does."""
    programs = {}
    for name in HOSTS:
        traces = host(name).TRACES
        for variable in traces.variables:
            if environ.get(variable):
                return f"{variable} is set, as {name} sets it for what its agent runs"
        programs.update(dict.fromkeys(traces.programs, name))
    for ancestor, names in _ancestors(pid or os.getpid(), proc or PROC):
        for program in names & programs.keys():
            return f"{programs[program]} runs above it (process {ancestor}, {program})"
    return ""


def _ancestors(pid: int, proc: str) -> Iterator[tuple[int, set[str]]]:
    """Every process above `pid` with the names it goes by, as far as the machine tells (Linux does)."""
    seen = {pid}
    while (pid := _parent(pid, proc)) > 0 and pid not in seen:
        seen.add(pid)
        yield pid, {*_names(pid, proc)}


def _parent(pid: int, proc: str) -> int:
    try:
        with open(f"{proc}/{pid}/stat", "rb") as file:
            # "pid (name) state parent ...": a name may hold anything, brackets too
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return 0


def _names(pid: int, proc: str) -> Iterator[str]:
    """The name it gave itself, and the program it was started as; of `node /x/claude.js`, that too."""
    for source in ("comm", "cmdline"):
        try:
            with open(f"{proc}/{pid}/{source}", "rb") as file:
                words = file.read(4096).decode(errors="replace").rstrip("\n").split("\0")[:2]
        except OSError:
            continue
        for word in words:
            yield word.rpartition("/")[2].partition(".")[0]
