"""Clients of databases with other languages or argument styles: Cypher, ArangoDB's JavaScript, Oracle, DB2, HBase, query engines."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Operation, PrintedOutput, Read, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, join_words, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, program_name

from .clients import POSTGRES_HOST_VARIABLES, client_program, codes_of_files, interpret_codes


def sqlplus(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """sqlplus reads statements from standard input, or from the file after `@`."""
    files = [word.drop_first(1) for word in argv[1:] if word.starts_with("@") is True]
    yield from (Read(context.resolve_place(file), context.origin) for file in files)
    yield from interpret_codes(
        "sql", codes_of_files(files, context) if files else [(context.stdin, "")], None, "sqlplus", context
    )
    yield PrintedOutput(context.unknown_output("sqlplus"))


def db2(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """db2 takes a statement as arguments, or a file after `-f`, `-tvf`."""
    options = [word.text or "" for word in argv[1:] if word.starts_with("-") is True]
    words = [word for word in argv[1:] if word.starts_with("-") is not True]
    if any(option.endswith("f") for option in options):
        yield from (Read(context.resolve_place(file), context.origin) for file in words[:1])
        yield from interpret_codes("sql", codes_of_files(words[:1], context), None, "db2", context)
    else:
        yield from interpret_codes("sql", [(join_words(words) if words else context.stdin, "")], None, "db2", context)
    yield PrintedOutput(context.unknown_output("db2"))


_DELETES_BACKUPS = re.compile(r"\bdelete\b.*\b(backup|archivelog|obsolete|expired|copy)\b|\bdrop\s+database\b", re.IGNORECASE)


def rman(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """rman: commands that delete backups."""
    if any(_DELETES_BACKUPS.search(word.outline) for word in (*argv[1:], context.stdin)):
        yield Operation("database.drop", context.origin, known_word("backups"), (("disposable", False),))
    yield PrintedOutput(context.unknown_output("rman"))


_QUERY_ENGINE_OPTIONS = (
    "--server= --catalog= --schema= --user= --password --output-format= --client-tags= --session= --help --version"
)


def graph_shell(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """cypher-shell, arangosh: statements that drop or empty a database."""
    texts = [word.outline for word in argv[1:]] + [context.stdin.text or ""]
    for text in texts:
        if _DROPS_DATABASE.search(text):
            yield Operation("database.drop", context.origin, known_word("a database or collection"), (("disposable", False),))
        elif _DELETES_ALL_NODES.search(text):
            yield Operation("database.delete", context.origin, known_word("every node"), (("disposable", False),))
    yield PrintedOutput(context.unknown_output(program_name(argv)))


_DROPS_DATABASE = re.compile(r"\bdb\._drop\w*\(|\.drop\(\)|\bDROP\s+DATABASE\b", re.IGNORECASE)


_DELETES_ALL_NODES = re.compile(
    r"\bMATCH\s*\(\s*\w*\s*(?::\s*\w+\s*)?\)\s*(?:DETACH\s+)?DELETE\b|\.truncate\(\)|MATCH\s*\(\w*\)\s*CALL\b.*\bDELETE\b",
    re.IGNORECASE,
)


_PGCLI = Flags("-h,--host= -p,--port= -U,--username= -d,--dbname= -e,--execute= -f,--file= -W -w -l,--list --help --version")
_HBASE_DROPS = ("drop", "drop_all", "truncate", "truncate_preserve", "deleteall", "drop_namespace")


def hbase(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`hbase shell` reads commands from standard input."""
    text = "".join(part for part in context.stdin.parts if isinstance(part, str))
    for line in text.splitlines() if len(argv) > 1 and argv[1].text == "shell" else ():
        if (line.split() or [""])[0] in _HBASE_DROPS:
            yield Operation("database.drop", context.origin, known_word(line.strip()), (("disposable", False),))
    yield PrintedOutput(context.unknown_output("hbase"))


ROWS: dict[str, Program] = {
    "pgcli": client_program(
        _PGCLI, POSTGRES_HOST_VARIABLES, code="--execute", files="--file", database="--dbname", operand="database"
    ),
    **dict.fromkeys(("cypher-shell", "arangosh"), Program(does=graph_shell)),
    "sqlplus": Program(does=sqlplus),
    "db2": Program(does=db2),
    "rman": Program(does=rman),
    **dict.fromkeys(
        ("trino", "presto"),
        client_program(Flags(f"--execute= -f,--file= {_QUERY_ENGINE_OPTIONS}"), code="--execute", files="--file"),
    ),
    "mysqlsh": client_program(
        Flags(
            "-e,--execute= -f,--file= -D,--schema= -h,--host= -P,--port= -u,--user= -p,--password=? --uri= --sql --js --py --json=? -i,--interactive=? --help -V,--version"
        ),
        code="--execute",
        files="--file",
        database="--schema",
    ),
    "impala-shell": client_program(
        Flags(
            "-q,--query= -f,--query_file= -i,--impalad= -d,--database= -o,--output_file=write -B -k -u,--user= --ssl -h,--help --version"
        ),
        code="--query",
        files="--query_file",
        database="--database",
    ),
    "vsql": client_program(
        Flags("-c= -f= -d= -h= -p= -U= -w= -o=write -A -t -X --help --version"), code="-c", files="-f", database="-d"
    ),
    "osql": client_program(
        Flags("-Q= -q= -i= -o=write -S= -U= -P= -d= -E -b -n -h= -s= -w= -?,--help"), code="-Q -q", files="-i", database="-d"
    ),
    **dict.fromkeys(
        ("isql", "fisql"), client_program(Flags("-S= -U= -P= -D= -i= -o=write -b -v"), code="-Q", files="-i", database="-D")
    ),
    "hbase": Program(does=hbase),
}
