"""Migrations that are taken back on a database of another machine.

On a database of this machine that is daily work; elsewhere the columns and tables that a migration added go with their data.

GROWS: a row is a program, the forms (see `verbs`) with which it takes migrations back, and the files that name its database.
"""

from collections.abc import Iterator
from functools import lru_cache

from toolgate.locality import has_remote_settings
from toolgate.model.effect import Operation
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, join_words
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.subcommands import Form, build_flags, match_forms, parse_forms

_ENVIRONMENT = (".env",)
FLYWAY_FILES = ("flyway.conf", "conf/flyway.conf", "flyway.toml")
_KNEX = ("knexfile.js", "knexfile.ts", "knexfile.mjs", *_ENVIRONMENT)
ROLLBACKS: dict[str, tuple[str, tuple[str, ...]]] = {
    "alembic": ("downgrade; downgrade *", ("alembic.ini", *_ENVIRONMENT)),
    "flask": ("db downgrade; db downgrade *", _ENVIRONMENT),
    "artisan": ("migrate:rollback", _ENVIRONMENT),
    **dict.fromkeys(("rails", "rake"), ("db:rollback; db:migrate:down; db:migrate:redo", ("config/database.yml", *_ENVIRONMENT))),
    "knex": ("migrate:rollback; migrate:down", _KNEX),
    **dict.fromkeys(("sequelize", "sequelize-cli"), ("db:migrate:undo", ("config/config.json", *_ENVIRONMENT))),
    "typeorm": ("migration:revert", ("ormconfig.json", "data-source.ts", "src/data-source.ts", *_ENVIRONMENT)),
    "flyway": ("undo", FLYWAY_FILES),
    "liquibase": ("rollback *; rollback-count *; rollback-to-date *", ("liquibase.properties",)),
    "dbmate": ("rollback; down", _ENVIRONMENT),
    "mix": ("ecto.rollback", ("config/dev.exs", *_ENVIRONMENT)),
    "sqlx": ("migrate revert", _ENVIRONMENT),
    "diesel": ("migration revert", _ENVIRONMENT),
}


def find_remote_rollbacks(name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[Operation]:
    """Yields a migration that is taken back where the project's settings, or a variable, lead to another machine."""
    every, flags = _forms_of_program(name)
    options = flags.parse(argv)
    matched = any(True for _ in match_forms(every, options, len(flags.parse(argv, stop=True).strange)))
    if (
        matched
        and options.has_flag("--help", "--sql", "--pretend") is not True
        and has_remote_settings(ROLLBACKS[name][1], context)
    ):
        yield Operation("database.drop", context.origin, join_words(argv[1:3]), (("disposable", False), ("local", False)))


@lru_cache(32)
def _forms_of_program(name: str) -> tuple[tuple[Form, ...], Flags]:
    every = parse_forms({"database.drop": ROLLBACKS[name][0]})
    return every, build_flags("-c,--config= -n,--name= -x= --env= --step= -e,--environment= --sql --pretend -h,--help", every)
