"""Every call is answered, whatever it is and wherever it leads, and no other call waits for it."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from faults.child import is_refusal, is_silence
from faults.clients import Gate, open_gate, wait_until, workers

MOST = 256 << 20
MEGABYTE = 1_000_000

linux = pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")
mounts = pytest.mark.skipif(
    not os.access("/dev/fuse", os.R_OK | os.W_OK) or os.geteuid() != 0, reason="only root can mount a file system here"
)


@contextmanager
def mount_hanging(folder: Path) -> Iterator[Path]:
    """Mounts a folder in which every access hangs."""
    folder.mkdir()
    words = [sys.executable, "-S", str(Path(__file__).parent / "hung_mount.py"), str(folder)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        if server.stdout.readline() != b"mounted\n":
            pytest.skip("no file system can be mounted here")
        yield folder
        server.stdin.close()


@linux
@mounts
def test_a_file_system_that_hangs_stops_nobody_else(impatient_gate: Gate) -> None:
    """Four calls wait for it, and are refused in the end; the same daemon answers a fifth before any of them."""
    impatient_gate.ask("ls")
    master = impatient_gate.daemon()
    wait_until(lambda: "ready" in impatient_gate.log() and len(workers(master)) == 2)
    with mount_hanging(impatient_gate.child.root / "hung") as folder, ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(impatient_gate.ask, f"cat {folder}/file{n}") for n in range(4)]
        wait_until(lambda: len(workers(master)) == 5)
        assert is_silence(impatient_gate.ask("ls -l"))
        assert not any(each.done() for each in waiting)
        assert all(is_refusal("PreToolUse", each.result()) for each in waiting)
        assert impatient_gate.daemons() == [master]
    wait_until(lambda: len(workers(master)) == 2)


LARGE = {
    "a command": lambda: {"command": "echo " + "key=" * (20 * MEGABYTE // 4)},
    "a path": lambda: {"command": "rm -rf " + "a/" * 100_000},
    "words": lambda: {"command": "echo" + " x" * 5 * MEGABYTE},
    "a Write": lambda: {"file_path": "x.txt", "content": "hello world, some text here\n" * (50 * MEGABYTE // 28)},
    "a Write of names": lambda: {"file_path": "x.txt", "content": "key=" * (10 * MEGABYTE // 4)},
    "a Write in wide characters": lambda: {"file_path": "x.txt", "content": "\U0001f600" + "x" * 50 * MEGABYTE},
    "an Edit": lambda: {"file_path": "x.txt", "old_string": "a" * 10 * MEGABYTE, "new_string": "key=" * (10 * MEGABYTE // 4)},
    "many arguments": lambda: {f"k{n}": "v" for n in range(1_000_000)},
    "deep": lambda: {"command": "(" * MEGABYTE},
}


@linux
@pytest.mark.parametrize("what", LARGE)
def test_a_worker_stays_within_its_memory(tmp_path: Path, what: str) -> None:
    table = LARGE[what]()
    tool = "Bash" if "command" in table else "Edit" if "old_string" in table else "Write" if "content" in table else "mcp__a__b"
    peaks: dict[int, int] = {}
    with open_gate(tmp_path, "native") as gate:
        gate.ask("ls")
        master = gate.daemon()
        wait_until(lambda: "ready" in gate.log() and len(workers(master)) == 2)
        call = {**json.loads(gate.payload("ls")), "tool_name": tool, "tool_input": table}
        over = threading.Event()

        def watch() -> None:
            while not over.wait(0.01):
                for pid in workers(master):
                    peaks[pid] = max(peaks.get(pid, 0), _peak(pid))

        watching = threading.Thread(target=watch)
        watching.start()
        answer = gate.child.run(gate.client.words(), json.dumps(call, ensure_ascii=False).encode())
        over.set()
        watching.join()
        assert answer.code in (0, 2)
        assert max(peaks.values()) <= MOST
        assert is_silence(gate.ask("ls"))


def _peak(pid: int) -> int:
    """Returns the peak memory of a process."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024 if "VmHWM:" in status else 0
