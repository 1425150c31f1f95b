"""Checks whether a person gave an approval, by what the machine knows about its origin (law 6: a code alone is never enough).

Measured with the real client: what an agent schedules for later (`ScheduleWakeup`, `CronCreate`) arrives as a prompt like any
other, word for word as the agent wrote it, in the same session and from the same process. But it presses no key: so an approval
counts only shortly after a key press on the host's own terminal; and `gate.self-approval` stops a call that would schedule such
words. When unsure, no approval counts.
"""

from toolgate.machine import processes
from toolgate.machine.ancestry import describe_agent_above
from toolgate.model.host import Host
from toolgate.model.request import Request

MAX_KEY_AGE = 20.0  # seconds since a key was pressed; the kernel records it to within eight
UNKNOWN_ORIGIN = "the machine does not tell where it comes from"


def find_host_process(host: Host, request: Request) -> str:
    """Returns the host that started this call, as `number:start`; empty unless it is the process that the host names."""
    named = host.read_seat(request.environ).process
    return processes.identity_of(named) if named and request.pid and processes.parent_of(request.pid) == named else ""


def find_doubt(host: Host, request: Request) -> str:
    """Returns why a prompt does not count as a person's own; empty where all evidence says that it is."""
    if why := find_place_doubt(host, request):
        return why
    pressed = processes.last_key_press(processes.terminal_of(host.read_seat(request.environ).process))
    if pressed is None:
        return UNKNOWN_ORIGIN
    return "" if abs(request.now - pressed) <= MAX_KEY_AGE else "nobody pressed a key at the client's terminal just now"


def find_place_doubt(host: Host, request: Request) -> str:
    """Returns why no prompt from this client can count as a person's own."""
    seat = host.read_seat(request.environ)
    if seat.attended is not True:
        return "nobody sits at this client's terminal"
    if not find_host_process(host, request):
        return "it does not come from the client by itself"
    if not processes.terminal_of(seat.process):
        return "the client has no terminal"
    started_with = processes.environment_of(seat.process)
    if started_with is None:
        return UNKNOWN_ORIGIN
    above = describe_agent_above(started_with, seat.process)
    return f"the client runs beneath an agent ({above})" if above else ""
