"""Tests the places from which a user trusts packages."""

from pathlib import Path

import pytest

from toolgate.api import Context, Gate, Verdict

TRUSTED = """
[rules."packages.odd-source".options]
trusted = ["*.corp.example"]
"""


@pytest.mark.parametrize(
    ("index", "verdict"),
    [("https://pypi.corp.example/simple", Verdict.PASS), ("https://corp.example.io/simple", Verdict.ASK)],
)
def test_a_trusted_place_is_none(index: str, verdict: Verdict, tmp_path: Path) -> None:
    (tmp_path / "toolgate").mkdir(mode=0o700)
    (tmp_path / "toolgate" / "policy.toml").write_text(TRUSTED)
    context = Context(project=str(tmp_path), home=str(tmp_path), environ={"XDG_CONFIG_HOME": str(tmp_path)})
    decision = Gate(context=context).judge("Bash", {"command": f"pip install --index-url {index} x"})
    assert decision.verdict is verdict
