"""Detection of an agent among this process's ancestors. Commands that open the gate are for a person's terminal only.

An agent has the same user and rights: one that detaches itself (cleared environment, new process) is not detected here. That
is a deliberate act, which the rules on the gate's own commands stop.
"""

import os
from collections.abc import Mapping

from toolgate.hosts import HOSTS, load_host

from . import processes

PROC = processes.PROC


def find_agent_session(environ: Mapping[str, str], proc: str | None = None) -> str:
    """Returns the id of the session whose agent runs this process; empty if no host tells.

    It is read where the host set it, in the environment of the outermost ancestor that has one: an agent cannot change that of a
    process above its command. Where no ancestor's environment can be read, the process's own is used."""
    names = [name for host in HOSTS if (name := load_host(host).TRACES.session)]
    found = [environ.get(name, "") for name in names]
    for ancestor in processes.iter_ancestors(os.getpid(), proc or PROC):
        if variables := processes.environment_of(ancestor, proc or PROC):
            found = [each for name in names if (each := variables.get(name, ""))] or found
    return next(filter(None, found), "")


def describe_agent_above(environ: Mapping[str, str], pid: int | None = None, proc: str | None = None) -> str:
    """Describes how an agent above this process shows, for people; empty if none does."""
    programs = {}
    for name in HOSTS:
        traces = load_host(name).TRACES
        for variable in traces.variables:
            if environ.get(variable):
                return f"{variable} is set, as {name} sets it for what its agent runs"
        programs.update(dict.fromkeys(traces.programs, name))
    for ancestor in processes.iter_ancestors(pid or os.getpid(), proc or PROC):
        for program in {*processes.names_of(ancestor, proc or PROC)} & programs.keys():
            return f"{programs[program]} runs above it (process {ancestor}, {program})"
    return ""
