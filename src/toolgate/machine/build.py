"""The build of this installation. Client and engine of different builds never talk to each other: an upgrade has its own daemon.

A wheel names its build in a file, and the native client has the same name compiled in. A checkout has no such file: its code
changes under a running daemon, which checks it from time to time.
"""

import os

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD_FILE = f"{PACKAGE}/transport/BUILD"
CHECKOUT = "checkout".ljust(32, "-")


def installed_build() -> str:
    """Returns the name of the build: 32 characters."""
    try:
        with open(BUILD_FILE, encoding="ascii") as file:
            return file.read(32)
    except FileNotFoundError:
        return CHECKOUT


def digest_sources(package: str) -> str:
    """Returns the name of a build from these sources."""
    from hashlib import sha256

    digest = sha256()
    for path in _source_files(package):
        with open(path, "rb") as file:
            digest.update(os.path.relpath(path, package).encode() + b"\0" + sha256(file.read()).digest())
    return digest.hexdigest()[:32]


def code_stamp() -> tuple[object, ...]:
    """Returns a value that changes with the code: a daemon that started with another stamp is out of date."""
    files = [BUILD_FILE] if os.path.exists(BUILD_FILE) else _source_files(PACKAGE)
    return tuple(_file_stamp(path) for path in files)


def _file_stamp(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _source_files(package: str) -> list[str]:
    return sorted(
        os.path.join(folder, name)
        for folder, _, names in os.walk(package)
        for name in names
        if name.endswith((".py", ".c", ".inc", ".toml"))
    )
