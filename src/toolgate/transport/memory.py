"""The memory limit of a process while it judges a call: beyond it an allocation fails, and the call is refused."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

MEMORY_BYTES = 240 << 20
"""Bytes of data, as counted by the kernel: with the program's own pages a process stays below 256 MB."""


@contextmanager
def limit_memory(size: int = MEMORY_BYTES) -> Iterator[None]:
    """Limits the memory of this process. Only Linux limits mapped memory, which Python uses; elsewhere nothing happens."""
    if sys.platform != "linux":
        yield
        return
    import resource

    before, most = resource.getrlimit(resource.RLIMIT_DATA)
    bounds = [limit for limit in (size, before, most) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min(bounds), most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, most))
