"""Does this process run beneath an agent? What opens the gate is for a person's terminal alone.

Same user, same rights: an agent that cuts itself loose (a cleared environment, a process of its own) is not seen here. That
is a deliberate act, and the rules on the gate's own commands stand before it.
"""

import os
from collections.abc import Mapping

from toolgate.hosts import HOSTS, host

from . import processes

PROC = processes.PROC


def agent_above(environ: Mapping[str, str], pid: int | None = None, proc: str | None = None) -> str:
    """By what an agent shows above this process, for people; empty when none does."""
    programs = {}
    for name in HOSTS:
        traces = host(name).TRACES
        for variable in traces.variables:
            if environ.get(variable):
                return f"{variable} is set, as {name} sets it for what its agent runs"
        programs.update(dict.fromkeys(traces.programs, name))
    for ancestor in processes.ancestors(pid or os.getpid(), proc or PROC):
        for program in {*processes.names(ancestor, proc or PROC)} & programs.keys():
            return f"{programs[program]} runs above it (process {ancestor}, {program})"
    return ""
