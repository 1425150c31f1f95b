"""Effects of development frameworks on a project's database: resets, drops, reverted migrations."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from toolgate.locality import find_django_settings, has_local_settings, is_in_production, names_local_databases
from toolgate.model.effect import Carrier, Interpret, Operation, PrintedOutput, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import EMPTY, Word, is_glob, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, combine_programs, make_carrier, program_name
from toolgate.programs.argv.subcommands import build_flags, match_forms, parse_forms, program_of_forms
from toolgate.programs.interpreters.script_interpreters import run_script_file
from toolgate.programs.packages.registries import publish_by_forms

from .clients import codes_of_files, interpret_codes
from .environment_sections import select_settings
from .framework_commands import DJANGO_COMMAND, FLASK_COMMAND, LARAVEL_COMMAND, MIX_TASK, seed_by_prisma, set_rails_environment
from .rollbacks import FLYWAY_FILES

TEST_ENVIRONMENTS = ("test", "testing", "ci")
_ENVIRONMENT_VARIABLES = "RAILS_ENV RACK_ENV APP_ENV NODE_ENV MIX_ENV DJANGO_ENV FLASK_ENV ASPNETCORE_ENVIRONMENT ENV".split()
_COMMON_OPTIONS = "--environment= -e= --env= --app= --config= -c= --schema= --settings= --database= --connection= --path= -d= --url= --dir= -p= --noinput --no-input --force -f -y,--yes --if-exists -v,--verbose -q,--quiet"


SettingsFinder = Callable[[tuple[Word, ...], ExecutionContext], tuple[str, ...]]
_ENVIRONMENT_FILES = (".env", ".env.local", ".env.development", ".env.development.local")


def _files_and_environment(*files: str) -> SettingsFinder:
    return lambda _argv, _context: (*files, *_ENVIRONMENT_FILES)


_environment_files = _files_and_environment()
_DOTNET_OPTIONS = "-c,--context= -p,--project= -s,--startup-project= --connection= -f,--force"
_DOTNET_SETTINGS = _files_and_environment("appsettings.Development.json", "appsettings.json")


def reset_program(
    text: str,
    options: str = _COMMON_OPTIONS,
    *,
    dry: str = "--dry-run --pretend --sql",
    settings: SettingsFinder = _environment_files,
) -> Program:
    """A tool with subcommands that lose data. A run in the test environment loses nothing of value, nor does one whose
    `settings` lead to a database of this machine."""
    every = parse_forms({"database.drop": text})
    flags = build_flags(options, every, dry)

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        parsed_options = flags.parse(argv)
        if parsed_options.has_flag("--help", "--version", *dry.split()) is not True:
            test = _is_test_environment(
                [word.text or "" for word in argv],
                [
                    *(word.text for word in parsed_options.values_of("--environment", "-e", "--env")),
                    *(_environment_of_settings(word) for word in parsed_options.values_of("--settings")),
                ],
                context,
            )
            named = [_text_as_typed(value) for _, value in parsed_options.values]
            for _, target in match_forms(every, parsed_options, len(flags.parse(argv, stop=True).strange)):
                local = _is_local_database(argv, named, settings, context)
                yield Operation("database.drop", context.origin, target, (("disposable", test), ("local", local)))
                break
        yield PrintedOutput(context.unknown_output(program_name(argv)))

    return Program(does=report_effects)


def _is_test_environment(words: list[str], environments: list[str | None], context: ExecutionContext) -> bool:
    values = [
        *environments,
        *(value for word in words for name, _, value in [word.partition("=")] if name in _ENVIRONMENT_VARIABLES),
    ]
    for name in _ENVIRONMENT_VARIABLES:
        value = context.get_variable(name)
        if value is not None:
            values.append(value.text)
    module = context.get_variable("DJANGO_SETTINGS_MODULE")
    values += [] if module is None else [_environment_of_settings(module)]
    return bool(values) and all(value in TEST_ENVIRONMENTS for value in values)


def _environment_of_settings(module: Word) -> str | None:
    """Returns the environment that a module of settings is named after: `app.settings_test`, `config.settings.test`."""
    names = re.split(r"[._]", module.text or "")
    return next((name for name in names if name in TEST_ENVIRONMENTS), module.text)


def _is_local_database(
    argv: tuple[Word, ...], environments: list[str | None], settings: SettingsFinder, context: ExecutionContext
) -> bool:
    """Returns whether the arguments name a database of this machine, or else the project's settings, and no variable another one."""
    texts = [text for word in argv if (text := _text_as_typed(word)) is not None]
    if len(texts) < len(argv) or None in environments:
        return False
    if not _REMOTE_OPTIONS.isdisjoint(texts) or any(map(is_in_production, texts)):
        return False
    values = [value for name in _ENVIRONMENT_VARIABLES for value in context.get_variables(name)]
    if any(value.text is None or is_in_production(value.text) for value in values):
        return False
    texts += [value.text for name in _ADDRESS_VARIABLES for value in context.get_variables(name) if value.text is not None]
    if addresses := [text for text in texts if _NAMES_DATABASE(text)]:
        return all(names_local_databases(text, context) for text in addresses)
    return not any(context.get_variables(name) for name in _REMOTE_VARIABLES) and has_local_settings(
        settings(argv, context), context
    )


def _text_as_typed(word: Word) -> str | None:
    """Returns the text of a word, in which a `?` or `*` that finds no file stays as it is: `postgres://localhost/x?sslmode=disable`."""
    if not all(isinstance(part, str) or is_glob(part) for part in word.parts):
        return None
    return "".join(part if isinstance(part, str) else part.like for part in word.parts)


_NAMES_DATABASE = re.compile(r"(?!(?:-[\w-]+=)?file://).*(?:://|@\w+\(|\bhost(?:addr)?=)").match
"""Matches a URL, Go's `user@tcp(host)/name`, or pairs with `host=`. `file://` names a folder of migrations."""

_REMOTE_OPTIONS = frozenset(("--linked", "--remote", "--db-url", "--project-ref"))
_ADDRESS_VARIABLES = (
    *("DB_URL", "DB_URI", "DB_DSN", "DATABASE_URI", "DATABASE_DSN", "SQLALCHEMY_DATABASE_URI", "SQLALCHEMY_DATABASE_URL"),
    *("SQLALCHEMY_URL", "ALEMBIC_DATABASE_URL", "MIGRATION_DATABASE_URL", "GOOSE_DBSTRING"),
)
"""Variables in which a call hands a database's address to a framework, or to the project's settings for it."""
_REMOTE_VARIABLES = ("DB_URL", "DATABASE_CONFIG", "RAILS_MASTER_KEY", "DATABASE_CONNECTION")


def rails_tasks(names: str) -> Program:
    """rails, rake: every operand is a task."""
    bad = frozenset(names.split())

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        options = Flags(
            "-e,--environment= -f,--rakefile= -n,--dry-run -T,--tasks -P,--prereqs -D -q,--quiet -s,--silent -t,--trace -j= -m -I= -r= -h,--help --version"
        ).parse(argv)
        if options.has_flag("--help", "--version", "--dry-run", "--tasks", "--prereqs") is not True:
            test = _is_test_environment(
                [word.text or "" for word in argv], [word.text for word in options.values_of("--environment")], context
            )
            for word in options.operands:
                task = (word.text or "").partition("[")[0]
                if task in bad or ":".join(task.split(":")[:2]) in bad:  # db:drop:primary, too
                    local = _is_local_database(argv, [], _rails_settings, context)
                    yield Operation("database.drop", context.origin, word, (("disposable", test), ("local", local)))
        yield PrintedOutput(context.unknown_output(program_name(argv)))

    return Program(does=report_effects)


def _flyway_settings(argv: tuple[Word, ...], _context: ExecutionContext) -> tuple[str, ...]:
    files = [word.outline.partition("=")[2] for word in argv if word.starts_with("-configFiles=") is True]
    return tuple(",".join(files).split(",")) if files else FLYWAY_FILES


_rails_settings = _files_and_environment("config/database.yml")


def _django_settings(argv: tuple[Word, ...], context: ExecutionContext) -> tuple[str, ...]:
    option = Flags("--settings= --pythonpath=").parse(argv).value_of("--settings")
    return (*find_django_settings(context, option), ".env")


_HEX = publish_by_forms("hex.publish|hex.retire; hex.owner add|remove", "--yes --organization= --replace")
_DELETES_WHOLE_MODEL = re.compile(
    r"\b(?!Repo\.)[A-Z]\w*(?:\.unscoped|\.all)?\.(?:delete_all|destroy_all)\b|\.objects(?:\.all\(\))?\.delete\(\)|\b[A-Z]\w*::(?:truncate|query\(\)->delete)\b"
    r"|\bdb\.drop_all\(|\bmetadata\.drop_all\(|\bDB::table\([^)]*\)->(?:delete|truncate)\(\)"
)
"""Deletion of every row of a model in Rails, Django and Laravel."""


def _named_environments(argv: tuple[Word, ...]) -> list[str | None]:
    """Returns the environments that `-e` and `--environment` name."""
    return [word.text for word in Flags("-e,--environment= -h,--help").parse(argv[1:]).values_of("--environment")]


_SHELL_VERBS = ("console", "c", "shell", "shell_plus", "tinker")


_SCRIPT_SUFFIXES = (".rb", ".exs", ".php", ".py")
_CLIENT_VERBS = ("dbshell", "dbconsole", "db")
"""Verbs that start the database's own client, which reads statements from standard input."""
_PRINTS_SQL = {"sqlflush": "TRUNCATE TABLE every_table;"}
"""Verbs that print SQL, with the statements they print."""


def add_model_shell(
    program: Program, language: str, verbs: tuple[str, ...], *options: str, settings: SettingsFinder = _environment_files
) -> Program:
    """Returns a tool with a shell that knows the project's models: code follows one of these verbs, or one of `options`."""

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        typed = context.stdin if len(argv) > 1 and argv[1].text in _SHELL_VERBS else EMPTY
        if typed.text is not None and _DELETES_WHOLE_MODEL.search(typed.text):
            flags = (
                ("disposable", _is_test_environment([], [], context)),
                ("local", _is_local_database(argv, [], settings, context)),
            )
            yield Operation("database.delete", context.origin, typed, flags)
        if typed.parts:
            yield Interpret(language, typed, context.origin, via=make_carrier(argv, argv[1].display_text))
        if len(argv) > 1 and argv[1].text in _CLIENT_VERBS and context.stdin.parts:
            yield Interpret("sql", context.stdin, context.origin, via=Carrier("psql", f"for {program_name(argv)}"))
        if len(argv) > 1 and argv[1].text in _PRINTS_SQL:
            yield PrintedOutput(known_word(_PRINTS_SQL[argv[1].text], context.unknown_output(program_name(argv)).src))
            return
        if len(argv) > 2 and argv[1].text in verbs:
            own = Flags("-e,--environment= -h,--help --skip-executor").parse(argv[1:]).operands[:1]
            codes = [value for option, value in pairwise(argv[2:]) if option.text in options] if options else list(own)
            codes = [context.stdin if word.text == "-" else word for word in codes]
            files = [word for word in own if word.tail.endswith(_SCRIPT_SUFFIXES) and " " not in word.outline]
            codes = [word for word in codes if word not in files]
            for file in files:
                yield from run_script_file(language, file, argv[argv.index(file) :], context)
            joined = [word.partition("=")[2] for word in argv[2:] if word.partition("=")[0].text in options]
            environments = [] if "-e" in options else _named_environments(argv)
            test = _is_test_environment([word.text or "" for word in argv], environments, context)
            for code in [*codes, *joined]:
                local = _is_local_database(argv[:2], [], settings, context)
                if _DELETES_WHOLE_MODEL.search(code.outline):
                    yield Operation("database.delete", context.origin, code, (("disposable", test), ("local", local)))
                via = make_carrier(argv, argv[1].display_text)
                yield Interpret(language, code, context.origin, via=via, of_test=test or local)
        yield from program.effects_of_call(argv, context)

    return Program(does=report_effects)


def add_printer(program: Program, forms: str) -> Program:
    """Returns a tool that prints the project's decrypted secrets with these subcommands."""
    return combine_programs(program, program_of_forms({"credential.print": forms}, "-e,--environment= --env= --key="))


_SUPABASE = reset_program(
    "db reset; migration down; projects|branches|functions|orgs|sso|domains|vanity-subdomains|snippets delete|remove; secrets unset;"
    " storage rm; stop --no-backup",
    "--workdir= --project-ref= --db-url= --linked --local --debug",
)


def supabase(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`supabase db reset` makes the stack of this machine again from the migrations, unless an option names another one."""
    words = [word.text for word in argv]
    is_stack = words[1:3] in (["db", "reset"], ["migration", "down"]) and None not in words
    is_stack = is_stack and _REMOTE_OPTIONS.isdisjoint((word or "").partition("=")[0] for word in words)
    for effect in _SUPABASE.effects_of_call(argv, context):
        yield effect._replace(flags=(("local", True),)) if is_stack and isinstance(effect, Operation) else effect


_RAILS = rails_tasks(
    "db:drop db:drop:all db:reset db:purge db:purge:all db:schema:load db:structure:load db:migrate:reset db:seed:replant db:truncate_all db:mongoid:drop db:mongoid:purge"
)


def prisma(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    yield from _PRISMA.effects_of_call(argv, context)
    yield from seed_by_prisma(argv, context)
    options = Flags("--stdin --file= --url= --schema= --help").parse(argv)
    if [word.text for word in options.operands[:2]] == ["db", "execute"] and options.has_flag("--help") is not True:
        files = list(options.values_of("--file"))
        codes = codes_of_files(files, context) if files else [(context.stdin, "")]
        yield from interpret_codes("sql", codes, None, "prisma", context)


_PRISMA = reset_program(
    "migrate reset; db push --force-reset|--accept-data-loss", settings=_files_and_environment("prisma/schema.prisma")
)
_DJANGO = reset_program(
    "flush; reset_db; reset_schema; migrate * zero", dry="--dry-run --plan --check", settings=_django_settings
)
_ARTISAN = reset_program("migrate:fresh; migrate:reset; migrate:refresh; db:wipe")
_SYMFONY = reset_program(
    "doctrine:database:drop; doctrine:schema:drop --force|--full-database; doctrine:fixtures:load; d:d:d; doctrine:mongodb:schema:drop",
    "-e,--env= --em= --connection= -f,--force --if-exists -n -q",
)
_YII = reset_program("migrate/fresh; migrate/down|migrate/redo all", "--interactive= --db= --migrationPath= --compact=")
_PHINX = reset_program(
    "** rollback -t=0|--target=0", "-t,--target= -c,--configuration= -e,--environment= -f,--force -d,--date= -p,--plugin="
)
_TYPEORM = reset_program("schema:drop", "-d,--dataSource= -f= -c=")
GOOSE = reset_program("** down-to 0; ** reset", "-dir= -table= -v -s")
"""The migration tool; an agent has the same name."""


def dbt(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`dbt run --full-refresh --target prod` drops the incremental tables, and builds them anew."""
    options = _DBT.parse(argv)
    target = options.value_of("--target")
    if options.has_flag("--full-refresh") is True and target is not None and is_in_production(target.text or ""):
        flags = (("disposable", False), ("local", False))
        yield Operation("database.drop", context.origin, known_word("incremental tables, which are built anew"), flags)
    yield PrintedOutput(context.unknown_output("dbt"))


_DBT = Flags(
    "-t,--target= -f,--full-refresh -s,-m,--select,--models= --exclude= --vars= --profiles-dir= --project-dir= --threads= --state="
)


def capistrano(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`cap production rails:rake:db:rollback`: a stage, then tasks."""
    stage, *tasks = [word.text or "" for word in argv[1:] if word.starts_with("-") is not True] or [""]
    for task in tasks:
        if is_in_production(stage) and _LOSING_TASK.search(task):
            yield Operation("database.drop", context.origin, known_word(task), (("disposable", False), ("local", False)))
    yield PrintedOutput(context.unknown_output("cap"))


_LOSING_TASK = re.compile(r"\bdb:(?:drop|reset|purge|rollback|truncate\w*|schema:load|migrate:(?:down|reset|redo))")


_MIX_SETTINGS = _files_and_environment("config/dev.exs")
_ECTO = reset_program("ecto.drop; ecto.reset; ecto.rollback --all", "-r,--repo= -n,--step= --all", settings=_MIX_SETTINGS)
ROWS: dict[str, Program] = {
    "rails": add_printer(
        set_rails_environment(add_model_shell(_RAILS, "ruby", ("runner", "r"), settings=_rails_settings)),
        "credentials:show|encrypted:show|secrets:show",
    ),
    "rake": _RAILS,
    "yii": _YII,
    **dict.fromkeys(("phinx", "cake"), _PHINX),
    "aerich": reset_program("downgrade -v=0", "-v= -d,--delete --yes -c,--config= --app="),
    "tern": reset_program("migrate -d=0|--destination=0", "-d,--destination= -m,--migrations= -c,--config= --database= --host="),
    **dict.fromkeys(
        ("manage.py", "django-admin"),
        combine_programs(
            add_model_shell(_DJANGO, "python", ("shell", "shell_plus"), "-c", "--command", settings=_django_settings),
            DJANGO_COMMAND,
        ),
    ),
    "artisan": combine_programs(add_model_shell(_ARTISAN, "php", ("tinker",), "--execute"), LARAVEL_COMMAND),
    "console": add_printer(_SYMFONY, "secrets:list --reveal; secrets:reveal"),
    "prisma": Program(does=prisma),
    "alembic": reset_program(
        "downgrade base", "-c,--config= -n,--name= -x= --raiseerr -q,--quiet", settings=_files_and_environment("alembic.ini")
    ),
    "flask": combine_programs(
        add_model_shell(reset_program("db downgrade base", "-A,--app= -e,--env-file= --debug -d,--directory="), "python", ()),
        FLASK_COMMAND,
    ),
    **dict.fromkeys(
        ("sequelize", "sequelize-cli"), select_settings(reset_program("db:drop; db:migrate:undo:all; db:seed:undo:all"))
    ),
    "knex": select_settings(
        reset_program("migrate:rollback --all; migrate:rollback * --all", "--env= --knexfile= --cwd= --client= --connection=")
    ),
    **dict.fromkeys(("typeorm", "typeorm-ts-node-commonjs", "typeorm-ts-node-esm"), _TYPEORM),
    **dict.fromkeys(
        ("mikro-orm", "mikro-orm-esm"),
        reset_program("schema:drop --run|-r; schema:fresh --run|-r; migration:fresh; database:drop"),
    ),
    "drizzle-kit": reset_program("push --force; drop", "--config= --dialect= --schema= --url= --verbose --strict"),
    "supabase": Program(does=supabase),
    "flyway": reset_program(
        "clean", "-url= -user= -password= -configFiles= -locations= -schemas= -environment=", settings=_flyway_settings
    ),
    "liquibase": reset_program(
        "drop-all; dropAll; drop-all-foreign-keys",
        "--url= --username= --password= --changelog-file= --changeLogFile= --defaults-file=",
    ),
    "mix": combine_programs(
        add_model_shell(
            add_model_shell(combine_programs(_HEX, _ECTO), "beam", ("eval",), settings=_MIX_SETTINGS),
            "beam",
            ("run",),
            "-e",
            "--eval",
            settings=_MIX_SETTINGS,
        ),
        MIX_TASK,
    ),
    "diesel": reset_program("database reset|drop; db reset|drop; migration revert --all"),
    "sqlx": reset_program("database|db drop|reset", "-D,--database-url= --source= -y"),
    **dict.fromkeys(
        ("sea-orm-cli", "sea"),
        reset_program("migrate fresh|refresh|reset", "-d,--migration-dir= -s,--database-schema= -u,--database-url= -v"),
    ),
    "hasura": reset_program(
        "migrate apply --down=all; metadata clear",
        "--down= --up= --goto= --version= --endpoint= --admin-secret= --project= --database-name=",
    ),
    "cap": Program(does=capistrano),
    "dbt": Program(does=dbt),
    "sqitch": reset_program("revert -y; revert --to=@ROOT; rebase -y", "-y -t,--target= --to= --onto= -C,--chdir= -m,--mode="),
    "dbmate": reset_program("drop", "-u,--url= -e,--env= -d,--migrations-dir= -s,--schema-file="),
    "migrate": reset_program("drop; down -all", "-path= -source= -database= -verbose -f -all"),
    "atlas": combine_programs(
        program_of_forms({"cloud.delete": "** delete|terminate"}, "--force --projectId= --orgId= -P,--profile= -o,--output="),
        reset_program("schema clean; schema apply --auto-approve", "-u,--url= --to= --dev-url= -c,--config= --env="),
    ),
    "dotnet-ef": reset_program("database drop; database update 0", _DOTNET_OPTIONS, settings=_DOTNET_SETTINGS),
    "dotnet": combine_programs(
        publish_by_forms("nuget push|delete", _DOTNET_OPTIONS),
        reset_program("ef database drop; ef database update 0", _DOTNET_OPTIONS, settings=_DOTNET_SETTINGS),
    ),
    "drush": reset_program("sql:drop; sql-drop; site:install; site-install; si", "-r,--root= -l,--uri= -y,--yes"),
}
