"""Checks whether a person gave an approval, by what the machine knows about its origin (law 6: a code alone is never enough).

Measured with the real client: what an agent schedules for later (`ScheduleWakeup`, `CronCreate`) arrives as a prompt like any
other, word for word as the agent wrote it, in the same session and from the same process. But it presses no key: so an approval
counts only shortly after a key press on the host's own terminal; and `gate.self-approval` stops a call that would schedule such
words. When unsure, no approval counts.
"""

from toolgate.machine import processes
from toolgate.machine.ancestry import agent_above
from toolgate.model.host import Host
from toolgate.model.request import Request

FRESH = 20.0  # seconds since a key was pressed; the kernel records it to within eight
NOT_TOLD = "the machine does not tell where it comes from"


def host_process(host: Host, request: Request) -> str:
    """Returns the host that started this call, as `number:start`; empty unless it is the process that the host names."""
    named = host.seat(request.environ).process
    return processes.identity(named) if named and request.pid and processes.parent(request.pid) == named else ""


def doubt(host: Host, request: Request) -> str:
    """Returns why a prompt does not count as a person's own; empty where all evidence says that it is."""
    if why := doubt_of_place(host, request):
        return why
    pressed = processes.pressed(processes.terminal(host.seat(request.environ).process))
    if pressed is None:
        return NOT_TOLD
    return "" if abs(request.now - pressed) <= FRESH else "nobody pressed a key at the client's terminal just now"


def doubt_of_place(host: Host, request: Request) -> str:
    """Returns why no prompt from this client can count as a person's own."""
    seat = host.seat(request.environ)
    if seat.attended is not True:
        return "nobody sits at this client's terminal"
    if not host_process(host, request):
        return "it does not come from the client by itself"
    if not processes.terminal(seat.process):
        return "the client has no terminal"
    started_with = processes.environment(seat.process)
    if started_with is None:
        return NOT_TOLD
    above = agent_above(started_with, seat.process)
    return f"the client runs beneath an agent ({above})" if above else ""
