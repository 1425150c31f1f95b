"""Tests `toolgate test` and `toolgate doctor --selftest` without an installed grammar."""

import subprocess
import sys

import pytest

WITHOUT_GRAMMARS = """
import sys
for language in ("javascript", "typescript", "powershell", "python", "ruby", "php", "lua", "perl", "go"):
    sys.modules[f"tree_sitter_{language}"] = None
sys.modules["tree_sitter"] = None
from toolgate.cli import main
main(sys.argv[1:])
"""


@pytest.mark.parametrize("command", [("test",), ("doctor", "--selftest")])
def test_shipped_cases_without_grammars_are_skipped_with_a_message(command: tuple[str, ...]) -> None:
    result = subprocess.run([sys.executable, "-c", WITHOUT_GRAMMARS, *command], capture_output=True, text=True, check=False)
    for language in ("javascript", "powershell", "python", "ruby", "perl", "go"):
        assert f"they need tree_sitter_{language}, which is not installed here" in result.stdout, result.stdout[-2000:]
    assert " 0 failed" in result.stdout if command == ("test",) else "please report it" not in result.stdout
