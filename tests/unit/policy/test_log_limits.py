"""Tests `[audit] keep_days` and `keep_bytes`: who may limit how much of the log is kept."""

import json
from pathlib import Path

import pytest

from toolgate.model.rule import LOG_LIMITS, LogLimits
from toolgate.policy.strictness import stricter_policy
from unit.policy.layers import TABLE, Layers
from unit.sessions.simulated_client import client_in

SMALL, LARGE = '[audit]\nkeep_days = 7\nkeep_bytes = "10 MB"', "[audit]\nkeep_days = 365"


@pytest.fixture
def layers(tmp_path: Path) -> Layers:
    return Layers(tmp_path)


@pytest.mark.parametrize(
    ("organisation", "user", "limits"),
    [
        (None, None, LOG_LIMITS),
        (None, SMALL, LogLimits(7, 10**7)),
        (LARGE, SMALL, LogLimits(365, 10**7)),
        (SMALL, LARGE, LogLimits(7, 10**7)),
    ],
)
def test_the_organisation_is_final(layers: Layers, organisation: str | None, user: str | None, limits: LogLimits) -> None:
    layers.organisation, layers.user = organisation, user
    assert layers.load().log_limits == limits
    assert layers.load().log_limits == limits  # from the cache


def test_a_project_has_no_say(layers: Layers) -> None:
    layers.project = SMALL
    assert layers.load().log_limits == LOG_LIMITS


def test_a_change_does_not_apply_before_the_session_ends(layers: Layers) -> None:
    before = layers.load()
    layers.user = SMALL
    assert stricter_policy(TABLE, before, layers.load()).log_limits == LOG_LIMITS


@pytest.mark.parametrize("text", ["keep_days = 0", "keep_days = 9999", 'keep_bytes = "much"'])
def test_what_cannot_be_read_is_told(layers: Layers, text: str) -> None:
    layers.user = f"[audit]\n{text}"
    assert "audit" in layers.complaint()


def test_a_recorded_call_applies_the_limits(tmp_path: Path) -> None:
    client = client_in(tmp_path, SMALL)
    log = client.home / ".local" / "state" / "toolgate" / "audit"
    log.mkdir(parents=True, mode=0o700)
    (log / "2020-01-01.jsonl").write_text("{}\n")
    client.hook("PreToolUse", tool_name="Bash", tool_input={"command": "git status"}, tool_use_id="c1")
    (file,) = log.glob("*.jsonl")
    assert [json.loads(line).get("days") for line in file.read_text().splitlines()] == [["2020-01-01"], None]
