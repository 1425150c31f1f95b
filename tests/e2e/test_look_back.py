"""Looks back on a session of 200 calls in the real client with every verb: the planted calls are found."""

import csv
import json
import os
import re
import shutil
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from e2e.claude_session import TOOLGATE, Sandbox, bash, run_toolgate, turn
from toolgate.canary.scripted_server import ScriptedCall
from unit.audit.test_export import Collector
from unit.report.browser import open_browser

pytestmark = pytest.mark.e2e

CALLS = 200
CALLS_OF_A_TURN = 10
SECRET = "gh" + "p_" + "k3V9" * 9
PICTURES = os.environ.get("REPORT_PICTURES")
"""A folder for pictures of the report, for docs/."""
POLICY = '[rules."git.force-push"]\nverdict = "warn"\n'
DENIED = ("rm -rf ~", "find ~ -delete", "cat ~/.ssh/id_rsa", "echo x >> ~/.bashrc", "rm -rf /usr/lib")
NEAR = ("git push --force origin topic", "git push -f origin other")


def plan_calls(sandbox: Sandbox) -> list[ScriptedCall]:
    """Returns the calls of the session: an ordinary day, with the calls that are looked for afterwards."""
    project = sandbox.project
    planted = [
        *map(bash, DENIED * 2),
        *map(bash, NEAR),
        *(bash(f"false # {number}") for number in range(6)),
        *(bash(f"curl -s -H 'Authorization: Bearer {SECRET}' http://127.0.0.1:9/{number} || true") for number in range(4)),
        *(bash(f"rm -rf kept-{number}") for number in range(3)),
    ]
    ordinary = [
        each
        for number in range(CALLS)
        for each in (
            bash(f"echo {number} > made-{number}.txt"),
            bash(f"cat made-{number}.txt | wc -l"),
            ScriptedCall("Write", {"file_path": str(project / f"written-{number}.md"), "content": f"line {number}\n"}),
            bash(f"git status --short | head -{number + 1}"),
        )
    ]
    calls = ordinary[: CALLS - len(planted)]
    for number, each in enumerate(planted):
        calls.insert(7 * number + 3, each)
    return calls


class RecordedSession:
    """A session that has ended, and what `toolgate log -f` showed of it while it ran."""

    def __init__(self, sandbox: Sandbox, calls: list[ScriptedCall]) -> None:
        self.sandbox, self.calls = sandbox, calls
        self.followed: list[str] = []

    @property
    def audit(self) -> Path:
        return self.sandbox.home / ".local" / "state" / "toolgate" / "audit"

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return run_toolgate(self.sandbox, *words)

    def read(self, *words: str) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.run(*words).stdout.splitlines()]

    @contextmanager
    def follow(self) -> Iterator[None]:
        """Follows the log until every call was shown."""
        environ = {**os.environ, "HOME": str(self.sandbox.home), "PYTHONUNBUFFERED": "1"}
        command = [*TOOLGATE, "log", "-f", "--json"]
        with subprocess.Popen(command, cwd=self.sandbox.project, env=environ, stdout=subprocess.PIPE, text=True) as following:
            assert following.stdout is not None
            try:
                yield
                while len(self.followed) < len(self.calls):
                    self.followed.append(following.stdout.readline())
            finally:
                following.terminate()


def _wait_beyond_midnight() -> None:
    left = -time.time() % 86_400
    if left < 180:
        time.sleep(left + 1)


@pytest.fixture(scope="module")
def recorded_session(program: Path) -> Iterator[RecordedSession]:
    from e2e.conftest import SANDBOXES
    from toolgate.transport.running_daemons import find_daemons, stop_daemon

    _wait_beyond_midnight()  # the log of a day is a file
    root = SANDBOXES / f"look-back-{os.getpid()}"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    sandbox = Sandbox(root, program).prepare()
    try:
        policy = sandbox.home / ".config" / "toolgate" / "policy.toml"
        policy.parent.mkdir(parents=True)
        policy.write_text(POLICY)
        for number in range(3):
            (sandbox.project / f"kept-{number}").mkdir()
            (sandbox.project / f"kept-{number}" / "file").write_text("only here\n")
        assert run_toolgate(sandbox, "install", "claude-code").returncode == 0
        recorded = RecordedSession(sandbox, plan_calls(sandbox))
        turns = [recorded.calls[start : start + CALLS_OF_A_TURN] for start in range(0, CALLS, CALLS_OF_A_TURN)]
        with recorded.follow():
            assert len(sandbox.talk(*(turn(*uses) for uses in turns), seconds=400).results) == CALLS
        yield recorded
    finally:
        for daemon in find_daemons(str(sandbox.home / ".cache" / "toolgate" / "run")):
            stop_daemon(daemon)
        shutil.rmtree(root, ignore_errors=True)


def test_log_follows_every_call(recorded_session: RecordedSession) -> None:
    followed = [json.loads(line) for line in recorded_session.followed]
    recorded = recorded_session.read("log", "--json", "--last", "0")
    assert len({line["tool_use_id"] for line in followed}) == len(followed) == len(recorded) == CALLS
    assert [line["id"] for line in followed] == [line["id"] for line in recorded]
    assert Counter(line["tool"] for line in recorded) == Counter(each.tool for each in recorded_session.calls)
    commands = {each.input["command"] for each in recorded_session.calls if each.tool == "Bash" and SECRET not in str(each.input)}
    assert {line["operation"] for line in recorded if line["tool"] == "Bash" and line["exact"]} == commands


def test_each_planted_call_is_found_by_its_option(recorded_session: RecordedSession) -> None:
    denied = recorded_session.read("log", "--deny", "--last", "0", "--json")
    assert Counter(line["operation"] for line in denied) == dict.fromkeys(DENIED, 2)
    assert {line["operation"] for line in recorded_session.read("log", "--near", "--last", "0", "--json")} >= set(NEAR)
    assert [line["operation"] for line in recorded_session.read("log", "--rule", "git.force-push", "--json")] == list(NEAR)
    failed = [line for line in recorded_session.read("log", "--grep", "false #", "--json") if line["outcome"] == "failed"]
    assert len(failed) == 6


def test_why_explains_every_refusal(recorded_session: RecordedSession) -> None:
    for line in recorded_session.read("log", "--deny", "--last", "0", "--json"):
        output = recorded_session.run("why", str(line["id"])).stdout
        assert f"Bash was denied: {line['operation']}" in output
        rules = line["rules"]
        assert isinstance(rules, list)
        assert all(f"{each['verdict']:5} {each['rule']}: " in output for each in rules)
        assert re.search(r"under the policy at the time: (deny|ask) .*\n  under the current policy:     \1 ", output)


def test_stats_counts_what_was_planted(recorded_session: RecordedSession) -> None:
    found = json.loads(recorded_session.run("stats", "--json").stdout)
    assert (found["records"], found["torn"], found["sessions"], found["failed_closed"]) == (CALLS, 0, 1, {})
    assert found["verdicts"]["deny"] == 2 * len(DENIED)
    assert sum(found["verdicts"].values()) == CALLS
    assert (found["failed"], found["redacted"]) == (6 + len(NEAR), 4)  # there is no remote to push to
    assert found["retries"] == len(DENIED)
    assert found["undo_copies"] >= 3


def test_no_file_of_the_gate_holds_the_secret(recorded_session: RecordedSession) -> None:
    files = [path for path in recorded_session.sandbox.home.rglob("*") if path.is_file() and "toolgate" in path.parts]
    assert files
    assert not [path for path in files if SECRET[4:].encode() in path.read_bytes()]


def change_lines(change: Callable[[list[bytes]], list[bytes]]) -> Callable[[Path], None]:
    def apply(file: Path) -> None:
        file.write_bytes(b"".join(change(file.read_bytes().splitlines(keepends=True))))

    return apply


def relabel(line: bytes) -> bytes:
    return line.replace(b'"verdict":"deny"', b'"verdict":"pass"')


FAULTS: dict[str, tuple[Callable[[Path], None], str]] = {
    "a byte": (change_lines(lambda lines: [*lines[:80], lines[80].replace(b'"', b"'", 1), *lines[81:]]), ":81"),
    "a verdict": (
        change_lines(lambda lines: list(map(relabel, lines))),
        "altered",
    ),
    "a line cut": (change_lines(lambda lines: [*lines[:50], *lines[51:]]), "record 51 is missing"),
    "lines swapped": (change_lines(lambda lines: [*lines[:9], lines[10], lines[9], *lines[11:]]), "out of order"),
    "a line repeated": (change_lines(lambda lines: [*lines[:5], *lines[4:]]), "is here again"),
    "a line put in": (change_lines(lambda lines: [*lines[:5], b'{"verdict":"pass"}\n', *lines[5:]]), "no place in the chain"),
    "the newest cut": (change_lines(lambda lines: lines[:-3]), "the newest are missing"),
    "the file": (lambda file: file.unlink(), "the newest are missing"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_verify_finds_each_planted_fault(recorded_session: RecordedSession, tmp_path: Path, fault: str) -> None:
    assert recorded_session.run("audit", "verify").returncode == 0
    plant, message = FAULTS[fault]
    copy = tmp_path / "state" / "audit"
    shutil.copytree(recorded_session.audit, copy)
    (file,) = copy.glob("*.jsonl")
    plant(file)
    environ = {**os.environ, "HOME": str(tmp_path), "TOOLGATE_HOME": str(tmp_path)}
    result = subprocess.run([*TOOLGATE, "audit", "verify"], env=environ, capture_output=True, text=True, check=False)
    assert (result.returncode, message in result.stdout) == (1, True), result.stdout


def test_only_a_checkpoint_shows_a_chain_that_ends_early(recorded_session: RecordedSession, tmp_path: Path) -> None:
    kept_folder = tmp_path / "kept"
    kept_folder.write_text(recorded_session.run("audit", "checkpoint").stdout)
    copy = tmp_path / "state" / "audit"
    shutil.copytree(recorded_session.audit, copy)
    (file,) = copy.glob("*.jsonl")
    change_lines(lambda lines: lines[:-3])(file)
    (copy / "chain.head").unlink()
    environ = {**os.environ, "HOME": str(tmp_path), "TOOLGATE_HOME": str(tmp_path)}

    def verify(*words: str) -> str:
        return subprocess.run(
            [*TOOLGATE, "audit", "verify", *words], env=environ, capture_output=True, text=True, check=False
        ).stdout

    assert "whether the newest records were removed cannot be told" in verify()
    assert "the newest records are missing" in verify("--checkpoint", str(kept_folder))


def test_replay_against_a_stricter_policy(recorded_session: RecordedSession, tmp_path: Path) -> None:
    draft = tmp_path / "draft.toml"
    draft.write_text('[rules."git.force-push"]\nverdict = "deny"\n')
    *groups, total = recorded_session.read("replay", "--json", "--policy", str(draft))
    assert (total["calls"], total["sessions"], total["indeterminate"]) == (CALLS, 1, {})
    assert [(each["change"], each["rule"], each["calls"]) for each in groups] == [("newly stopped", "git.force-push", len(NEAR))]
    assert recorded_session.run("replay", "--policy", str(draft), "--max-new-stops", "1").returncode == 1
    *groups, total = recorded_session.read("replay", "--json", "--policy", str(draft), "--audit")
    assert [(each["change"], each["rule"], each["calls"]) for each in groups] == [("newly stopped", "git.force-push", len(NEAR))]
    unread = total["indeterminate"]
    assert isinstance(unread, dict)
    assert total["calls"] == CALLS - sum(unread.values())
    assert unread["unreadable: its text was redacted or cut, or was not recorded in full"] >= 4


def test_suggest_reads_the_session_and_frees_nothing(recorded_session: RecordedSession) -> None:
    result = recorded_session.run("policy", "suggest")
    assert result.stdout.startswith(f"# {CALLS} calls judged, 0 approved by you, {2 * len(DENIED)} refused."), result.stderr
    assert "# Relax" not in result.stdout


def test_every_export_holds_every_call(recorded_session: RecordedSession, tmp_path: Path) -> None:
    from pyarrow.parquet import read_table

    heading, *rows = csv.reader(recorded_session.run("audit", "export", "--csv").stdout.splitlines())
    assert Counter(row[heading.index("verdict")] for row in rows)["deny"] == 2 * len(DENIED)
    assert len(rows) == CALLS
    findings = recorded_session.read("audit", "export", "--ocsf")
    assert sum(each["disposition"] == "Blocked" for each in findings) == 2 * len(DENIED)
    assert recorded_session.run("audit", "export", "--parquet", str(tmp_path / "audit.parquet")).returncode == 0
    assert read_table(tmp_path / "audit.parquet").num_rows == CALLS
    collector = Collector()
    thread = threading.Thread(target=collector.server.serve_forever)
    thread.start()
    try:
        assert recorded_session.run("audit", "export", "--otlp", collector.url).stdout.startswith(f"{CALLS} records sent")
    finally:
        collector.server.shutdown()
        thread.join()
        collector.server.server_close()
    assert len(collector.spans) == len(collector.logs) == CALLS


def test_the_report_and_the_live_page_show_the_session(recorded_session: RecordedSession, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    assert recorded_session.run("report", str(report)).stdout == f"{CALLS} calls of 1 session, in {report}\n"
    assert SECRET[4:] not in report.read_text()
    environ = {**os.environ, "HOME": str(recorded_session.sandbox.home), "PYTHONUNBUFFERED": "1"}
    serving = subprocess.Popen([*TOOLGATE, "ui"], env=environ, stdout=subprocess.PIPE, text=True)
    with open_browser(tmp_path / "browser") as page, serving as ui:
        assert ui.stdout is not None
        address = ui.stdout.readline().strip()
        try:
            for width in (1280, 390):
                for name, target in (("report", report.as_uri()), ("ui", address)):
                    page.open_address(target, width, dark=width == 390)
                    page.wait("document.querySelectorAll('.chart canvas').length == 2")
                    assert page.run("document.querySelector('.figures dd').textContent") == str(CALLS)
                    assert page.run("document.documentElement.scrollWidth") <= width
                    page.run("document.querySelector('details.session').open = true")
                    page.wait("document.querySelectorAll('details.session details').length > 0")
                    assert page.messages == []
                    if PICTURES:
                        page.run("document.querySelector('details.session').open = false; scrollTo(0, 0)")
                        page.save_picture(Path(PICTURES) / f"{name}-{width}.png")
        finally:
            ui.terminate()
