"""Tests tools that nobody described: what their arguments and their names say."""

import pytest

from toolgate.tools.acts import find_act, is_scheduling
from toolgate.tools.arguments import MAX_LEAVES, read_arguments


def list_findings(server: str, tool: str, arguments: dict[str, object]) -> list[tuple[str, tuple[str, ...]]]:
    return [(finding.role, finding.values) for finding in read_arguments(server, tool, arguments)]


@pytest.mark.parametrize(
    ("server", "tool", "arguments", "expected"),
    [
        ("acme", "run", {"sql": "select 1"}, [("run", ("psql", "-c", "select 1"))]),
        ("acme", "do", {"a": {"b": [{"shell": "ls"}]}}, [("shell", ("ls", ""))]),
        ("redis", "command", {"args": ["GET", "x"]}, [("run", ("redis-cli", "-h", "a-host-that-the-server-knows", "GET", "x"))]),
        ("x", "start", {"command": "rm", "args": ["-rf", "/"]}, [("shell", ("rm", "")), ("run", ("rm", "-rf", "/"))]),
        ("x", "start", {"cmd": ["npm", "test"]}, [("run", ("npm", "test"))]),
        ("x", "eval", {"language": "python", "code": "1"}, [("run", ("python3", "-c", "1"))]),
        ("x", "fetch", {"url": "https://a.example/"}, [("connect", ("https://a.example/",))]),
        (
            "x",
            "request",
            {"url": "http://a.example/", "method": "DELETE"},
            [("run", ("curl", "-X", "DELETE", "http://a.example/"))],
        ),
        ("x", "attach", {"attachment": "~/a"}, [("path", ("~/a", "keyed", ""))]),
        ("x", "attach", {"thing": "/etc/hosts"}, [("path", ("/etc/hosts", "shaped", ""))]),
        ("x", "create", {"body": "/etc/hosts", "title": "DROP TABLE x", "prompt": "rm -rf /"}, []),
        ("notion", "search", {"query": "drop table users"}, []),
        ("x", "create_file", {"code": "import os; os.remove('x')"}, []),
    ],
)
def test_arguments_are_read_by_key_and_shape(
    server: str, tool: str, arguments: dict[str, object], expected: list[object]
) -> None:
    assert list_findings(server, tool, arguments) == expected


def test_more_arguments_than_the_gate_reads_are_told() -> None:
    assert list_findings("x", "y", {"a": list(range(MAX_LEAVES + 1))})[-1][0] == "unread"


@pytest.mark.parametrize(
    ("tool", "arguments", "kind", "is_severe"),
    [
        ("delete_project", {}, "deletes", True),
        ("droplet-destroy", {}, "deletes", True),
        ("scale", {"action": "destroy"}, "deletes", True),
        ("create_payout", {}, "pays", True),
        ("invite_member", {}, "grants", True),
        ("update_repository", {"visibility": "public"}, "opens", True),
        ("deploy", {"target": "preview"}, "deploys", False),
        ("deploy", {"target": "production"}, "deploys", True),
        ("merge_pull_request", {}, "merges", True),
        ("merge_contacts", {}, "merges", False),
        ("stop_instances", {}, "stops", True),
    ],
)
def test_a_verb_makes_an_act(tool: str, arguments: dict[str, object], kind: str, is_severe: bool) -> None:
    act = find_act("server", tool, arguments)
    assert act is not None
    assert (act.kind, act.is_severe) == (kind, is_severe)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_deleted_items", {}),
        ("list_projects", {"filter": "production"}),
        ("search_code", {"q": "delete_project"}),
        ("delete_comment", {}),
        ("browser_click", {"element": "Delete"}),
        ("create_issue", {"title": "delete production"}),
        ("stop_recording", {}),
        ("create_merge_request", {"target_branch": "main"}),
    ],
)
def test_a_tool_that_reads_or_does_little_makes_none(tool: str, arguments: dict[str, object]) -> None:
    assert find_act("server", tool, arguments) is None


def test_what_runs_later_is_scheduling() -> None:
    assert is_scheduling("add_cron_job", {"command": "x"})
    assert is_scheduling("schedule_task", {"prompt": "x"})
    assert not is_scheduling("list_cron_jobs", {})
    assert not is_scheduling("schedule_meeting", {"title": "x"})
