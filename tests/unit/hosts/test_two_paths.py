"""A call that names two files does not tell which of them its tool uses."""

import pytest

from toolgate.hosts import load_host
from toolgate.model.action import WriteFile
from toolgate.model.errors import BadPayload


def test_two_names_for_two_files_cannot_be_read() -> None:
    copilot = load_host("copilot")
    with pytest.raises(BadPayload, match="two files"):
        copilot.parse_action("create", {"path": ".squad/x", "file_path": "/etc/passwd", "file_text": ""}, "/p")
    assert copilot.parse_action("create", {"path": "a", "file_path": "a", "file_text": ""}, "/p") == WriteFile("a", "")
