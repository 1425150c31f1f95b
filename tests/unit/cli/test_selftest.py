"""`toolgate test` and `toolgate doctor --selftest` where a grammar is not installed."""

import subprocess
import sys

import pytest

WITHOUT_GRAMMARS = """
import sys
for module in ("tree_sitter", "tree_sitter_javascript", "tree_sitter_typescript", "tree_sitter_powershell", "tree_sitter_python"):
    sys.modules[module] = None
from toolgate.cli import main
main(sys.argv[1:])
"""


@pytest.mark.parametrize("command", [("test",), ("doctor", "--selftest")])
def test_shipped_cases_without_grammars_are_skipped_with_a_message(command: tuple[str, ...]) -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_GRAMMARS, *command], capture_output=True, text=True, check=False)
    for grammar in ("tree_sitter_javascript", "tree_sitter_powershell", "tree_sitter_python"):
        assert f"they need {grammar}, which is not installed here" in done.stdout, done.stdout[-2000:]
    assert " 0 failed" in done.stdout if command == ("test",) else "please report it" not in done.stdout
