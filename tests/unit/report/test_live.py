"""Tests `toolgate ui`: which requests are answered, and what a real browser shows."""

import http.client
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from toolgate.audit.sinks import jsonl
from unit.report.browser import Page, axe_core, open_browser
from unit.report.logs import HOSTILE, call, denied_call, nearly_stopped, write_log
from unit.report.test_in_browser import WIDTHS

TOOLGATE = [sys.executable, "-m", "toolgate"]
DATA = ("/report", "/events")
STATIC = ("/", "/ui.js", "/report.js", "/report.css", "/uPlot.iife.min.js", "/uPlot.min.css")


class LiveReport(NamedTuple):
    folder: Path
    address: str
    token: str

    @property
    def url(self) -> str:
        return f"http://{self.address}/#{self.token}"

    def ask(self, path: str, method: str = "GET", **headers: str) -> tuple[int, Mapping[str, str], str]:
        connection = http.client.HTTPConnection(self.address, timeout=60)
        try:
            all_headers = {
                "Authorization": f"Bearer {self.token}",
                **{name.replace("_", "-"): value for name, value in headers.items()},
            }
            connection.request(method, path, headers=all_headers)
            answer = connection.getresponse()
            body = answer.readline().decode() if path == "/events" and answer.status == 200 else answer.read().decode()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, body
        finally:
            connection.close()

    def append(self, record: Mapping[str, object]) -> None:
        folder = str(self.folder / ".home" / "state" / "audit")
        assert jsonl.append_record(folder, "2026-11-23", json.dumps(record)) == ""


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "HOME": str(folder), "TOOLGATE_HOME": str(folder / ".home"), "PYTHONUNBUFFERED": "1"}


@contextmanager
def serve(folder: Path) -> Iterator[LiveReport]:
    with subprocess.Popen([*TOOLGATE, "ui"], cwd=folder, env=environment(folder), stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        found = re.fullmatch(r"http://(127\.0\.0\.1:\d+)/#([\w-]{43})\n", server.stdout.readline())
        assert found
        try:
            yield LiveReport(folder, found[1], found[2])
        finally:
            server.terminate()


@pytest.fixture(scope="module")
def live_report(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveReport]:
    """A page on 120 calls of one session, and a call that waits for an answer."""
    folder = tmp_path_factory.mktemp("home")
    records = [denied_call(n) if n % 50 == 7 else nearly_stopped(n) if n % 40 == 3 else call(n) for n in range(120)]
    write_log(folder / ".home" / "state" / "audit", records)
    with serve(folder) as found:
        yield found


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with open_browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


# ---- who is answered


@pytest.mark.parametrize("path", DATA)
def test_data_needs_the_token(live_report: LiveReport, path: str) -> None:
    assert live_report.ask(path)[0] == 200
    for wrong in (
        "",
        "Bearer ",
        f"Bearer {live_report.token[:-1]}",
        f"Bearer {live_report.token}x",
        live_report.token,
        "Bearer \xe9",
    ):
        status, _, body = live_report.ask(path, Authorization=wrong)
        assert (status, body) == (403, "The address is not complete: use the whole address that toolgate ui printed.")
    assert live_report.ask(f"{path}?token={live_report.token}", Authorization="")[0] == 403


@pytest.mark.parametrize("path", STATIC)
def test_what_needs_no_token_holds_nothing_of_the_log(live_report: LiveReport, path: str) -> None:
    status, _, body = live_report.ask(path, Authorization="")
    assert status == 200
    assert not any(text in body for text in ("folder-1", "filesystem.delete-protected", live_report.token))


@pytest.mark.parametrize("path", [*STATIC, *DATA])
def test_another_host_name_origin_or_method_is_refused(live_report: LiveReport, path: str) -> None:
    port = live_report.address.partition(":")[2]
    for host in ("evil.example", f"evil.example:{port}", f"localhost:{port}", "127.0.0.1", f"127.0.0.1:{int(port) ^ 1}", ""):
        assert live_report.ask(path, Host=host)[0] == 421
    for origin in ("http://evil.example", "null", f"https://{live_report.address}", f"http://{live_report.address}.evil.example"):
        assert live_report.ask(path, Origin=origin)[0] == 403
    assert live_report.ask(path, Origin=f"http://{live_report.address}")[0] == 200
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT"):
        assert live_report.ask(path, method)[0] == 405


@pytest.mark.parametrize("path", [*STATIC, *DATA, "/nowhere"])
def test_headers_shut_other_pages_out(live_report: LiveReport, path: str) -> None:
    for origin in ({}, {"Origin": "http://evil.example"}):
        _, headers, _ = live_report.ask(path, **origin)
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert (headers["x-content-type-options"], headers["cache-control"]) == ("nosniff", "no-store")
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert not [name for name in headers if name.startswith("access-control")]
        assert "server" not in headers


def test_a_file_that_is_not_listed_is_not_served(live_report: LiveReport) -> None:
    for path in ("/../report.js", "/%2e%2e/live.py", "/report.html.j2", "/approve", "/approvals", "//etc/passwd"):
        assert live_report.ask(path)[0] == 404


def test_an_agent_is_refused(tmp_path: Path) -> None:
    result = subprocess.run(
        [*TOOLGATE, "ui"], env={**environment(tmp_path), "CLAUDECODE": "1"}, capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stdout) == (77, "")
    assert "an agent may not serve the records of other sessions" in result.stderr


def test_a_port_that_is_taken_is_an_error_with_its_cause(live_report: LiveReport, tmp_path: Path) -> None:
    port = live_report.address.partition(":")[2]
    result = subprocess.run(
        [*TOOLGATE, "ui", "--port", port], env=environment(tmp_path), capture_output=True, text=True, check=False
    )
    assert (result.returncode, f"port {port} cannot be used" in result.stderr) == (1, True)


# ---- in the browser


def wait_for_figures(page: Page) -> None:
    page.wait("document.querySelectorAll('.chart canvas').length == 2")
    page.wait("document.getElementById('connection').textContent == 'Live'")


def ask_for_approval(folder: Path) -> str:
    """Makes a call that waits for an answer. Returns the id of its request."""
    (folder / ".home" / "policy.toml").write_text('[rules."git.force-push"]\nverdict = "ask"\n')
    payload = {"session_id": "s", "cwd": str(folder), "hook_event_name": "PreToolUse", "tool_name": "Bash"}
    tool_input = {**payload, "permission_mode": "bypassPermissions", "tool_input": {"command": "git push --force origin <b>main"}}
    environ = {**environment(folder), "CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}
    hook = [*TOOLGATE, "hook", "claude-code", "PreToolUse"]
    subprocess.run(hook, input=json.dumps(tool_input), cwd=folder, env=environ, capture_output=True, text=True, check=False)
    result = subprocess.run([*TOOLGATE, "approvals", "--json"], env=environ, capture_output=True, text=True, check=True)
    return str(json.loads(result.stdout)["requests"][0]["id"])


@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_shows_the_figures_new_calls_and_requests(page: Page, live_report: LiveReport, width: int) -> None:
    id_ = ask_for_approval(live_report.folder)
    page.open_address(live_report.url, width, dark=width == 390)
    wait_for_figures(page)
    assert page.run("document.querySelectorAll('#live-list details').length") == 0
    for number in range(3):
        live_report.append(denied_call(1000 + number))
    page.wait("document.querySelectorAll('#live-list details').length == 3")
    page.run("document.querySelector('#live-list details').open = true")
    page.wait("document.querySelector('#live-list dd') !== null")
    assert "Delete in home" in page.run("document.querySelector('#live-list').innerText")
    assert page.run("document.getElementById('live-status').textContent") == "3 calls since this page was opened."
    inbox = page.run("document.getElementById('requests').innerText")
    assert f"toolgate approve {id_}" in inbox
    assert "git push --force origin <b>main" in inbox
    assert page.run("document.querySelectorAll('#requests b, #requests button, form[action]').length") == 0
    before = page.run("Number(document.querySelector('.figures dd').textContent)")
    page.run("document.getElementById('update').click()")
    page.wait(f"Number(document.querySelector('.figures dd').textContent) == {before + 3}")
    page.run("document.querySelector('[data-rule]').click()")
    page.wait("document.querySelectorAll('#call-list details').length > 0")
    assert page.run("document.documentElement.scrollWidth") <= width
    page.run(axe_core() + "; undefined")
    found = page.run("axe.run().then(found => JSON.stringify(found.violations.map(each => [each.id, each.nodes[0].html])))")
    assert json.loads(found) == []
    assert page.messages == []
    assert {url.split("/")[2] for url in page.requested if url.startswith("http")} == {live_report.address}
    assert not [url for url in page.requested if url.startswith("http") and live_report.token in url.partition("#")[0]]


def test_hostile_records_are_shown_as_text(page: Page, live_report: LiveReport) -> None:
    page.open_address(live_report.url, 390)
    wait_for_figures(page)
    fields = dict.fromkeys(("tool", "operation", "reason", "session", "agent", "verdict", "undo", "failure"), HOSTILE)
    live_report.append(call(2000, **fields, rules=[{"rule": HOSTILE, "verdict": HOSTILE}]))
    page.wait("document.querySelectorAll('#live-list details').length == 1")
    page.run("document.querySelector('#live-list details').open = true")
    page.wait("document.querySelector('#live-list dd') !== null")
    page.run("document.getElementById('update').click()")
    page.wait("document.querySelectorAll('[aria-labelledby=sessions] details').length > 1")
    assert "<img src=x onerror=" in page.run("document.getElementById('live-list').innerText")
    assert page.run("document.images.length") == 0
    assert "taken" not in page.run("document.title")
    assert page.messages == []


def test_without_the_token_the_page_shows_nothing(page: Page, live_report: LiveReport) -> None:
    page.open_address(f"http://{live_report.address}/", 390)
    page.wait("document.getElementById('connection').textContent.startsWith('The address is not complete')")
    assert page.run("document.getElementById('report').children.length") == 0


def test_the_page_says_when_the_server_has_ended(page: Page, tmp_path: Path) -> None:
    with serve(tmp_path) as short:
        page.open_address(short.url, 390)
        page.wait("document.getElementById('connection').textContent == 'Live'")
    page.wait("document.getElementById('connection').textContent.startsWith('The connection is lost')")
