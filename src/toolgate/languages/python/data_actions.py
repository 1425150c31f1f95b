"""Functions for Python's rows on tables that are exported or overwritten, and on mail boxes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolgate.languages.evaluation.client_settings import keep_settings
from toolgate.languages.evaluation.mail_boxes import MAIL_BOX_ACTIONS
from toolgate.languages.evaluation.shared_results import database_call
from toolgate.languages.evaluation.shared_state import Evaluation
from toolgate.languages.evaluation.values import (
    FALSE,
    NULL,
    TRUE,
    Constant,
    Instance,
    MapValue,
    Reference,
    Value,
    text_of,
    unknown_from,
    unknown_of_kind,
    words_of,
)
from toolgate.locality import names_production
from toolgate.model.word import HoleKind, known_word

_ENDPOINTS = ("endpoint_url", "endpoint", "endpoint_override", "aws_endpoint_url")
_MAX_DEPTH = 4
_REPLACING_MODES = ("overwrite", "WRITE_TRUNCATE", "replace")
_REPLACED_TABLE = "a table of production, which a result replaces"
_SHORT_HISTORY = 24
"""Hours of history with which a table cannot be restored after a mistake of yesterday."""


def write_table(evaluation: Evaluation, rows: Value | None, path: Value | None, options: Value | None = None) -> Value:
    """`frame.to_csv("s3://..", storage_options={..})`: a file, or an object of a store that the options name."""
    settings = list(_iter_settings(options)) if options is not None else []
    if any(key.lower() == "acl" and (text_of(value) or "").startswith("public") for key, value in settings):
        evaluation.report.operation("tool.act", known_word("a table that is exported for everybody to read"), opens=True)
    for key, endpoint in settings:
        if key.lower() in _ENDPOINTS and text_of(endpoint):
            evaluation.report.connect(endpoint, rows)
    if isinstance(path, Instance) and rows is not None:  # a buffer, which may be sent later
        keep_settings(evaluation, path, rows, evaluation.report.unknown_output("rows of a table"))
    evaluation.report.write(path)
    return evaluation.report.unknown_output("data that Python sends")


def _iter_settings(options: Value, depth: int = _MAX_DEPTH) -> Iterator[tuple[str, Value]]:
    for key, value in options.known_entries if isinstance(options, MapValue) else ():
        yield str(key), value
        if depth:
            yield from _iter_settings(value, depth - 1)


def choose_mode(_evaluation: Evaluation, writer: Value | None, mode: Value | None = None) -> Value:
    """`frame.write.mode("overwrite")` of Spark: what a table held is replaced."""
    return Instance("spark-writer") if text_of(mode) == "overwrite" else unknown_from("mode", writer)


def overwrite_table(evaluation: Evaluation, table: Value | None, mode: Value | None = None) -> Value:
    """Reports that a result replaces a table of production. Others are usually built anew by every run."""
    if (mode is None or text_of(mode) in _REPLACING_MODES) and any(map(names_production, words_of(table) if table else ())):
        database_call(evaluation, known_word("database.delete"), known_word(_REPLACED_TABLE))
    return unknown_from("a table")


def load_table(evaluation: Evaluation, table: Value | None = None, settings: Value | None = None) -> Value:
    """`client.load_table_from_dataframe(frame, table, job_config=LoadJobConfig(write_disposition="WRITE_TRUNCATE"))`."""
    fields = settings.fields if isinstance(settings, Instance) else {}
    chosen = fields.get("write_disposition", fields.get("given0", NULL))
    mode = known_word(chosen.name.rpartition(".")[2]) if isinstance(chosen, Reference) else chosen
    return overwrite_table(evaluation, table, mode)


def replace_cloud_table(
    evaluation: Evaluation, table: Value | None, project: Value | None = None, mode: Value | None = None
) -> Value:
    """`frame.to_gbq("finance.revenue", project_id="acme-prod", if_exists="replace")`."""
    words = [word for each in (table, project) if each is not None for word in words_of(each)]
    if text_of(mode) == "replace" and any(map(names_production, words)) and not evaluation.report.is_excused:
        evaluation.report.operation("database.delete", known_word(_REPLACED_TABLE), disposable=False)
    return NULL


def share_app(evaluation: Evaluation, share: Value | None = None) -> Value:
    """`demo.launch(share=True)` of Gradio gives the application a public address."""
    if share == TRUE:
        evaluation.report.operation("network.expose", known_word("gradio"))
    return NULL


def remove_history(evaluation: Evaluation, hours: Value | None, retention: Value | None, dry_run: Value | None) -> Value:
    """`table.vacuum(0)` of Delta; with `retention_hours` only where `dry_run` is switched off."""
    kept = hours if retention is None else retention
    is_short = isinstance(kept, Constant) and isinstance(kept.value, int | float) and kept.value < _SHORT_HISTORY
    if is_short and (retention is None or dry_run == FALSE):
        database_call(evaluation, known_word("database.delete"), known_word("the history of a table"))
    return unknown_from("files")


def open_schedule(_evaluation: Evaluation, text: Value | None = None, file: Value | None = None) -> Value:
    """`CronTab(tabfile="jobs.tab")`: a file, which runs only where a daemon reads it; otherwise an account's own table."""
    given = next((each for each in (file, text) if each is not None and each is not NULL), None)
    return Instance("crontab.CronTab") if given is None else Instance("crontab-file", {} if file is None else {"given0": file})


def open_directory(_evaluation: Evaluation, strategy: Value | None = None) -> Value:
    """`ldap3.Connection(server, client_strategy=ldap3.MOCK_SYNC)`: a directory in memory; otherwise one of a server."""
    chosen = strategy.name.rpartition(".")[2] if isinstance(strategy, Reference) else text_of(strategy) or ""
    return unknown_of_kind(HoleKind.STAND_IN) if chosen.startswith("MOCK_") else Instance("ldap3.Connection")


DATA_ACTIONS: Mapping[str, Any] = {
    **MAIL_BOX_ACTIONS,
    "load_table": load_table,
    "replace_cloud_table": replace_cloud_table,
    "share_app": share_app,
    "open_directory": open_directory,
    "open_schedule": open_schedule,
    "write_table": write_table,
    "choose_mode": choose_mode,
    "overwrite_table": overwrite_table,
    "remove_history": remove_history,
}
