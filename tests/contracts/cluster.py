"""A PostgreSQL server for the length of a test run: real, on loopback, removed afterwards.

`REQUIRE_POSTGRES=1` makes a missing server a failure; without it, its tests are skipped.
"""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest

SECONDS = 60


class Cluster:
    """`url`: the address for the superuser, who owns the database."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.folder, self.programs = folder, programs
        self.port = _free_port()
        self.url = self.url_of("owner")

    def url_of(self, role: str, database: str = "postgres") -> str:
        return f"postgresql://{role}@127.0.0.1:{self.port}/{database}"

    def make(self) -> None:
        self._run("initdb", "-D", str(self.folder / "data"), "-U", "owner", "-A", "trust", "-E", "UTF8", "--no-sync")
        self.start()

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"
        self._run(
            "pg_ctl", "-D", str(self.folder / "data"), "-w", "-t", "30", "-l", str(self.folder / "log"), "-o", options, "start"
        )

    def kill(self) -> None:
        """Kills the server as a crash would: no connection is closed."""
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "-w", "stop")

    def _run(self, program: str, *words: str) -> None:
        command = [*_as_somebody(), str(self.programs / program), *words]
        # pg_ctl leaves its server with the descriptors that it had: a pipe would never end
        with open(self.folder / "said", "ab") as log:
            result = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, timeout=SECONDS, check=False, cwd="/"
            )
        assert result.returncode == 0, (self.folder / "said").read_text()


@contextmanager
def cluster() -> Iterator[Cluster]:
    programs = _programs()
    if programs is None:
        skip_or_fail("no PostgreSQL server can be found (apt-get install postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="toolgate-postgres-", dir="/tmp"))
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
    new_cluster = Cluster(folder, programs)
    new_cluster.make()
    try:
        yield new_cluster
    finally:
        new_cluster.kill()
        shutil.rmtree(folder, ignore_errors=True)


def skip_or_fail(reason: str) -> NoReturn:
    if os.environ.get("REQUIRE_POSTGRES") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def _programs() -> Path | None:
    """Finds the server's programs, which Debian keeps outside PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb")) + [Path(each) for each in [shutil.which("initdb")] if each]
    return found[-1].resolve().parent if found else None


def _as_somebody() -> Sequence[str]:
    """Returns the prefix that runs a command as another account, as the server refuses to run as root."""
    if os.geteuid() != 0:
        return ()
    return ("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--")


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port
