"""Tests the log's exports: CSV in which nothing is a formula, and OTLP to a real collector."""

import csv
import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from py_ocsf_models.events.findings.detection_finding import DetectionFinding
from pyarrow.parquet import read_table

from toolgate.audit.comma_separated import COLUMNS, escape_formula, write_csv
from toolgate.audit.parquet import SCHEMA
from unit.report.logs import HOSTILE, call, denied_call, nearly_stopped, write_log

FORMULAS = (
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "=cmd|'/C calc'!A0",
    "\t=1",
    "\r=1",
    " =1",
    "\n=1",
    "\uff1d1+1",
    '=HYPERLINK("http://x")',
)


def run(folder: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "HOME": str(folder), "TOOLGATE_HOME": str(folder / ".home"), **more}
    return subprocess.run(
        [sys.executable, "-m", "toolgate", "audit", "export", *words],
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_row_holds_the_record(tmp_path: Path) -> None:
    write_log(tmp_path / ".home" / "state" / "audit", [call(0), denied_call(1)])
    heading, first, second = csv.reader(io.StringIO(run(tmp_path, "--csv").stdout))
    assert tuple(heading) == COLUMNS
    assert dict(zip(heading, first, strict=True))["operation"] == "ls -la folder-0"
    row = dict(zip(heading, second, strict=True))
    assert (row["verdict"], row["rules"], row["effects"]) == ("deny", "deny filesystem.delete-protected", "Delete in home")
    assert row["microseconds"] == "401"


@pytest.mark.parametrize("text", FORMULAS)
@pytest.mark.parametrize("field", ["operation", "tool", "session", "rules", "effects"])
def test_no_cell_is_a_formula(field: str, text: str) -> None:
    value: Any = [{"rule": "", "verdict": text, "kind": text}] if field in ("rules", "effects") else text
    file = io.StringIO()
    write_csv([call(0, **{field: value})], file)
    cells = list(csv.reader(io.StringIO(file.getvalue())))[1]
    assert not [cell for cell in cells if cell[:1] in set("=+-@\t\r\n\uff1d") or cell.lstrip().startswith("=")]


@pytest.mark.parametrize("text", ["ls -la", "a=b", "2 + 2", "", "--", "user@host"])
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert escape_formula(text) == (f"'{text}" if text.startswith("-") else text)


def test_a_broken_line_is_left_out_and_control_characters_are_written_out() -> None:
    file = io.StringIO()
    assert write_csv([{}, call(0, operation=HOSTILE)], file) == 1
    assert not {"\x1b", "\u202e", "\u2028"} & set(file.getvalue())


class Collector:
    """An OTLP collector over HTTP on loopback, which keeps what it receives."""

    def __init__(self) -> None:
        self.spans: list[Any] = []
        self.logs: list[Any] = []
        self.resources: list[Any] = []
        self.headers: list[str] = []
        self.status = 200
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                collector.take_export(self.path, self.rfile.read(int(self.headers["Content-Length"])))
                collector.headers.append(self.headers.get("Authorization", ""))
                self.send_response(collector.status)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Logs nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def take_export(self, path: str, body: bytes) -> None:
        if self.status != 200:
            return
        if path == "/v1/traces":
            for spans in ExportTraceServiceRequest.FromString(body).resource_spans:
                self.resources.append(spans.resource)
                self.spans += [span for scope in spans.scope_spans for span in scope.spans]
        elif path == "/v1/logs":
            for logs in ExportLogsServiceRequest.FromString(body).resource_logs:
                self.logs += [record for scope in logs.scope_logs for record in scope.log_records]


@pytest.fixture
def collector() -> Iterator[Collector]:
    started = Collector()
    thread = threading.Thread(target=started.server.serve_forever)
    thread.start()
    yield started
    started.server.shutdown()
    thread.join()
    started.server.server_close()


def attributes(span: Any) -> dict[str, Any]:
    return {
        each.key: each.value.string_value or [one.string_value for one in each.value.array_value.values]
        for each in span.attributes
    }


def test_a_collector_gets_a_span_and_a_log_record_for_each_call(tmp_path: Path, collector: Collector) -> None:
    write_log(tmp_path / ".home" / "state" / "audit", [*(call(n) for n in range(1100)), denied_call(1100)])
    result = run(tmp_path, "--otlp", collector.url, OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer%20x")
    assert (result.returncode, result.stdout) == (0, f"1,101 records sent to {collector.url}\n"), result.stderr
    assert set(collector.headers) == {"Bearer x"}
    assert (len(collector.spans), len(collector.logs)) == (1101, 1101)
    assert len({span.span_id for span in collector.spans}) == 1101
    assert len({span.trace_id for span in collector.spans}) == 6  # sessions
    assert [(span.trace_id, span.span_id) for span in collector.spans] == [(log.trace_id, log.span_id) for log in collector.logs]
    span, log = collector.spans[-1], collector.logs[-1]
    assert (span.name, span.end_time_unix_nano - span.start_time_unix_nano) == ("execute_tool Bash", 400_000)
    assert (log.body.string_value, log.severity_text, log.event_name) == ("rm -rf ~", "deny", "toolgate.decision")
    assert log.time_unix_nano == span.start_time_unix_nano
    named = attributes(span)
    assert (named["gen_ai.operation.name"], named["gen_ai.tool.name"], named["gen_ai.tool.call.id"]) == (
        "execute_tool",
        "Bash",
        "t1100",
    )
    assert (named["toolgate.rules"], named["toolgate.effects"]) == (["filesystem.delete-protected"], ["Delete in home"])
    assert attributes(collector.resources[0])["service.name"] == "toolgate"


def test_the_same_log_has_the_same_ids(tmp_path: Path, collector: Collector) -> None:
    write_log(tmp_path / ".home" / "state" / "audit", [call(0), call(1, time="strange", session=HOSTILE, microseconds="x")])
    for _ in range(2):
        assert run(tmp_path, "--otlp", collector.url).returncode == 0
    first, second, third, fourth = [(span.trace_id, span.span_id) for span in collector.spans]
    assert (first, second) == (third, fourth)


def test_a_collector_that_takes_nothing_is_told(tmp_path: Path, collector: Collector) -> None:
    write_log(tmp_path / ".home" / "state" / "audit", [call(0)])
    collector.status = 400
    result = run(tmp_path, "--otlp", collector.url)
    assert result.returncode == 1
    assert f"the collector at {collector.url} took 0 records and no more" in result.stderr


@pytest.mark.parametrize("words", [(), ("--csv", "--ocsf"), ("--csv", "--otlp", "http://x"), ("--otlp", "file:///etc/passwd")])
def test_one_form_has_to_be_named(tmp_path: Path, words: tuple[str, ...]) -> None:
    assert run(tmp_path, *words).returncode == 64


def test_without_opentelemetry_the_remedy_is_named(tmp_path: Path) -> None:
    (tmp_path / "opentelemetry.py").write_text("raise ImportError('none', name='opentelemetry')\n")
    result = run(tmp_path, "--otlp", "http://127.0.0.1:1", PYTHONPATH=str(tmp_path))
    assert result.stderr == "toolgate: the export needs opentelemetry: pip install 'toolgate[otlp]'\n"


def test_a_finding_is_one_of_the_schema(tmp_path: Path) -> None:
    hostile = denied_call(3, operation=HOSTILE, time="never", microseconds="x", policy=None)
    asking_call = nearly_stopped(4, verdict="ask", outcome="ran")
    write_log(tmp_path / ".home" / "state" / "audit", [call(0), denied_call(1), nearly_stopped(2), hostile, asking_call])
    printed = run(tmp_path, "--ocsf").stdout.splitlines()
    findings = [DetectionFinding.model_validate_json(line) for line in printed]
    assert [(each.severity, each.finding_info.title) for each in findings] == [
        ("High", "filesystem.delete-protected"),
        ("Low", "git.force-push"),
        ("High", "filesystem.delete-protected"),
        ("Medium", "git.force-push"),
    ]
    assert [json.loads(line)["disposition"] for line in printed] == ["Blocked", "Allowed", "Blocked", "Allowed"]
    assert findings[0].time == 1794268861120
    assert all(line.isascii() and "\x1b" not in line for line in printed)


def test_a_parquet_file_holds_every_record(tmp_path: Path) -> None:
    hostile = denied_call(2, operation=HOSTILE, time="never", microseconds=1 << 70, rules=3)
    write_log(tmp_path / ".home" / "state" / "audit", [call(0, outcome="ran"), denied_call(1), hostile])
    assert run(tmp_path, "--parquet", "a.parquet").stdout == "3 records, in a.parquet\n"
    table = read_table(tmp_path / "a.parquet")
    assert table.schema.equals(SCHEMA)
    first, second, third = table.to_pylist()
    assert (first["operation"], first["outcome"], first["time"].isoformat()) == (
        "ls -la folder-0",
        "ran",
        "2026-11-10T00:00:01.120000+00:00",
    )
    assert (second["verdict"], second["rules"]) == ("deny", [{"rule": "filesystem.delete-protected", "verdict": "deny"}])
    assert (third["time"], third["rules"]) == (None, [])
    assert "\x1b" not in third["operation"]
    assert run(tmp_path, "--parquet", "none/a.parquet").returncode == 1
