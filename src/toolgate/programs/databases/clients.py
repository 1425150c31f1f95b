"""Databases: code for their clients from options, files and standard input, and the tools that drop them."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from toolgate.locality import is_local_database
from toolgate.model.effect import Carrier, Interpret, Operation, PrintedOutput, Read, ReportedEffect, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import EMPTY, Word, known_word, pipe_content, unknown_word
from toolgate.programs.argv.options import Flags, ParsedOptions
from toolgate.programs.argv.program import Program, program_name
from toolgate.programs.argv.subcommands import program_of_forms

from .copies import send_statements


def interpret_codes(
    language: str,
    codes: list[tuple[Word, str]],
    database: Word | None,
    client: str,
    context: ExecutionContext,
    host: Word | None = None,
) -> Iterator[ReportedEffect]:
    """Interprets codes with the files they come from. Unknown code is often a dump, for which its source matters."""
    args = (database or EMPTY, host) if host is not None else (database,) if database is not None else ()
    for code, file in codes:
        if code.src or any(isinstance(part, str) and part.strip() for part in code.parts):
            yield Interpret(
                language,
                code,
                context.origin,
                args,
                Carrier(client, " ".join(filter(None, (database.display_text if database else "", file)))),
                file=file,
            )


def codes_of_files(files: list[Word], context: ExecutionContext) -> list[tuple[Word, str]]:
    """Returns the content of files, and the output of `<(...)`."""
    codes: list[tuple[Word, str]] = []
    for file in files:
        if (printed := pipe_content(file)) is not None:
            codes.append((printed, ""))
        elif file.text == "/dev/stdin":
            codes.append((context.stdin, ""))
        elif file.text != "-":
            codes += [(content, file.display_text) for content in context.read_alternatives(file)]
    return codes


@dataclass(frozen=True, slots=True)
class Client:
    """`code`, `files`, `database`: the options for each. `operand`: what the operands are (database, code*). `verb`: the
    subcommand that starts the client. `name_variable`: the variable with the name of a database where none is given."""

    flags: Flags
    code: str
    files: str = ""
    database: str = ""
    operand: str = ""
    verb: str = ""
    host_variables: tuple[str, ...] = ()
    name_variable: str = ""

    def report_effects(self, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        options = self.flags.parse(argv)
        if options.has_flag("--help", "--version") is True:
            return
        if not self.verb or (options.operands and options.operands.pop(0).text == self.verb):
            yield from self._effects_of_statements(argv, options, context)
        yield PrintedOutput(context.unknown_output(program_name(argv)))

    def _effects_of_statements(
        self, argv: tuple[Word, ...], options: ParsedOptions, context: ExecutionContext
    ) -> Iterator[ReportedEffect]:
        operands = options.operands
        name = options.value_of(*self.database.split())
        if name is None and self.operand.startswith("database") and operands:
            name = operands.pop(0)
        if name is None and (values := context.get_variables(self.name_variable)):
            name = values[0] if len(values) == 1 else unknown_word("the database")
        yield from _files_of_options(self.flags, options, program_name(argv), context)
        codes = [(word, "") for word in options.values_of(*self.code.split())]
        if self.operand.endswith("code*"):
            codes += [(word, "") for word in operands]
        files = list(options.values_of(*self.files.split()))
        yield from _read_files(files, context)
        codes += codes_of_files(files, context)
        host = host_of_call(options, context, self.host_variables)
        if (not codes and not files) or any(word.text == "-" for word in files):
            codes.append((context.stdin, ""))
            yield from send_statements(name, host, program_name(argv), context)
        yield from interpret_codes("sql", codes, name, program_name(argv), context, host)


def host_of_call(options: ParsedOptions, context: ExecutionContext, variables: tuple[str, ...]) -> Word:
    """Returns the host that a client connects to; empty for this machine's socket, unknown if there may be several."""
    if (option := options.value_of("--host", "--socket", "-S", "-H")) is not None:
        return option
    found = next((values for name in variables if (values := context.get_variables(name))), ())
    return EMPTY if not found else found[0] if len(found) == 1 else unknown_word("the host")


POSTGRES_HOST_VARIABLES = ("PGHOSTADDR", "PGHOST", "PGSERVICE")
POSTGRES_NAME_VARIABLE = "PGDATABASE"
_MYSQL_HOST_VARIABLES = ("MYSQL_HOST", "MYSQL_UNIX_PORT")


def client_program(flags: Flags, host_variables: tuple[str, ...] = (), **options: str) -> Program:
    return Program(does=Client(flags, host_variables=host_variables, **options).report_effects)


def _files_of_options(flags: Flags, options: ParsedOptions, how: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    for option, value in options.values:
        role = flags.roles.get(option)
        if role == "read":
            yield Read(context.resolve_place(value), context.origin)
        elif role == "write" and value.text != "-":
            yield Write(context.resolve_place(value), context.unknown_output(how), False, context.origin)


def _read_files(files: list[Word], context: ExecutionContext) -> Iterator[ReportedEffect]:
    return (Read(context.resolve_place(file), context.origin) for file in files if file.text != "-")


def is_test_database(name: Word) -> bool:
    """Returns whether the name is that of a test database (`app_test`, `test_app`), which every test run recreates."""
    return (name.text is not None and name.text.startswith("test_")) or name.tail.endswith(("_test", "_tests"))


def drop_program(flags: Flags, kind: str) -> Program:
    """dropdb, dropuser: the operand is dropped."""

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        options = flags.parse(argv)
        if options.operands and options.has_flag("--help", "--version") is not True:
            name = options.operands[0]
            local = kind == "database" and is_local_database(
                name, host_of_call(options, context, POSTGRES_HOST_VARIABLES), context
            )
            yield Operation(
                "database.drop",
                context.origin,
                known_word(f"the {kind} ") + name,
                (("disposable", is_test_database(name)), ("local", local)),
            )

    return Program(does=report_effects, silent=True)


def mysqladmin(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = MYSQL.parse(argv)
    words = [word.text for word in options.operands]
    if "drop" in words[:-1] and options.has_flag("--help") is not True:
        name = options.operands[words.index("drop") + 1]
        local = is_local_database(name, host_of_call(options, context, _MYSQL_HOST_VARIABLES), context)
        yield Operation(
            "database.drop", context.origin, known_word("the database ") + name, (("disposable", False), ("local", local))
        )
    if "shutdown" in words:
        yield Operation("service.control", context.origin, known_word("mysql"), (("stop", True), ("user", False)))
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def pg_restore(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = Flags(
        "-a,--data-only -c,--clean -C,--create -d,--dbname= -e,--exit-on-error -f,--file=write -F,--format= -I,--index= -j,--jobs= -l,--list -L,--use-list=read"
        " -n,--schema= -N,--exclude-schema= -O,--no-owner -P,--function= -s,--schema-only -S,--superuser= -t,--table= -T,--trigger= -v,--verbose -V,--version"
        " -x,--no-privileges,--no-acl -1,--single-transaction --if-exists --section= --role= -h,--host= -p,--port= -U,--username= -w,--no-password -W,--password"
        " --no-comments --disable-triggers --no-tablespaces -?,--help"
    ).parse(argv)
    if options.has_flag("--help", "--version", "--list") is True:
        return
    database = options.value_of("--dbname")
    for word in options.values_of("--file"):
        if word.text != "-":
            yield Write(context.resolve_place(word), context.unknown_output("pg_restore"), False, context.origin)
    if options.has_flag("--clean") is True and database is not None:
        local = is_local_database(database, host_of_call(options, context, POSTGRES_HOST_VARIABLES), context)
        yield Operation(
            "database.drop", context.origin, known_word("what is in ") + database, (("disposable", False), ("local", local))
        )


PSQL = Flags(
    "-c,--command= -d,--dbname= -f,--file= -l,--list -v,--set,--variable= -V,--version -X,--no-psqlrc -1,--single-transaction -?,--help=? -a,--echo-all -b,--echo-errors"
    " -e,--echo-queries -E,--echo-hidden -L,--log-file=write -n,--no-readline -o,--output=write -q,--quiet -s,--single-step -S,--single-line -A,--no-align --csv"
    " -F,--field-separator= -H,--html -P,--pset= -R,--record-separator= -t,--tuples-only -T,--table-attr= -x,--expanded -z,--field-separator-zero"
    " -0,--record-separator-zero -h,--host= -p,--port= -U,--username= -w,--no-password -W,--password"
)
MYSQL = Flags(
    "-e,--execute= -D,--database= -h,--host= -P,--port= -u,--user= -p,--password=? -S,--socket= --protocol= -N,--skip-column-names -B,--batch -s,--silent -r,--raw"
    " -t,--table -E,--vertical -v,--verbose -f,--force -A,--no-auto-rehash -C,--compress -n,--unbuffered -q,--quick -w,--wait --default-character-set= --ssl-mode="
    " --ssl-ca= --ssl-cert= --ssl-key= --defaults-file=read --defaults-extra-file=read --defaults-group-suffix= --login-path= --init-command= --tee=write --show-warnings"
    " --local-infile=? --max-allowed-packet= --connect-timeout= -U,--safe-updates --column-names --delimiter= -X,--xml -H,--html -V,--version -?,--help"
)
SQLITE = Flags(
    "-cmd= -init= -batch -bail -csv -json -header -noheader -line -list -column -html -tabs -table -box -markdown -separator= -newline= -nullvalue= -readonly -safe"
    " -echo -interactive -version,--version -help,--help -ascii -quote -deserialize -append -A -vfs= -maxsize= -mmap= -stats -unsafe-testing -nofollow -memtrace -escape="
)
MONGO = Flags(
    "--eval= -f,--file= --host= --port= -u,--username= -p,--password=? --authenticationDatabase= --authenticationMechanism= --quiet --shell --nodb --norc --tls --ssl"
    " --tlsCAFile= --tlsCertificateKeyFile= --tlsAllowInvalidCertificates --tlsAllowInvalidHostnames --json=? --retryWrites=? --apiVersion= --verbose --help -h --version"
)
_DROPDB = Flags(
    "-e,--echo -f,--force -i,--interactive --if-exists -h,--host= -p,--port= -U,--username= -w,--no-password -W,--password --maintenance-db= -V,--version -?,--help"
)


def _file_of_address(database: Word) -> Word:
    """Returns the file of `file:PATH?immutable=1`."""
    if database.starts_with("file:") is not True:
        return database
    return database.drop_first(len("file:")).partition("?")[0]


def sqlite(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = SQLITE.parse(argv)
    if options.has_flag("--help", "--version") is True:
        return
    database = _file_of_address(options.operands[0]) if options.operands else None
    if database is not None and database.text not in (":memory:", ""):
        yield Read(context.resolve_place(database), context.origin)
    codes = [(word, "") for word in (*options.values_of("-cmd"), *options.operands[1:])]
    for file in options.values_of("-init"):
        yield Read(context.resolve_place(file), context.origin)
        codes += codes_of_files([file], context)
    if not options.operands[1:]:
        codes.append((context.stdin, ""))
    if options.has_flag("-readonly") is not True:
        yield from interpret_codes("sql", codes, database, program_name(argv), context)
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def mongo_shell(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = MONGO.parse(argv)
    if options.has_flag("--help", "--version") is True:
        return
    codes = [(word, "") for word in options.values_of("--eval")]
    files = [*options.values_of("--file"), *(word for word in options.operands if word.tail.endswith((".js", ".mongodb")))]
    yield from _read_files(files, context)
    codes += codes_of_files(files, context)
    if not codes and not files:
        codes.append((context.stdin, ""))
    database = next((word for word in options.operands if not word.tail.endswith((".js", ".mongodb"))), None)
    yield from interpret_codes("mongo", codes, database, program_name(argv), context, options.value_of("--host") or EMPTY)
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def restore_program(flags: Flags, replaces: str) -> Program:
    """Tools that restore data; with `replaces` they drop the existing data first."""

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        options = flags.parse(argv)
        if options.has_flag(replaces) is True and options.has_flag("--help", "--dryRun") is not True:
            name = options.value_of("--db") or known_word("the database")
            yield Operation("database.drop", context.origin, name, (("disposable", False),))
        yield PrintedOutput(context.unknown_output(program_name(argv)))

    return Program(does=report_effects)


_INFLUX = program_of_forms(
    {"database.drop": "bucket|org|user delete; delete --predicate; delete"},
    "-b,--bucket= -o,--org= -t,--token= --host= -p,--predicate= --start= --stop=",
)


def influx(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """The first version takes statements like SQL, the second has subcommands."""
    codes = [(value, "") for option, value in pairwise(argv) if option.text in ("-execute", "--execute")]
    yield from interpret_codes("sql", codes, None, "influx", context)
    if not codes:
        yield from _INFLUX.effects_of_call(argv, context)


ROWS: dict[str, Program] = {
    "psql": client_program(
        PSQL,
        POSTGRES_HOST_VARIABLES,
        code="--command",
        files="--file",
        database="--dbname",
        operand="database",
        name_variable=POSTGRES_NAME_VARIABLE,
    ),
    **dict.fromkeys(
        ("mysql", "mariadb", "mycli"),
        client_program(MYSQL, _MYSQL_HOST_VARIABLES, code="--execute --init-command", database="--database", operand="database"),
    ),
    "usql": client_program(
        Flags("-c,--command= -f,--file= -o,--out=write -q,--quiet -t -A -H -J -C -v,--set= --help -V,--version"),
        code="--command",
        files="--file",
        operand="database",
    ),
    "duckdb": client_program(
        Flags(
            "-c= -s= -cmd= -f= -init= -csv -json -readonly -markdown -line -list -box -noheader -header -help,--help -version,--version"
        ),
        code="-c -s -cmd",
        files="-f -init",
        operand="database code*",
    ),
    **dict.fromkeys(("sqlite3", "sqlite", "litecli"), Program(does=sqlite)),
    "cockroach": client_program(
        Flags(
            "-e,--execute= -f,--file= -d,--database= --url= --host= --port= -u,--user= --certs-dir= --insecure --format= --set= --watch= --help --version"
        ),
        code="--execute",
        files="--file",
        database="--database",
        verb="sql",
    ),
    **dict.fromkeys(
        ("clickhouse-client", "clickhouse-local", "clickhouse"),
        client_program(
            Flags(
                "-q,--query= --queries-file= -d,--database= -h,--host= --port= -u,--user= --password= -n,--multiquery -m,--multiline -t,--time --secure -f,--format= --help -V,--version"
            ),
            code="--query",
            files="--queries-file",
            database="--database",
        ),
    ),
    "cqlsh": client_program(
        Flags(
            "-e,--execute= -f,--file= -k,--keyspace= -u,--username= -p,--password= --ssl --request-timeout= --connect-timeout= -C,--color --no-color --cqlversion= --debug -h,--help --version"
        ),
        code="--execute",
        files="--file",
        database="--keyspace",
    ),
    "sqlcmd": client_program(
        Flags(
            "-Q= -q= -i= -o=write -S= -U= -P= -d= -E -C -b -h= -s= -W -w= -t= -l= -N=? -m= -r=? -v= -x -y= -Y= -I -k=? -u -a= -f= -G -?,--help --version"
        ),
        code="-Q -q",
        files="-i",
        database="-d",
    ),
    "snowsql": client_program(
        Flags(
            "-q,--query= -f,--filename= -a,--accountname= -u,--username= -d,--dbname= -s,--schemaname= -w,--warehouse= -o,--option= -c,--connection= --help -v,--version"
        ),
        code="--query",
        files="--filename",
        database="--dbname",
    ),
    "snow": client_program(
        Flags("-q,--query= -f,--filename= -c,--connection= --database= --schema= --format= -i,--stdin --help --version"),
        code="--query",
        files="--filename",
        database="--database",
        verb="sql",
    ),
    "spark-sql": client_program(
        Flags("-e= -f= --database= --master= --conf= -S --help"), code="-e", files="-f", database="--database"
    ),
    "beeline": client_program(Flags("-e= -f= -u= -n= -p= --silent=? --outputformat= --help"), code="-e", files="-f"),
    "hive": client_program(
        Flags("-e= -f= -S --database= --hiveconf= --hivevar= --help"), code="-e", files="-f", database="--database"
    ),
    "dropdb": drop_program(_DROPDB, "database"),
    "pg_dropcluster": Program(operation="database.drop"),
    "dropuser": drop_program(_DROPDB, "user"),
    **dict.fromkeys(("mysqladmin", "mariadb-admin"), Program(does=mysqladmin)),
    "pg_restore": Program(does=pg_restore),
    **dict.fromkeys(("mongo", "mongosh"), Program(does=mongo_shell)),
    **dict.fromkeys(
        ("mongorestore", "mongoimport"),
        restore_program(
            Flags(
                "--drop -d,--db= -c,--collection= --uri= --host= --port= -u,--username= -p,--password= --file= --archive=? --gzip --dryRun --jsonArray --type= --help"
            ),
            "--drop",
        ),
    ),
    "influx": Program(does=influx),
    "influxd": Program(),
    "etcdctl": program_of_forms(
        {"database.delete": "del --prefix|--from-key"}, "--endpoints= --cacert= --cert= --key= --user= -w,--write-out="
    ),
}
