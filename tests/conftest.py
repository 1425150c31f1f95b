"""Settings that every test shares: how many examples properties try, and that a missing program fails where it is required."""

import ctypes
import gc
import os
import shutil
import sys

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("default", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(
    "fuzz",
    deadline=None,
    print_blob=True,
    max_examples=int(os.environ.get("FUZZ_EXAMPLES", "2000")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("default")

PROMISED = {
    "REQUIRE_SHELLS": ("bash", "dash", "zsh"),
    "REQUIRE_CLIENTS": ("node", "npm", "tmux"),
    "REQUIRE_NATIVE": ("gcc",),
    "REQUIRE_BROWSER": ("chromium", "npm"),
}


ROOTS = ("/etc", "/usr", "/run", "/var/lib")
_NEW_MOUNTS, _READ_ONLY, _REMOUNT, _BIND, _RECURSIVE, _PRIVATE = 0x20000, 0x1, 0x20, 0x1000, 0x4000, 0x40000


def keep_the_machine() -> None:
    """Makes the machine's own folders read-only for root's tests and everything that they start. What root would install is tried
    on a copy (unit/install/private_machine.py), so a mistake ends in an error and not in /etc. Where root may not mount, those
    tests are skipped.
    """
    if sys.platform != "linux" or os.geteuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_NEW_MOUNTS) or libc.mount(b"none", b"/", None, _RECURSIVE | _PRIVATE, None):
        return
    for folder in (each.encode() for each in ROOTS):
        if libc.mount(folder, folder, None, _BIND | _RECURSIVE, None):
            raise pytest.UsageError(f"{folder.decode()} cannot be kept from the tests: {os.strerror(ctypes.get_errno())}")
        if libc.mount(b"none", folder, None, _REMOUNT | _BIND | _READ_ONLY, None):
            raise pytest.UsageError(f"{folder.decode()} cannot be kept from the tests: {os.strerror(ctypes.get_errno())}")


def pytest_configure(config: pytest.Config) -> None:
    """`.ci/run` sets the REQUIRE variables: without the programs, tests would be skipped silently.

    Garbage is collected rarely: 20,000 tests stay in memory, and scanning them takes a third of the collection time.
    """
    gc.set_threshold(50_000, 20, 100)
    for variable, programs in PROMISED.items():
        missing = [program for program in programs if os.environ.get(variable) == "1" and shutil.which(program) is None]
        if missing:
            raise pytest.UsageError(f"{variable}=1, but {', '.join(missing)} cannot be found")
    if os.environ.get("PYTEST_KEPT") != str(os.getppid()):  # a worker of xdist is where its controller is
        keep_the_machine()
        os.environ["PYTEST_KEPT"] = str(os.getpid())
