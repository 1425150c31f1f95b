"""Tests where toolgate keeps its files: the caller's environment decides, and every variable is on the generated page."""

import re
from pathlib import Path

import pytest

import toolgate
from toolgate.machine.environment import VARIABLES, Folders, find_folders


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        (
            {},
            Folders(
                "/etc/toolgate",
                "/h/.config/toolgate",
                "/h/.local/state/toolgate",
                "/h/.cache/toolgate",
                "/h/.cache/toolgate/run",
            ),
        ),
        (
            {"XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s/", "XDG_CACHE_HOME": "relative", "XDG_RUNTIME_DIR": "/run/user/1"},
            Folders("/etc/toolgate", "/c/toolgate", "/s/toolgate", "/h/.cache/toolgate", "/run/user/1/toolgate"),
        ),
        ({"TOOLGATE_HOME": "/g/"}, Folders("/g/organisation", "/g", "/g/state", "/g/cache", "/g/run")),
        ({"TOOLGATE_HOME": "relative", "XDG_CONFIG_HOME": "/c"}, None),
    ],
)
def test_folders(environ: dict[str, str], expected: Folders | None) -> None:
    assert find_folders(environ, "/h") == (expected or find_folders({"XDG_CONFIG_HOME": "/c"}, "/h"))


def test_every_variable_of_ours_is_listed() -> None:
    """Our own variables, and those that the designs define."""
    source = Path(toolgate.__file__).parent
    ours = re.compile(r"[\"']((?:TOOLGATE|NOUS|CLAUDE_SAFETY)_[A-Z_]+)[\"']")
    assert {name for path in source.rglob("*.py") for name in ours.findall(path.read_text())} == set(VARIABLES)
