"""Is it a person who says so? What the machine tells of where a yes comes from (law 6: a code alone is never enough).

Measured with the real client: what an agent schedules for later (`ScheduleWakeup`, `CronCreate`) comes as a prompt like any
other, word for word as the agent wrote it, in the same session and from the same process. What it does not do is press a key:
so a yes counts only shortly after somebody did, on the very terminal of the host; and a call that would schedule such words is
stopped by `gate.self-approval` before. Off when unsure, everywhere.
"""

from toolgate.machine import processes
from toolgate.machine.ancestry import agent_above
from toolgate.model.host import Host
from toolgate.model.request import Request

FRESH = 20.0  # seconds since a key was pressed; the kernel notes it to eight
NOT_TOLD = "the machine does not tell where it comes from"


def host_process(host: Host, request: Request) -> str:
    """The host that started this very call, as `number:start`; empty unless it is the process that the host names."""
    named = host.seat(request.environ).process
    return processes.identity(named) if named and request.pid and processes.parent(request.pid) == named else ""


def doubt(host: Host, request: Request) -> str:
    """Why a prompt is not taken for a person's own; empty where all of it says that it is one's."""
    if why := doubt_of_place(host, request):
        return why
    pressed = processes.pressed(processes.terminal(host.seat(request.environ).process))
    if pressed is None:
        return NOT_TOLD
    return "" if abs(request.now - pressed) <= FRESH else "nobody pressed a key at the client's terminal just now"


def doubt_of_place(host: Host, request: Request) -> str:
    """Why nothing that comes from this client would be taken for a person's word."""
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
