"""Gates with each kind of client."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from faults.clients import KINDS, Gate, open_gate


@pytest.fixture(scope="session", autouse=True)
def _native_clients(tmp_path_factory: pytest.TempPathFactory) -> None:
    os.environ["PYTEST_NATIVE"] = str(tmp_path_factory.mktemp("native"))


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def gate(tmp_path: Path, kind: str) -> Iterator[Gate]:
    """A gate as it is installed."""
    with open_gate(tmp_path, kind) as gate:
        yield gate


@pytest.fixture
def impatient_gate(tmp_path: Path, kind: str) -> Iterator[Gate]:
    """A gate with deadlines that a test can wait for."""
    with open_gate(tmp_path, kind, deadline=2.5, patience=0.3) as gate:
        yield gate


@pytest.fixture(params=["PreToolUse", "PostToolUse"])
def event(request: pytest.FixtureRequest) -> str:
    return str(request.param)
