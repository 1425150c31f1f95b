"""The process that a client starts if no daemon answers: `main` answers the client's request, and may then become the daemon.

The client is at the other end of descriptor 0 and takes a complete answer or none; any failure here becomes its refusal. It has
removed everything of the host: environment, descriptors, directory, signals.
"""

import gc
import os
import sys
from typing import TYPE_CHECKING, NoReturn

from toolgate.machine.build import installed

from . import frames
from .deadline import MARGIN, Deadline
from .memory import bounded_memory

if TYPE_CHECKING:
    from toolgate.app import App

WRONG_BUILD = 3
LOCK = 3  # a descriptor


def main() -> NoReturn:
    """Run in a mode: `once`, or `unanswered` if the daemon did not answer; `stay` and `serve` with the daemon's lock and
    listening socket as descriptors 3 and 4, `serve` without a request."""
    how, build, folder, name = sys.argv[1:]
    if build != installed():
        os._exit(WRONG_BUILD)
    if how in ("stay", "serve"):
        _sign_lock(build)
    gc.disable()
    app = None if how == "serve" else _answered(build)
    if how in ("stay", "serve") and _is_fit():
        from .daemon import Place, become

        become(app, Place(folder, name), build)
    if how == "unanswered":
        from .daemon import Place
        from .running import relieve

        relieve(Place(folder, name))
    os._exit(0)


def _sign_lock(build: str) -> None:
    """Write into the lock who holds it, so that a hung daemon can be found and killed."""
    try:
        os.ftruncate(LOCK, 0)
        os.pwrite(LOCK, f"{os.getpid()} {build}\n".encode(), 0)
    except OSError:
        pass  # full disk: a hung daemon then has to be killed by hand


def _answered(build: str) -> "App":
    deadline = Deadline(lambda: os._exit(1))  # the client refuses on its own
    request, left = frames.received(0, build, os.getppid())
    deadline.begin(left - MARGIN)
    from toolgate.app import App

    app = App()
    with bounded_memory():
        answer = app.handle(request)
    deadline.over()
    frames.send(0, frames.reply(build, answer))
    os.dup2(1, 0)  # the null device, so that the client can close
    if deadline.passed:
        os._exit(1)  # interrupted at any point, the process is unfit for another call
    return app


def _is_fit() -> bool:
    """Tell whether the process has no resource limits of its caller, which would apply to every later call."""
    import resource

    least = {
        **dict.fromkeys(
            (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_DATA, resource.RLIMIT_FSIZE), resource.RLIM_INFINITY
        ),
        resource.RLIMIT_NOFILE: 64,
        resource.RLIMIT_STACK: 1 << 20,
    }
    given = {limit: resource.getrlimit(limit)[0] for limit in least}
    return all(given[limit] == resource.RLIM_INFINITY or 0 <= least[limit] <= given[limit] for limit in least)
