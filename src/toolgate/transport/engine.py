"""What a client starts where no daemon answers: `main` answers the client's one request, and may become the daemon then.

The client is at the other end of descriptor 0 and takes a whole answer or none; whatever goes wrong here is its refusal. It has
seen to it that nothing of the host's is left: no environment, no descriptors, no directory, no signals.
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
    """How: `once`, or `unanswered` where the daemon left the request lying; `stay` and `serve` with the daemon's lock and
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
    """Whoever finds the daemon hung knows by this whom to end."""
    try:
        os.ftruncate(LOCK, 0)
        os.pwrite(LOCK, f"{os.getpid()} {build}\n".encode(), 0)
    except OSError:
        pass  # a full disk: one that hangs then has to be ended by hand


def _answered(build: str) -> "App":
    deadline = Deadline(lambda: os._exit(1))  # the client refuses by itself
    request, left = frames.received(0, build, os.getppid())
    deadline.begin(left - MARGIN)
    from toolgate.app import App

    app = App()
    with bounded_memory():
        answer = app.handle(request)
    deadline.over()
    frames.send(0, frames.reply(build, answer))
    os.dup2(1, 0)  # the null device: the client may go
    if deadline.passed:
        os._exit(1)  # interrupted anywhere, this process is no good for another call
    return app


def _is_fit() -> bool:
    """Limits of the caller's would hold for all that come after it: such a process is no daemon."""
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
