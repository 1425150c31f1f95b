"""The private machine for every test that needs it."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from unit.install.private_machine import Private, demand_namespaces


@pytest.fixture
def private_machine() -> Iterator[Private]:
    demand_namespaces()
    with tempfile.TemporaryDirectory() as scratch:  # another account does not get into pytest's own folders
        Path(scratch).chmod(0o755)
        yield Private(Path(scratch))
