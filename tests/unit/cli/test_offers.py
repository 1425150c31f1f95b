"""Tests the prepared answers of `toolgate approve`."""

from toolgate.cli.approve import build_offers
from toolgate.consent.approvals import Request
from toolgate.consent.patterns import Target

RULE = "filesystem.write-outside-project"


def request(*paths: str) -> Request:
    targets = tuple(Target(RULE, "Write", path) for path in paths)
    return Request("", "", (RULE,), "", "Bash", "x", "/", "/", "claude-code", "s", "", "", "", 0.0, 1.0, "", targets=targets)


def test_the_folder_is_offered_for_the_session_and_the_project() -> None:
    found = build_offers(request("/data/out/site/a.html", "/data/out/site/b/c.html"))
    assert list(found) == ["session", "project"]
    assert (
        found["session"].told
        == f"for this session, any call that {RULE} alone stops, where it does the same (Write) in /data/out/site"
    )
    assert found["project"].told.startswith("for 30 days in this project, ")
    assert found["session"].alike == (Target(RULE, "Write", "/data/out/site/**"),)


def test_nothing_is_offered_where_it_would_cover_a_home_or_is_not_known() -> None:
    assert build_offers(request("/home/dev/a.txt")) == {}
    assert build_offers(request("/home/dev/a/x", "/home/dev/b/x")) == {}
    assert build_offers(request("")) == {}
    assert build_offers(request()) == {}
