"""Migrations that code undoes, which drops what they made. During development that is daily work."""

from __future__ import annotations

from toolgate.locality import is_named_production
from toolgate.model.word import known_word

from .authorship import names_production
from .shared_results import database_call
from .shared_state import Evaluation
from .values import NULL, Value

_ENVIRONMENT_VARIABLES = ("NODE_ENV", "APP_ENV", "GO_ENV", "FLASK_ENV", "ENV", "ENVIRONMENT", "DATABASE_URL")


def undo_migrations(evaluation: Evaluation, *_argument: Value | None) -> Value:
    """`knex.migrate.rollback(undefined, true)`, `m.Down()`, `command.downgrade(config, "base")` in production, or in a
    database of another machine."""
    report = evaluation.report
    environment = [each.text or "" for name in _ENVIRONMENT_VARIABLES for each in report.seen.get_variables(name)]
    is_production = report.openings.production is not None or any(map(is_named_production, environment))
    if is_production or names_production(report.code) or report.openings.opens_another_machine:
        return database_call(evaluation, known_word("database.drop"), known_word("what migrations made"))
    return NULL
