"""Sends the audit log to an OpenTelemetry collector (OTLP over HTTP): a span and a log record for each call.

A session is a trace. The ids are derived from those of the session and the record, so sending a log twice yields identical data.
Attributes of tools follow the semantic conventions for generative AI (`gen_ai.*`); the gate's own are `toolgate.*`.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from itertools import islice
from typing import Any

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import NonRecordingSpan, SpanContext, StatusCode, TraceFlags, set_span_in_context

from .fields import RecordLine, describe_effect, describe_stakes, make_visible, number_of, objects_of

BATCH = 500  # records in a request
PATIENCE = 10.0  # seconds for a request, retries included
SEVERITIES = {"pass": SeverityNumber.INFO, "warn": SeverityNumber.WARN, "ask": SeverityNumber.WARN2, "deny": SeverityNumber.ERROR}
RESOURCE = Resource.create({"service.name": "toolgate"})
SAMPLED = TraceFlags(TraceFlags.SAMPLED)
SCOPE = InstrumentationScope("toolgate.audit")


class NotTaken(Exception):
    """Raised if the collector rejects a request; the argument is the number of records accepted before."""


def send_records(lines: Iterable[RecordLine], endpoint: str) -> int:
    """Sends every readable record to the collector at a base URL and returns their number. Raises NotTaken."""
    spans = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces", timeout=PATIENCE)
    logs = OTLPLogExporter(endpoint=f"{endpoint.rstrip('/')}/v1/logs", timeout=PATIENCE)
    readable = (line for line in lines if line)
    sent = 0
    while batch := list(islice(readable, BATCH)):
        if spans.export(list(_make_spans(batch))).name != "SUCCESS" or logs.export(list(map(_make_log, batch))).name != "SUCCESS":
            raise NotTaken(sent)
        sent += len(batch)
    return sent


class _OwnIds(IdGenerator):
    """Supplies the ids of the record that is being converted to a span."""

    trace = span = 0

    def generate_trace_id(self) -> int:
        return self.trace

    def generate_span_id(self) -> int:
        return self.span


class _Finished(SpanProcessor):
    def __init__(self) -> None:
        self.spans: list[ReadableSpan] = []

    def on_end(self, span: ReadableSpan) -> None:
        self.spans.append(span)


def _make_spans(batch: list[RecordLine]) -> Iterator[ReadableSpan]:
    ids, finished = _OwnIds(), _Finished()
    provider = TracerProvider(resource=RESOURCE, id_generator=ids, shutdown_on_exit=False)
    provider.add_span_processor(finished)
    tracer = provider.get_tracer(SCOPE.name)
    for line in batch:
        ids.trace, ids.span = _ids_of(line)
        began = _nanoseconds(line)
        name = f"execute_tool {make_visible(line.get('tool', ''))}"
        span = tracer.start_span(name, context=Context(), start_time=began, attributes=_attributes(line))
        if line.get("verdict") == "deny":
            span.set_status(StatusCode.ERROR, "denied")
        span.end(began + 1000 * number_of(line, "microseconds"))
    yield from finished.spans


def _make_log(line: RecordLine) -> ReadableLogRecord:
    verdict = make_visible(line.get("verdict", ""))
    record = LogRecord(
        timestamp=_nanoseconds(line),
        observed_timestamp=_nanoseconds(line),
        context=set_span_in_context(
            NonRecordingSpan(SpanContext(*_ids_of(line), is_remote=False, trace_flags=SAMPLED)), Context()
        ),
        severity_text=verdict,
        severity_number=SEVERITIES.get(verdict, SeverityNumber.UNSPECIFIED),
        body=make_visible(line.get("operation", "")),
        attributes=_attributes(line),
        event_name="toolgate.decision",
    )
    return ReadableLogRecord(record, RESOURCE, instrumentation_scope=SCOPE)


def _attributes(line: RecordLine) -> dict[str, Any]:
    named = {
        "gen_ai.tool.name": "tool",
        "gen_ai.tool.call.id": "tool_use_id",
        "gen_ai.conversation.id": "session",
        "gen_ai.agent.id": "agent",
        "toolgate.record.id": "id",
        "toolgate.host": "host",
        "toolgate.role": "role",
        "toolgate.operation": "operation",
        "toolgate.judged": "judged",
        "toolgate.verdict": "verdict",
        "toolgate.reason": "reason",
        "toolgate.policy": "policy",
        "toolgate.gate": "gate",
        "toolgate.outcome": "outcome",
        "toolgate.undo": "undo",
        "toolgate.failure": "failure",
    }
    texts = {name: make_visible(line[key]) for name, key in named.items() if line.get(key)}
    return {
        "gen_ai.operation.name": "execute_tool",
        **texts,
        **({"toolgate.stakes": stakes} if (stakes := describe_stakes(line)) else {}),
        "toolgate.rules": [make_visible(each.get("rule", "")) for each in objects_of(line, "rules")],
        "toolgate.effects": [describe_effect(each) for each in objects_of(line, "effects")],
    }


def _ids_of(line: RecordLine) -> tuple[int, int]:
    """Returns the ids of the trace and of the span; neither is 0, which OpenTelemetry treats as invalid."""
    session = sha256(f"{line.get('host', '')}/{line.get('session', '')}".encode(errors="surrogatepass")).digest()
    own = sha256(str(line.get("id", "")).encode(errors="surrogatepass")).digest()
    return int.from_bytes(session[:16], "big") or 1, int.from_bytes(own[:8], "big") or 1


def _nanoseconds(line: RecordLine) -> int:
    """Returns nanoseconds since 1970, or 0 for an unreadable time."""
    try:
        at = datetime.fromisoformat(str(line.get("time", "")))
    except ValueError:
        return 0
    return max(int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000), 0) * 1_000_000
