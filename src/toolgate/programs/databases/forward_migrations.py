"""Migrations that lose data on a database of another machine: the newest one of the project drops a table or a column.

Which migrations are pending is the database's to know. On a database of this machine it is daily work.

GROWS: a row is a program: the forms (see `verbs`) with which it migrates, the files that name its database, its migrations, and what
begins the part of a migration that takes it back.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from toolgate.locality import find_django_settings, has_remote_settings
from toolgate.model.effect import Operation
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, glob_hole, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.subcommands import Form, build_flags, match_forms, parse_forms

from .rollbacks import ROLLBACKS


class Migrations(NamedTuple):
    forms: str
    files: tuple[str, ...]
    backwards: str = r"\b(?:def|function|async)\s+down\b|\bdown\s*[:(=]|\bdef downgrade\b"
    settings: tuple[str, ...] = (".env",)


_SQL_BACKWARDS = r"(?i)--\s*(?:migrate:down|\+goose down|@undo)"
MIGRATIONS: dict[str, Migrations] = {
    "alembic": Migrations("upgrade; upgrade *", ("migrations/versions/*.py", "alembic/versions/*.py", "*/alembic/versions/*.py")),
    "flask": Migrations("db upgrade; db upgrade *", ("migrations/versions/*.py",)),
    "manage.py": Migrations("migrate; migrate *", ("*/migrations/0*.py", "*/*/migrations/0*.py"), r"\Z"),
    **dict.fromkeys(("rails", "rake"), Migrations("db:migrate", ("db/migrate/*.rb",))),
    "artisan": Migrations("migrate", ("database/migrations/*.php",)),
    "knex": Migrations(
        "migrate:latest; migrate:up", ("migrations/*.js", "migrations/*.ts", "db/migrations/*.js", "db/migrations/*.ts")
    ),
    **dict.fromkeys(("sequelize", "sequelize-cli"), Migrations("db:migrate", ("migrations/*.js",))),
    "typeorm": Migrations("migration:run", ("src/migrations/*.ts", "src/migration/*.ts", "migrations/*.ts")),
    "prisma": Migrations("migrate deploy", ("prisma/migrations/*/migration.sql",), r"\Z", ("prisma/schema.prisma", ".env")),
    "dbmate": Migrations("up; migrate", ("db/migrations/*.sql",), _SQL_BACKWARDS),
    "sqlx": Migrations("migrate run", ("migrations/*.sql",), _SQL_BACKWARDS),
    "diesel": Migrations("migration run", ("migrations/*/up.sql",), r"\Z"),
    "flyway": Migrations("migrate", ("sql/V*.sql", "src/main/resources/db/migration/V*.sql"), r"\Z"),
}
_LOSES = re.compile(
    r"\bdrop_(?:table|column|join_table)\b|\bremove_columns?\b|\bdelete_all\b|\bdestroy_all\b|\b(?:drop|remove)(?:Table|Columns?)\b"
    r"|\bSchema::drop|\b(?:DeleteModel|RemoveField)\(|\.delete\(\)"
    r"|(?i:\bdrop\s+(?:table|column|schema|database)\b|\btruncate\s+(?:table\s+)?\w|\bdelete\s+from\b)"
)
_COMMENT = re.compile(r"(?m)^[ \t]*(?:#|//|--(?!\s*(?:migrate|\+goose|@undo))).*$")
_BOTH_REVISIONS = re.compile(r"(?m)^revision, down_revision = (?P<revision>[^,\n]*),(?P<down_revision>.*)$")


def find_lossy_migrations(name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[Operation]:
    """Yields the newest migration if it loses data, and the settings of the project or a variable lead to another machine."""
    row = MIGRATIONS[name]
    every, flags = _forms_of_program(name)
    options = flags.parse(argv)
    matched = any(True for _ in match_forms(every, options, len(flags.parse(argv, stop=True).strange)))
    if not matched or options.has_flag("--help", "--sql", "--pretend", "--plan", "--check", "--fake") is True:
        return
    own = find_django_settings(context, None) if name == "manage.py" else ROLLBACKS.get(name, ("", ()))[1]
    if not has_remote_settings((*row.settings, *own), context):
        return
    newest = _find_newest(row, context)
    if newest is not None and _LOSES.search(re.split(row.backwards, _COMMENT.sub("", newest[1]), maxsplit=1)[0]):
        target = known_word(f"what {newest[0].rpartition('/')[2]} removes")
        yield Operation("database.drop", context.origin, target, (("disposable", False), ("local", False)))


def _find_newest(row: Migrations, context: ExecutionContext) -> tuple[str, str] | None:
    """Returns the path and the text of the migration that nothing follows, by its revision or its name."""
    paths = sorted(
        (path for pattern in row.files for path in _list_matches(pattern, context) if not path.endswith(".down.sql")),
        key=_order_by_numbers,
    )
    found = [
        (path, text.text) for path in paths[-_MAX_FILES:] for text in context.read_alternatives(known_word(path)) if text.text
    ]
    followed = {word for _, text in found for word in _read_revisions(text, "down_revision")}
    latest = [each for each in found if not followed.intersection(_read_revisions(each[1], "revision"))]
    return latest[-1] if latest else None


_MAX_FILES = 200


def _order_by_numbers(path: str) -> list[str | int]:
    """Returns a key that sorts `V9` before `V10`."""
    return [int(part) if n % 2 else part for n, part in enumerate(re.split(r"(\d+)", path))]


def _read_revisions(text: str, key: str) -> list[str]:
    """Returns what Alembic's `revision` or `down_revision` names in a migration."""
    both = _BOTH_REVISIONS.search(text)
    one = re.search(rf"(?m)^{key}\b[^=\n]*=\s*(.*)$", text) if both is None else None
    value = both[key] if both is not None else one[1] if one is not None else ""
    return re.findall(r"[\"']([^\"']+)[\"']", value)


def _list_matches(pattern: str, context: ExecutionContext) -> list[str]:
    paths = ["."]
    for name in pattern.split("/"):
        before, star, after = name.partition("*")
        if not star:
            paths = [f"{path}/{name}" for path in paths]
            continue
        ends = (glob_hole("*"), after) if after else (glob_hole("*"),)
        paths = [each for path in paths for each in context.list_files(Word((f"{path}/{before}", *ends)))][:_MAX_FILES]
    return paths


@lru_cache(32)
def _forms_of_program(name: str) -> tuple[tuple[Form, ...], Flags]:
    every = parse_forms({"database.drop": MIGRATIONS[name].forms})
    return every, build_flags(
        "-c,--config= -n,--name= -x= --env= --database= --settings= -e,--environment= --noinput --sql --pretend --plan --check --fake"
        " -h,--help",
        every,
    )
