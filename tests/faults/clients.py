"""The client, native and in Python, with any engine, and with deadlines that a test can wait for."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from hatch_build import BARE, LIBRARY, compiled

from faults.child import Child, HookResult
from toolgate.machine import build

TWIN = Path(build.PACKAGE) / "transport" / "twin.py"
WAYS = {"native": (BARE,), "library": LIBRARY}
"""How the client in C is built: as on Linux here, and as elsewhere."""
KINDS = (*WAYS, "twin")
WAIT = 30.0  # seconds that anything may take


@dataclass
class Client:
    """A client in a folder of its own. `engine`: what it uses as its Python."""

    kind: str
    folder: Path
    deadline: float = 2.0
    patience: float = 1.0
    build: str = build.CHECKOUT
    engine: Path = field(default_factory=lambda: Path(sys.executable))

    def words(self, event: str = "PreToolUse", host: str = "claude-code") -> list[str]:
        if self.kind in WAYS:
            return [str(self._compile_native()), host, event]
        program = (
            f"import sys; sys.path.insert(0, {str(TWIN.parent)!r}); sys.executable = {str(self.engine)!r}; import twin; "
            f"twin.DEADLINE, twin.PATIENCE = {self.deadline}, {self.patience}; twin.main(sys.argv[1:])"
        )
        return [sys.executable, "-I", "-S", "-c", program, host, event]

    def _compile_native(self) -> Path:
        program = self.folder / "toolgate-hook"
        if not program.exists():
            self.folder.mkdir(exist_ok=True)
            shutil.copy(compile_client(self.kind, self.deadline, self.patience, self.build), program)
            (self.folder / "toolgate").write_text(f"#!{self.engine}\n")
        return program


@lru_cache
def compile_client(kind: str, deadline: float, patience: float, name: str) -> Path:
    """Compiles a client, once for all tests of a process that need the same."""
    target = Path(os.environ["PYTEST_NATIVE"]) / f"{kind}-{deadline}-{patience}-{name}"
    times = (f"-DDEADLINE_MS={int(deadline * 1000)}", f"-DPATIENCE_MS={int(patience * 1000)}")
    found = compiled(target, name, *times, ways=WAYS[kind])
    if found is None:
        pytest.skip("no C compiler")  # REQUIRE_NATIVE makes that an error before the first test
    return found


@dataclass
class Gate:
    """A home with a client for it."""

    child: Child
    client: Client

    @property
    def run(self) -> Path:
        return self.child.root / "gate" / "run"

    def ask(self, command: str, event: str = "PreToolUse", **options: Any) -> HookResult:
        return self.child.run(self.client.words(event), self.payload(command, event), **options)

    def payload(self, command: str, event: str = "PreToolUse") -> bytes:
        more = {"tool_response": {"stdout": "x", "stderr": ""}} if event == "PostToolUse" else {}
        return self.child.payload(command, event, **{"session_id": "", **more})  # of no session: nothing is counted

    def is_right(self, answer: HookResult, command: str, event: str = "PreToolUse") -> bool:
        """Returns whether the answer is the one that the gate gives without client and daemon."""
        return answer == self.child.call(self.payload(command, event), event)

    def engine(self, text: str) -> None:
        """Makes this shell script the program that the client starts."""
        program = self.child.root / "engine"
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)
        self.client.engine = program
        if self.client.kind in WAYS:
            self.client.words()
            (self.client.folder / "toolgate").write_text(f"#!{program}\n")

    def engine_with(self, patch: str) -> None:
        """Makes the client start the real engine after these lines of Python."""
        (self.child.root / "patch.py").write_text(patch)
        start = f"exec(open('{self.child.root}/patch.py').read()); from toolgate.transport.engine import main; main()"
        self.engine(f'shift 6; exec {sys.executable} -I -X utf8 -c "{start}" "$@"')

    def daemons(self) -> list[int]:
        """Returns the processes that hold a lock, or that a lock names and that still run."""
        texts = (
            [lock.read_text().partition(" ")[0] for lock in self.run.glob("*.lock") if lock.is_file()]
            if self.run.is_dir()
            else []
        )
        return [int(text) for text in texts if text.isdigit() and _is_engine(int(text))]

    def daemon(self) -> int:
        """Returns the running daemon, or the one that is starting, once it is ready for calls."""
        wait_until(lambda: len(self.daemons()) == 1 and any(self.run.glob("*.sock")))
        return self.daemons()[0]

    def log(self) -> str:
        return "".join(log.read_text() for log in self.run.glob("*.log"))

    def end(self) -> None:
        wait_until(lambda: not any(_kill_group(pid) for pid in self.daemons()))


def _kill_group(pid: int) -> bool:
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    return True


def _is_engine(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return state != "Z" and b"toolgate.transport.engine" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def wait_until(holds: Any) -> None:
    for _ in range(int(WAIT / 0.02)):
        if holds():
            return
        time.sleep(0.02)
    raise AssertionError("it never came about")


def workers(master: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(master)], capture_output=True, text=True, check=False).stdout
    return [int(word) for word in found.split()]


@contextmanager
def open_gate(root: Path, kind: str, **client: Any) -> Iterator[Gate]:
    gate = Gate(Child(root), Client(kind, root / "bin", **client))
    try:
        yield gate
    finally:
        gate.end()
