from pathlib import Path

import pytest

from unit.policy.layers import Layers


@pytest.fixture
def layers(tmp_path: Path) -> Layers:
    return Layers(tmp_path)
