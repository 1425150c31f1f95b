"""The process that a client starts if no daemon answers: `main` answers the client's request, and may then become the daemon.

The client is at the other end of descriptor 0 and takes a complete answer or none; any failure here becomes its refusal. It has
removed everything of the host: environment, descriptors, directory, signals.
"""

import gc
import os
import sys
from typing import TYPE_CHECKING, NoReturn

from toolgate.machine.build import installed_build

from . import frames
from .deadline import MARGIN_SECONDS, Deadline
from .memory import limit_memory

if TYPE_CHECKING:
    from toolgate.app import App

WRONG_BUILD = 3
LOCK = 3  # a descriptor


def main() -> NoReturn:
    """Runs in a mode: `once`, or `unanswered` if the daemon did not answer; `stay` and `serve` with the daemon's lock and
    listening socket as descriptors 3 and 4, `serve` without a request."""
    how, build, folder, name = sys.argv[1:]
    if build != installed_build():
        os._exit(WRONG_BUILD)
    if how in ("stay", "serve"):
        _sign_lock(build)
    gc.disable()
    app = None if how == "serve" else _answer_request(build)
    if how in ("stay", "serve") and _can_become_daemon():
        from .daemon import DaemonPlace, run_daemon

        run_daemon(app, DaemonPlace(folder, name), build)
    if how == "unanswered":
        from .daemon import DaemonPlace
        from .running_daemons import kill_unresponsive

        kill_unresponsive(DaemonPlace(folder, name))
    os._exit(0)


def _sign_lock(build: str) -> None:
    """Writes into the lock who holds it, so that a hung daemon can be found and killed."""
    try:
        os.ftruncate(LOCK, 0)
        os.pwrite(LOCK, f"{os.getpid()} {build}\n".encode(), 0)
    except OSError:
        pass  # full disk: a hung daemon then has to be killed by hand


def _answer_request(build: str) -> "App":
    deadline = Deadline(lambda: os._exit(1))  # the client refuses on its own
    request, left = frames.receive_request(0, build, os.getppid())
    deadline.start(left - MARGIN_SECONDS)
    from toolgate.app import App

    app = App()
    with limit_memory():
        answer = app.handle(request)
    deadline.cancel()
    frames.write_all(0, frames.pack_reply(build, answer))
    os.dup2(1, 0)  # the null device, so that the client can close
    if deadline.passed:
        os._exit(1)  # interrupted at any point, the process is unfit for another call
    return app


def _can_become_daemon() -> bool:
    """Returns whether the process has no resource limits of its caller, which would apply to every later call."""
    import resource

    least = {
        **dict.fromkeys(
            (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_DATA, resource.RLIMIT_FSIZE), resource.RLIM_INFINITY
        ),
        resource.RLIMIT_NOFILE: 64,
        resource.RLIMIT_STACK: 1 << 20,
    }
    current_limits = {limit: resource.getrlimit(limit)[0] for limit in least}
    return all(current_limits[limit] == resource.RLIM_INFINITY or 0 <= least[limit] <= current_limits[limit] for limit in least)
