"""A gate in a home of its own with a running daemon, and the programs that measure it."""

import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from measuring import ONE, request_for

from toolgate.install import own_command
from toolgate.machine import build
from toolgate.model.request import Request
from toolgate.transport import frames
from toolgate.transport.running_daemons import RunningDaemon, find_daemons

HERE = Path(__file__).parent
CALL = ("claude-code", "PreToolUse")
TWIN = (sys.executable, "-I", "-S", f"{build.PACKAGE}/transport/client.py")


@dataclass(frozen=True)
class Gate:
    """`folder`: the home; calls come from the project below it."""

    folder: Path

    @property
    def project(self) -> Path:
        return self.folder / "project"

    @property
    def environ(self) -> dict[str, str]:
        return {"HOME": str(self.folder), "TOOLGATE_HOME": str(self.folder / "gate"), "PATH": os.environ["PATH"]}

    @property
    def run(self) -> Path:
        return self.folder / "gate" / "run"

    def payload(self, command: str = ONE) -> Path:
        path = self.folder / "payload.json"
        path.write_bytes(request_for(command, self.project).payload)
        return path

    def prepare(self) -> "Gate":
        (self.project).mkdir(parents=True)
        subprocess.run(["git", "init", "--quiet", str(self.project)], check=True)
        for client in (own_command(), TWIN):
            subprocess.run([*client, *CALL], input=self.payload().read_bytes(), env=self.environ, check=True)
        for _ in range(500):
            if sum("ready" in log.read_text() for log in self.run.glob("*.log")) == len({own_command(), TWIN}):
                return self
            time.sleep(0.02)
        raise AssertionError("no daemon came")

    def daemon(self) -> RunningDaemon:
        """Returns the daemon of the registered client, which was started first."""
        return min(find_daemons(str(self.run)), key=lambda each: each.since)

    def cold_environment(self) -> dict[str, str]:
        """Returns an environment whose folder for sockets is open to others: no daemon is asked, and none is started."""
        (self.folder / "cold" / "run").mkdir(parents=True, exist_ok=True)
        (self.folder / "cold" / "run").chmod(0o755)
        return {**self.environ, "TOOLGATE_HOME": str(self.folder / "cold")}

    def frame(self, command: str = ONE) -> bytes:
        """Returns a request as the client sends it."""
        return frame(request_for(command, self.project), self.environ, self.daemon().build)

    def stop_daemons(self) -> None:
        for each in find_daemons(str(self.run)):
            os.killpg(each.pid, signal.SIGKILL)


def frame(request: Request, environ: Mapping[str, str], name: str) -> bytes:
    variables = "".join(f"{key}={value}\0" for key, value in environ.items())
    parts = [part.encode() for part in (request.host, request.event, request.cwd, variables)] + [request.payload]
    head = frames.QUESTION.pack(b"TGQ1", name.encode(), int(time.time() * 1e6), os.getuid(), 8000, *map(len, parts))
    return head + b"".join(parts)


def program(name: str, folder: Path) -> Path:
    """Compiles one of the C programs beside this file, dynamically linked."""
    target = folder / name
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-o", str(target), str(HERE / f"{name}.c")], check=True)
    return target


Figures = dict[str, list[float]]


def rounds(count: int, folder: Path, gate: Gate, environ: Mapping[str, str], **variants: Sequence[str]) -> Figures:
    """Returns the milliseconds of each variant in each round; the programs are started in turn."""
    return _rounds(count, folder, gate, environ, variants)[0]


def rounds_on_cpu(count: int, folder: Path, gate: Gate, environ: Mapping[str, str], **variants: Sequence[str]) -> Figures:
    """Returns the milliseconds of processor time of each variant in each round."""
    return _rounds(count, folder, gate, environ, variants)[1]


def _rounds(
    count: int, folder: Path, gate: Gate, environ: Mapping[str, str], variants: Mapping[str, Sequence[str]]
) -> tuple[Figures, Figures]:
    file = folder / "variants"
    file.write_text("".join("\t".join(("0", *words)) + "\n" for words in variants.values()))
    words = [str(program("harness", folder)), str(count), str(gate.payload()), str(file)]
    result = subprocess.run(words, env=dict(environ), capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    wall: Figures = {name: [] for name in variants}
    cpu: Figures = {name: [] for name in variants}
    for line in result.stdout.splitlines():
        _, turn, took, worked = line.split()
        wall[list(variants)[int(turn)]].append(float(took) / 1000)
        cpu[list(variants)[int(turn)]].append(float(worked) / 1000)
    return wall, cpu


def format_median(figures: Mapping[str, Sequence[float]], name: str) -> str:
    return f"{statistics.median(figures[name]):.2f} ms"


def workers(daemon: RunningDaemon) -> list[int]:
    folders = (folder for folder in Path("/proc").iterdir() if folder.name.isdigit())
    return [int(folder.name) for folder in folders if _parent(folder) == daemon.pid]


def _parent(folder: Path) -> int:
    try:
        return int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def on_cpu(pids: Sequence[int]) -> float:
    """Returns the milliseconds of processor time that these processes have used, to the nanosecond."""
    return sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for pid in pids) / 1e6


def memory(daemon: RunningDaemon) -> float:
    """Returns the megabytes of the daemon and its workers; shared pages count once."""
    rollups = [Path(f"/proc/{pid}/smaps_rollup").read_text() for pid in (daemon.pid, *workers(daemon))]
    return sum(int(text.partition("Pss:")[2].split()[0]) for text in rollups) / 1024
