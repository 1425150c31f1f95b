"""Functions for JavaScript's rows on connections and databases."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from toolgate.languages.evaluation.leaf_texts import leaf_words
from toolgate.languages.evaluation.library_files import upload_files
from toolgate.languages.evaluation.library_table import field_of
from toolgate.languages.evaluation.mail_boxes import MAIL_BOX_ACTIONS
from toolgate.languages.evaluation.obtained_secrets import hands_on_secret
from toolgate.languages.evaluation.shared_results import (
    add_condition,
    ask_database,
    begin_deletion,
    begin_query_of_rows,
    cluster_delete,
    continue_query,
    database_call,
    delete_by_query,
    delete_other_rows,
    force_git,
    invoke_with,
    look_up_name,
    maker_of,
    payment_call,
    provider_call,
    response,
)
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.undone_migrations import undo_migrations
from toolgate.languages.evaluation.values import (
    NULL,
    TRUE,
    Constant,
    Function,
    Instance,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    collect_sources,
    holds_environment,
    iter_callables,
    unknown_from,
    word_of,
    words_of,
)
from toolgate.model.word import Word, known_word, unknown_word

from .call_options import read_option


def send_request(
    evaluation: Evaluation, target: Value | None = None, options: Value | None = None, *bodies: Value | None
) -> Value:
    """Sends a request to an address, or to the one in its options. The data is in the options, or passed separately."""
    return _send(evaluation, NULL, target, options, bodies)


def send_by_method(
    evaluation: Evaluation, method: Value, target: Value | None = None, options: Value | None = None, *bodies: Value | None
) -> Value:
    """`axios.post(url, data, options)`: a request with a method of its own."""
    return _send(evaluation, method, target, options, bodies)


def _send(
    evaluation: Evaluation, verb: Value, target: Value | None, options: Value | None, bodies: tuple[Value | None, ...]
) -> Value:
    held = target if isinstance(target, MapValue) else options
    to = target
    if isinstance(target, MapValue):
        to = read_option(evaluation, target, *map(known_word, ("url", "uri", "hostname", "host", "baseURL")))
        to = Unknown("a server") if to is NULL else to
    found: list[Value] = [
        read_option(evaluation, held, known_word(name)) for name in ("body", "data", "json", "form", "params", "headers")
    ]
    found = [each for each in found if isinstance(each, Word) or each is not NULL] if isinstance(held, MapValue) else []
    sent = [*found, *(each for each in bodies if each is not None and not _is_callback(each))]
    sent = [_sent_text(each) for each in sent]
    method = read_option(evaluation, held, known_word("method")) if isinstance(held, MapValue) else NULL
    evaluation.report.connect(to, *sent, method=verb if method is NULL else method)
    return response(evaluation)


def _is_callback(value: Value) -> bool:
    return isinstance(value, Function | Reference)


def _sent_text(value: Value) -> Value:
    """Returns the data as one text."""
    if isinstance(value, Word | MapValue | ListValue | Instance) or holds_environment(value) or hands_on_secret(value):
        return value
    parts = list(iter_callables(value)) if isinstance(value, Unknown) else []
    return unknown_word("data that JavaScript sends", collect_sources(value)) if not parts else value


def open_request(evaluation: Evaluation, target: Value | None, *argument: Value | None) -> Value:
    """`http.request(address or options, options, callback)`: data written to it later is sent."""
    answer = send_request(
        evaluation, target, argument[0] if argument else None, evaluation.report.unknown_output("data that JavaScript sends")
    )
    for each in (target, *argument):
        if each is not None and _is_callback(each):
            evaluation.run_possibly(lambda: evaluation.call(each, Arguments((answer,))))  # noqa: B023
    return answer


def open_base_address(evaluation: Evaluation, options: Value | None = None) -> Value:
    """`axios.create({baseURL: ..})`: the client's requests go to this address."""
    address = read_option(evaluation, options, known_word("baseURL"), known_word("prefixUrl"))
    if address is not NULL:
        evaluation.report.connect(address)
    return NULL


def delete_address(evaluation: Evaluation, target: Value | None, options: Value | None = None) -> Value:
    held = read_option(evaluation, options, known_word("data"))
    evaluation.report.connect(target, None if held is NULL else held, method=known_word("DELETE"))
    return response(evaluation)


def open_socket(evaluation: Evaluation, port: Value | None = None, host: Value | None = None) -> Value:
    """`net.connect(port, host)`, `net.connect({port, host})`."""
    if isinstance(port, MapValue):
        port, host = (
            read_option(evaluation, port, known_word("port"), known_word("path")),
            read_option(evaluation, port, known_word("host"), known_word("hostname")),
        )
    name = None if host is None or host is NULL or _is_callback(host) else word_of(host)
    target = word_of(port) if port is not None else unknown_word("a server")
    if name is None and isinstance(port, Constant):
        name = known_word("localhost")
    evaluation.report.connect(
        target if name is None else name + known_word(":") + target,
        evaluation.report.unknown_output("data that JavaScript sends"),
    )
    return Instance("socket", {"received": evaluation.report.response()})


def open_mailer(evaluation: Evaluation, options: Value | None = None) -> Value:
    """`nodemailer.createTransport({host: ..})`, or with the address of a server."""
    likely = evaluation.report.openings.likely.find(options) if options is not None else NULL
    named = read_option(evaluation, likely, known_word("host"), known_word("url"), known_word("service"))
    address = next((word_of(each) for each in (named, likely) if isinstance(each, Word)), None)
    if address is not None:
        evaluation.report.connect(address)
    return NULL


_TEST_CHAINS = re.compile(r"(?i)sepolia|goerli|holesky|hoodi|testnet|devnet|amoy|mumbai|fuji|chapel|localnet|regtest|signet")


def transfer_coins(evaluation: Evaluation) -> Value:
    """`wallet.sendTransaction(..)` moves money on the chain of the node that the code has connected to, unless that is for
    tests."""
    openings = evaluation.report.openings
    is_for_tests = any(_TEST_CHAINS.search(each.outline) for each in openings.database_arguments)
    if openings.is_on_another_machine and not is_for_tests:
        provider_call(evaluation, known_word("tool.act"), known_word("this call"), known_word("pays"))
    return Unknown("a transaction")


# ---- databases


def sql_change(evaluation: Evaluation, query: Value | None = None, via: Value | None = None) -> Value:
    """Reports SQL that changes or deletes; other text may be anything."""
    text = read_option(evaluation, query, known_word("text"), known_word("sql")) if isinstance(query, MapValue) else query
    if isinstance(text, ListValue) and text.items:
        text = text.items[0]
    return ask_database(evaluation, text, via)


def delete_all(evaluation: Evaluation, query: Value | None = None, others: Value | None = None) -> Value:
    """`deleteMany({})`, `updateMany({data: ..})`: every row. Prisma takes one object, with the condition as `where`."""
    alone = not (isinstance(others, ListValue) and others.items)
    if (
        query is None
        or (isinstance(query, MapValue) and not query.entries and query.rest is None)
        or (isinstance(query, MapValue) and query.rest is None and alone and _is_unconditional(query))
    ):
        return database_call(evaluation, known_word("database.delete"), known_word("everything"))
    return NULL


def _is_unconditional(query: MapValue) -> bool:
    where = query.entries.get("where")
    if where is None:
        return set(query.entries) == {"data"}
    return isinstance(where, MapValue) and not where.entries and where.rest is None


_TABLE_MAKERS = frozenset("knex table into".split())


def delete_rows(
    evaluation: Evaluation, receiver: Value | None = None, argument: Value | None = None, is_last: Value | None = None
) -> Value:
    """`knex("users").del()`: deletes every row, unless a query selected some. `is_last`: nothing can follow that selects."""
    is_table = maker_of(receiver) in _TABLE_MAKERS or (is_last is not None and maker_of(receiver) == "from")
    if isinstance(argument, ListValue) and not argument.items and is_table:
        _empty(evaluation)
    return unknown_from("delete", receiver)


def empty_table(evaluation: Evaluation, argument: Value | None = None) -> Value:
    """`model.truncate()`, `collection.drop()`, without arguments or with options. Functions on lists and files have others."""
    if isinstance(argument, ListValue) and argument.rest is None and all(isinstance(each, MapValue) for each in argument.items):
        _empty(evaluation)
    return NULL


def reset_tables(evaluation: Evaluation, options: Value | None = None) -> Value:
    """`sequelize.sync({force: true})`, `model.destroy({where: {}})`."""
    if isinstance(options, MapValue):
        where = options.entries.get("where")
        is_all = isinstance(where, MapValue) and not where.entries and where.rest is None
        if is_all or any(options.entries.get(name) == TRUE for name in ("force", "truncate")):
            _empty(evaluation)
    return NULL


def synchronize_tables(evaluation: Evaluation, drops: Value | None = None) -> Value:
    """`dataSource.synchronize(true)` drops every table first."""
    return database_call(evaluation, known_word("database.drop"), known_word("everything")) if drops == TRUE else NULL


def open_data_source(evaluation: Evaluation, options: Value | None = None) -> Value:
    """`new DataSource({dropSchema: true})` of TypeORM drops every table when it is initialized."""
    if field_of(options, "dropSchema") == TRUE:
        database_call(evaluation, known_word("database.drop"), known_word("everything"))
    return unknown_from("DataSource", options)


def update_rows(evaluation: Evaluation, options: Value | None = None) -> Value:
    """`User.update(values, {where: {}})`: a condition that every row meets."""
    where = options.entries.get("where") if isinstance(options, MapValue) else None
    if isinstance(where, MapValue) and not where.entries and where.rest is None:
        _empty(evaluation)
    return NULL


def create_object(evaluation: Evaluation, receiver: Value | None = None) -> Value:
    """`stripe.refunds.create(..)` moves money."""
    if maker_of(receiver) in ("refunds", "payouts", "transfers", "charges"):
        payment_call(evaluation, known_word("tool.act"), known_word("this call"), known_word("pays"))
    return unknown_from("create", receiver)


def _empty(evaluation: Evaluation) -> Value:
    return database_call(evaluation, known_word("database.delete"), known_word("everything"))


def upload_attachments(evaluation: Evaluation, attachments: Value | None = None) -> Value:
    """Files that a message carries, by their paths."""
    upload_files(evaluation.report, leaf_words(attachments) if attachments is not None and attachments is not NULL else ())
    return NULL


_DELETING_MUTATION = re.compile(
    r"\bmutation\b[^{]{0,500}\{\s*(?:\w+\s*:\s*)?\w*(?:delete|destroy|remove|archive)\w*", re.IGNORECASE
)


def request_route(evaluation: Evaluation, route: Value | None = None) -> Value:
    """`octokit.request("DELETE /repos/{owner}/{repo}")`, and a mutation of GraphQL that deletes, in each round of a loop."""
    queries = words_of(route) if route is not None else ()
    if (evaluation.repeats or evaluation.listings) and any(_DELETING_MUTATION.search(each.outline) for each in queries):
        provider_call(evaluation, known_word("cloud.delete"), known_word("everything that was listed"))
    if any(each.head.startswith("DELETE /") for each in (words_of(route) if route is not None else ())):
        provider_call(evaluation, known_word("cloud.delete"), route)
    return response(evaluation)


TABLE_ACTIONS: Mapping[str, Any] = {
    **MAIL_BOX_ACTIONS,
    "open_base_address": open_base_address,
    "send_by": send_by_method,
    "delete_rows": delete_rows,
    "delete_other_rows": delete_other_rows,
    "begin_deletion": begin_deletion,
    "begin_query_of_rows": begin_query_of_rows,
    "continue_query": continue_query,
    "upload": upload_attachments,
    "delete_by_query": delete_by_query,
    "invoke_with": invoke_with,
    "add_condition": add_condition,
    "empty_table": empty_table,
    "reset_tables": reset_tables,
    "synchronize_tables": synchronize_tables,
    "update_rows": update_rows,
    "list": lambda _evaluation, *arguments: ListValue("array", [each for each in arguments if each is not None]),
    "force_git": force_git,
    "look_up": look_up_name,
    "request_route": request_route,
    "create_object": create_object,
    "open_data_source": open_data_source,
    "open_mailer": open_mailer,
    "transfer_coins": transfer_coins,
    "undo_migrations": undo_migrations,
    "payment_call": payment_call,
    "provider_call": provider_call,
    "cluster_delete": cluster_delete,
}
