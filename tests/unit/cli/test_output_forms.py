"""Checks the page on JSON output: it lists every verb that prints JSON, in the form that is printed."""

import json
import sys
from pathlib import Path

import pytest

from toolgate.cli import main

sys.path.insert(0, str(Path(__file__).parents[3] / "docs"))
import output_page


def test_the_page_lists_every_command_with_json() -> None:
    assert set(output_page.FORMS) == output_page.commands_with_json()


RUNS: dict[str, tuple[str, ...]] = {
    "approvals": (),
    "audit verify": (),
    "check": ("ls",),
    "daemon status": (),
    "doctor": (),
    "explain": ("ls",),
    "install": ("claude-code", "--dry-run"),
    "lockout list": (),
    "policy check": (),
    "policy show": (),
    "prompt": (),
    "rules": (),
    "stats": (),
    "team show": (),
    "uninstall": ("claude-code", "--dry-run"),
    "undo": ("list",),
}


@pytest.mark.parametrize("name", RUNS)
def test_the_form_is_what_is_printed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    main([*name.split(), "--json", *RUNS[name]])
    printed = json.loads(capsys.readouterr().out)
    assert output_page.FORMS[name][0] == ("array" if isinstance(printed, list) else "object")
