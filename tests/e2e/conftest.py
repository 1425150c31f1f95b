"""Creates a fresh home and project for every conversation, and keeps observations for the page about the host."""

import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from e2e import clients
from e2e.claude_session import Sandbox, run_toolgate
from toolgate.transport.running_daemons import find_daemons, stop_daemon

ROOT = Path(__file__).parents[2]
OBSERVATIONS = ROOT / ".cache" / "e2e"
SANDBOXES = ROOT / "build" / "e2e"
Observe = Callable[..., None]


@pytest.fixture(scope="session")
def program() -> Path:
    return clients.claude_code()


@pytest.fixture
def sandbox(program: Path) -> Iterator[Sandbox]:
    """Yields a sandbox outside /tmp, since the gate treats files there as disposable, and in no folder with a leading dot, since
    the client may guard those."""
    SANDBOXES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=SANDBOXES, ignore_cleanup_errors=True) as root:  # a client may still be writing
        sandbox = Sandbox(Path(root), program).prepare()
        yield sandbox
        for daemon in find_daemons(str(sandbox.home / ".cache" / "toolgate" / "run")):  # it would write where all is taken away
            stop_daemon(daemon)


@pytest.fixture
def gated_sandbox(sandbox: Sandbox) -> Sandbox:
    """A sandbox whose client `toolgate install` has put behind the gate."""
    installation = run_toolgate(sandbox, "install", "claude-code")
    assert installation.returncode == 0, installation.stderr
    return sandbox


@pytest.fixture(scope="session")
def observe(program: Path) -> Observe:
    """`observe(topic, row, **columns)` records one line of a table in docs/hosts/claude-code.md."""
    return make_observer("claude-code", program)


def make_observer(host: str, program: Path) -> Observe:
    """Returns a function that records lines for a host's page."""
    seen = OBSERVATIONS / host
    seen.mkdir(parents=True, exist_ok=True)
    (seen / "version.json").write_text(json.dumps(clients.version(program)))

    def note(topic: str, row: str, **columns: object) -> None:
        folder = seen / topic
        folder.mkdir(exist_ok=True)
        name = "".join(char if char.isalnum() else "-" for char in row)
        (folder / f"{name}.json").write_text(json.dumps({"row": row, **columns}))

    return note
