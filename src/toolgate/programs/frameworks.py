"""Effects of development frameworks on a project's database: resets, drops, reverted migrations."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from toolgate.locality import django_settings, is_in_production, is_local_by_settings
from toolgate.model.effect import Interpret, Operation, Prints, Reported
from toolgate.model.seen import Seen
from toolgate.model.word import EMPTY, Word, known

from .databases import file_codes, interpreted
from .options import Flags
from .program import Program, also, via
from .services import publishes
from .verbs import forms, found, tool, with_information

TEST = ("test", "testing", "ci")
_VARIABLES = (
    "RAILS_ENV",
    "RACK_ENV",
    "APP_ENV",
    "NODE_ENV",
    "MIX_ENV",
    "DJANGO_ENV",
    "FLASK_ENV",
    "ASPNETCORE_ENVIRONMENT",
    "ENV",
)
_OPTIONS = "--environment= -e= --env= --app= --config= -c= --schema= --settings= --database= --connection= --path= -d= --url= --dir= -p= --noinput --no-input --force -f -y,--yes --if-exists -v,--verbose -q,--quiet"


Settings = Callable[[Seen], tuple[str, ...]]
_ENVIRONMENT_FILES = (".env", ".env.local", ".env.development", ".env.development.local")


def _of_environment(_seen: Seen) -> tuple[str, ...]:
    return _ENVIRONMENT_FILES


def _beside(*files: str) -> Settings:
    return lambda _seen: (*files, *_ENVIRONMENT_FILES)


def resetting(
    text: str, options: str = _OPTIONS, *, dry: str = "--dry-run --pretend --sql", settings: Settings = _of_environment
) -> Program:
    """A tool with subcommands that lose data. A run in the test environment loses nothing of value, nor does one whose
    `settings` lead to a database of this machine."""
    every = forms({"database.drop": text})
    flags = with_information(options, every, dry)

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        given = flags.read(argv)
        if given.flag("--help", "--version", *dry.split()) is not True:
            test = _is_test(
                [word.text or "" for word in argv], [word.text for word in given.all("--environment", "-e", "--env")], seen
            )
            named = [value.text for _, value in given.values]
            for _, target in found(every, given, len(flags.read(argv, stop=True).strange)):
                local = _is_local(argv, named, settings, seen)
                yield Operation("database.drop", seen.origin, target, (("disposable", test), ("local", local)))
                break
        yield Prints(seen.output(via(argv)))

    return Program(does=does)


def _is_test(words: list[str], named: list[str | None], seen: Seen) -> bool:
    values = [*named, *(value for word in words for name, _, value in [word.partition("=")] if name in _VARIABLES)]
    for name in _VARIABLES:
        value = seen.variable(name)
        if value is not None:
            values.append(value.text)
    return bool(values) and all(value in TEST for value in values)


def _is_local(argv: tuple[Word, ...], named: list[str | None], settings: Settings, seen: Seen) -> bool:
    """Tell whether the project's settings name a database of this machine, and no option or variable another one."""
    words = [word.text for word in argv]
    if (
        None in words
        or None in named
        or not _FAR.isdisjoint(words)
        or any(is_in_production(text or "") or "://" in (text or "") for text in words)
    ):
        return False
    values = [value for name in _VARIABLES for value in seen.variables(name)]
    if any(value.text is None or is_in_production(value.text) for value in values):
        return False
    return not any(seen.variables(name) for name in _ELSEWHERE) and is_local_by_settings(settings(seen), seen)


_FAR = frozenset(("--linked", "--remote", "--db-url", "--project-ref"))
_ELSEWHERE = ("DB_URL", "DATABASE_CONFIG", "RAILS_MASTER_KEY", "DATABASE_CONNECTION")


def tasks(names: str) -> Program:
    """rails, rake: every operand is a task."""
    bad = frozenset(names.split())

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        given = Flags(
            "-e,--environment= -f,--rakefile= -n,--dry-run -T,--tasks -P,--prereqs -D -q,--quiet -s,--silent -t,--trace -j= -m -I= -r= -h,--help --version"
        ).read(argv)
        if given.flag("--help", "--version", "--dry-run", "--tasks", "--prereqs") is not True:
            test = _is_test([word.text or "" for word in argv], [word.text for word in given.all("--environment")], seen)
            for word in given.operands:
                task = (word.text or "").partition("[")[0]
                if task in bad or ":".join(task.split(":")[:2]) in bad:  # db:drop:primary, too
                    local = _is_local(argv, [], _of_rails, seen)
                    yield Operation("database.drop", seen.origin, word, (("disposable", test), ("local", local)))
        yield Prints(seen.output(via(argv)))

    return Program(does=does)


_of_rails = _beside("config/database.yml")


def _of_django(seen: Seen) -> tuple[str, ...]:
    return (*django_settings(seen), ".env")


_HEX = publishes("hex.publish|hex.retire; hex.owner add|remove", "--yes --organization= --replace")
_ALL_OF_A_MODEL = re.compile(
    r"\b[A-Z]\w*(?:\.unscoped|\.all)?\.(?:delete_all|destroy_all)\b|\.objects(?:\.all\(\))?\.delete\(\)|\b[A-Z]\w*::(?:truncate|query\(\)->delete)\b"
    r"|\bdb\.drop_all\(|\bmetadata\.drop_all\(|\bDB::table\([^)]*\)->(?:delete|truncate)\(\)"
)
"""Deletion of every row of a model in Rails, Django and Laravel."""


_PROMPTS = ("console", "c", "shell", "shell_plus", "tinker")


_CLIENTS = ("dbshell", "dbconsole", "db")
"""Verbs that start the database's own client, which reads statements from standard input."""
_PRINTS_SQL = {"sqlflush": "TRUNCATE TABLE every_table;"}
"""Verbs that print SQL, with the statements they print."""


def with_models(
    program: Program, language: str, verbs: tuple[str, ...], *options: str, settings: Settings = _of_environment
) -> Program:
    """Return a tool with a shell that knows the project's models: code follows one of these verbs, or one of `options`."""

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        typed = seen.stdin if len(argv) > 1 and argv[1].text in _PROMPTS else EMPTY
        if typed.text is not None and _ALL_OF_A_MODEL.search(typed.text):
            flags = (("disposable", _is_test([], [], seen)), ("local", _is_local(argv, [], settings, seen)))
            yield Operation("database.delete", seen.origin, typed, flags)
        if len(argv) > 1 and argv[1].text in _CLIENTS and seen.stdin.parts:
            yield Interpret("sql", seen.stdin, seen.origin, via=f"psql, for {via(argv)}")
        if len(argv) > 1 and argv[1].text in _PRINTS_SQL:
            yield Prints(known(_PRINTS_SQL[argv[1].text], seen.output(via(argv)).src))
            return
        if len(argv) > 2 and argv[1].text in verbs:
            codes = [value for option, value in pairwise(argv[2:]) if option.text in options] if options else [argv[2]]
            joined = [word.partition("=")[2] for word in argv[2:] if word.partition("=")[0].text in options]
            for code in [*codes, *joined]:
                if _ALL_OF_A_MODEL.search(code.shown):
                    test = _is_test([word.text or "" for word in argv], [], seen)
                    flags = (("disposable", test), ("local", _is_local(argv[:2], [], settings, seen)))
                    yield Operation("database.delete", seen.origin, code, flags)
                yield Interpret(language, code, seen.origin, via=via(argv, argv[1].shown))
        yield from program.effects(argv, seen)

    return Program(does=does)


_RAILS = tasks(
    "db:drop db:drop:all db:reset db:purge db:purge:all db:schema:load db:structure:load db:migrate:reset db:seed:replant db:truncate_all db:mongoid:drop db:mongoid:purge"
)


def prisma(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    yield from _PRISMA.effects(argv, seen)
    given = Flags("--stdin --file= --url= --schema= --help").read(argv)
    if [word.text for word in given.operands[:2]] == ["db", "execute"] and given.flag("--help") is not True:
        files = list(given.all("--file"))
        codes = file_codes(files, seen) if files else [(seen.stdin, "")]
        yield from interpreted("sql", codes, None, "prisma db execute", seen)


_PRISMA = resetting("migrate reset; db push --force-reset|--accept-data-loss", settings=_beside("prisma/schema.prisma"))
_DJANGO = resetting("flush; reset_db; reset_schema; migrate * zero", settings=_of_django)
_ARTISAN = resetting("migrate:fresh; migrate:reset; migrate:refresh; db:wipe")
_SYMFONY = resetting(
    "doctrine:database:drop; doctrine:schema:drop --force|--full-database; doctrine:fixtures:load; d:d:d; doctrine:mongodb:schema:drop",
    "-e,--env= --em= --connection= -f,--force --if-exists -n -q",
)
_TYPEORM = resetting("schema:drop", "-d,--dataSource= -f= -c=")
GOOSE = resetting("** down-to 0; ** reset", "-dir= -table= -v -s")
"""The migration tool; an agent has the same name."""
ROWS: dict[str, Program] = {
    "rails": with_models(_RAILS, "ruby", ("runner", "r"), settings=_of_rails),
    "rake": _RAILS,
    **dict.fromkeys(
        ("manage.py", "django-admin"),
        with_models(_DJANGO, "python", ("shell", "shell_plus"), "-c", "--command", settings=_of_django),
    ),
    "artisan": with_models(_ARTISAN, "php", ("tinker",), "--execute"),
    "console": _SYMFONY,
    "prisma": Program(does=prisma),
    "alembic": resetting("downgrade base", "-c,--config= -n,--name= -x= --raiseerr -q,--quiet"),
    "flask": with_models(resetting("db downgrade base", "-A,--app= -e,--env-file= --debug -d,--directory="), "python", ()),
    **dict.fromkeys(("sequelize", "sequelize-cli"), resetting("db:drop; db:migrate:undo:all; db:seed:undo:all")),
    "knex": resetting("migrate:rollback --all; migrate:rollback * --all", "--env= --knexfile= --cwd= --client= --connection="),
    **dict.fromkeys(("typeorm", "typeorm-ts-node-commonjs", "typeorm-ts-node-esm"), _TYPEORM),
    **dict.fromkeys(
        ("mikro-orm", "mikro-orm-esm"), resetting("schema:drop --run|-r; schema:fresh --run|-r; migration:fresh; database:drop")
    ),
    "drizzle-kit": resetting("push --force; drop", "--config= --dialect= --schema= --url= --verbose --strict"),
    "supabase": resetting(
        "db reset; migration down; projects|branches|functions|orgs|sso|domains|vanity-subdomains|snippets delete|remove; secrets unset;"
        " storage rm; stop --no-backup",
        "--workdir= --project-ref= --db-url= --linked --local --debug",
    ),
    "flyway": resetting("clean", "-url= -user= -password= -configFiles= -locations= -schemas= -environment="),
    "liquibase": resetting(
        "drop-all; dropAll; drop-all-foreign-keys",
        "--url= --username= --password= --changelog-file= --changeLogFile= --defaults-file=",
    ),
    "mix": also(
        _HEX,
        resetting(
            "ecto.drop; ecto.reset; ecto.rollback --all", "-r,--repo= -n,--step= --all", settings=_beside("config/dev.exs")
        ),
    ),
    "diesel": resetting("database reset|drop; db reset|drop; migration revert --all"),
    "sqlx": resetting("database|db drop|reset", "-D,--database-url= --source= -y"),
    **dict.fromkeys(
        ("sea-orm-cli", "sea"),
        resetting("migrate fresh|refresh|reset", "-d,--migration-dir= -s,--database-schema= -u,--database-url= -v"),
    ),
    "hasura": resetting(
        "migrate apply --down=all; metadata clear",
        "--down= --up= --goto= --version= --endpoint= --admin-secret= --project= --database-name=",
    ),
    "sqitch": resetting("revert -y; revert --to=@ROOT; rebase -y", "-y -t,--target= --to= --onto= -C,--chdir= -m,--mode="),
    "dbmate": resetting("drop", "-u,--url= -e,--env= -d,--migrations-dir= -s,--schema-file="),
    "migrate": resetting("drop; down -all", "-path= -source= -database= -verbose -f -all"),
    "atlas": also(
        tool({"cloud.delete": "** delete|terminate"}, "--force --projectId= --orgId= -P,--profile= -o,--output="),
        resetting("schema clean; schema apply --auto-approve", "-u,--url= --to= --dev-url= -c,--config= --env="),
    ),
    "dotnet-ef": resetting("database drop", "-c,--context= -p,--project= -s,--startup-project="),
    "dotnet": tool(
        {"database.drop": "ef database drop; ef database update 0", "package.publish": "nuget push|delete"},
        "-c,--context= -p,--project= -s,--startup-project=",
    ),
    "wp": resetting("db reset|drop|clean; site empty|delete", "--path= --url= --ssh= --user= --allow-root --yes"),
    "drush": resetting("sql:drop; sql-drop; site:install; site-install; si", "-r,--root= -l,--uri= -y,--yes"),
}
