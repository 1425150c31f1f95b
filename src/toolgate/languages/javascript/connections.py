"""Functions for JavaScript's rows on connections and databases."""

from __future__ import annotations

from toolgate.languages.evaluation.evaluation import Arguments, Evaluation
from toolgate.languages.evaluation.results import ask_database, database_call, response
from toolgate.languages.evaluation.values import (
    NULL,
    Constant,
    Function,
    Instance,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    callables_in,
    holds_environment,
    sources_of,
    word_of,
)
from toolgate.model.word import Word, known, unknown

from .options import option


def send(evaluation: Evaluation, target: Value | None = None, options: Value | None = None, *bodies: Value | None) -> Value:
    """Sends a request to an address, or to the one in its options. The data is in the options, or passed separately."""
    held = target if isinstance(target, MapValue) else options
    to = target
    if isinstance(target, MapValue):
        to = option(evaluation, target, *map(known, ("url", "uri", "hostname", "host", "baseURL")))
        to = Unknown("a server") if to is NULL else to
    found: list[Value] = [option(evaluation, held, known(name)) for name in ("body", "data", "json", "form", "params", "headers")]
    found = [each for each in found if isinstance(each, Word) or each is not NULL] if isinstance(held, MapValue) else []
    sent = [*found, *(each for each in bodies if each is not None and not _is_callback(each))]
    sent = [_said(each) for each in sent]
    address = word_of(to) if to is not None else unknown("a server")
    if address.src:
        sent.append(address)
    method = option(evaluation, held, known("method")) if isinstance(held, MapValue) else NULL
    evaluation.report.connect(to, *sent, method=NULL if method is NULL else method)
    return response(evaluation)


def _is_callback(value: Value) -> bool:
    return isinstance(value, Function | Reference)


def _said(value: Value) -> Value:
    """Returns the data as one text."""
    if isinstance(value, Word) or holds_environment(value):
        return value
    parts = list(callables_in(value)) if isinstance(value, Unknown) else []
    return unknown("what JavaScript sends", sources_of(value)) if not parts else value


def request(evaluation: Evaluation, target: Value | None, *given: Value | None) -> Value:
    """`http.request(address or options, options, callback)`: data written to it later is sent."""
    answer = send(evaluation, target, given[0] if given else None, evaluation.report.made("what JavaScript sends"))
    for each in (target, *given):
        if each is not None and _is_callback(each):
            evaluation.perhaps(lambda: evaluation.call(each, Arguments((answer,))))  # noqa: B023
    return answer


def delete_address(evaluation: Evaluation, target: Value | None, options: Value | None = None) -> Value:
    held = option(evaluation, options, known("data"))
    evaluation.report.connect(target, None if held is NULL else held, method=known("DELETE"))
    return response(evaluation)


def open_socket(evaluation: Evaluation, port: Value | None = None, host: Value | None = None) -> Value:
    """`net.connect(port, host)`, `net.connect({port, host})`."""
    if isinstance(port, MapValue):
        port, host = (
            option(evaluation, port, known("port"), known("path")),
            option(evaluation, port, known("host"), known("hostname")),
        )
    name = None if host is None or host is NULL or _is_callback(host) else word_of(host)
    target = word_of(port) if port is not None else unknown("a server")
    if name is None and isinstance(port, Constant):
        name = known("localhost")
    evaluation.report.connect(
        target if name is None else name + known(":") + target, evaluation.report.made("what JavaScript sends")
    )
    return Instance("socket")


# ---- databases


def sql_change(evaluation: Evaluation, query: Value | None = None, via: Value | None = None) -> Value:
    """Reports SQL that changes or deletes; other text may be anything."""
    text = option(evaluation, query, known("text"), known("sql")) if isinstance(query, MapValue) else query
    if isinstance(text, ListValue) and text.items:
        text = text.items[0]
    return ask_database(evaluation, text, via)


def delete_all(evaluation: Evaluation, query: Value | None = None) -> Value:
    """`deleteMany({})`: deletes everything."""
    if query is None or (isinstance(query, MapValue) and not query.entries):
        return database_call(evaluation, known("database.delete"), known("everything"))
    return NULL
