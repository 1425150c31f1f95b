"""Clients of databases with other languages or argument styles: Cypher, ArangoDB's JavaScript, Oracle, DB2, query engines."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Operation, Prints, Read, Reported
from toolgate.model.seen import Seen
from toolgate.model.word import Word, joined, known

from .databases import OF_POSTGRES, client, file_codes, interpreted
from .options import Flags
from .program import Program, via


def oracle(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """sqlplus reads statements from standard input, or from the file after `@`."""
    files = [word.cut(1) for word in argv[1:] if word.starts("@") is True]
    yield from (Read(seen.place(file), seen.origin) for file in files)
    yield from interpreted("sql", file_codes(files, seen) if files else [(seen.stdin, "")], None, "sqlplus", seen)
    yield Prints(seen.output("sqlplus"))


def mainframe(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """db2 takes a statement as arguments, or a file after `-f`, `-tvf`."""
    options = [word.text or "" for word in argv[1:] if word.starts("-") is True]
    words = [word for word in argv[1:] if word.starts("-") is not True]
    if any(option.endswith("f") for option in options):
        yield from (Read(seen.place(file), seen.origin) for file in words[:1])
        yield from interpreted("sql", file_codes(words[:1], seen), None, "db2", seen)
    else:
        yield from interpreted("sql", [(joined(words) if words else seen.stdin, "")], None, "db2", seen)
    yield Prints(seen.output("db2"))


_RESTORES = re.compile(r"\bdelete\b.*\b(backup|archivelog|obsolete|expired|copy)\b|\bdrop\s+database\b", re.IGNORECASE)


def recovery(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """rman: commands that delete backups."""
    if any(_RESTORES.search(word.shown) for word in (*argv[1:], seen.stdin)):
        yield Operation("database.drop", seen.origin, known("backups"), (("disposable", False),))
    yield Prints(seen.output("rman"))


_ENGINE = "--server= --catalog= --schema= --user= --password --output-format= --client-tags= --session= --help --version"


def graph(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """cypher-shell, arangosh: statements that drop or empty a database."""
    texts = [word.shown for word in argv[1:]] + [seen.stdin.text or ""]
    for text in texts:
        if _DROPS.search(text):
            yield Operation("database.drop", seen.origin, known("a database or collection"), (("disposable", False),))
        elif _EMPTIES.search(text):
            yield Operation("database.delete", seen.origin, known("every node"), (("disposable", False),))
    yield Prints(seen.output(via(argv)))


_DROPS = re.compile(r"\bdb\._drop\w*\(|\.drop\(\)|\bDROP\s+DATABASE\b", re.IGNORECASE)


_EMPTIES = re.compile(
    r"\bMATCH\s*\(\s*\w*\s*\)\s*(?:DETACH\s+)?DELETE\b|\.truncate\(\)|MATCH\s*\(\w*\)\s*CALL\b.*\bDELETE\b", re.IGNORECASE
)


_PGCLI = Flags("-h,--host= -p,--port= -U,--username= -d,--dbname= -e,--execute= -f,--file= -W -w -l,--list --help --version")
ROWS: dict[str, Program] = {
    "pgcli": client(_PGCLI, OF_POSTGRES, code="--execute", files="--file", database="--dbname", operand="database"),
    **dict.fromkeys(("cypher-shell", "arangosh"), Program(does=graph)),
    "sqlplus": Program(does=oracle),
    "db2": Program(does=mainframe),
    "rman": Program(does=recovery),
    **dict.fromkeys(("trino", "presto"), client(Flags(f"--execute= -f,--file= {_ENGINE}"), code="--execute", files="--file")),
    "mysqlsh": client(
        Flags(
            "-e,--execute= -f,--file= -D,--schema= -h,--host= -P,--port= -u,--user= -p,--password=? --uri= --sql --js --py --json=? -i,--interactive=? --help -V,--version"
        ),
        code="--execute",
        files="--file",
        database="--schema",
    ),
    "impala-shell": client(
        Flags(
            "-q,--query= -f,--query_file= -i,--impalad= -d,--database= -o,--output_file=write -B -k -u,--user= --ssl -h,--help --version"
        ),
        code="--query",
        files="--query_file",
        database="--database",
    ),
    "vsql": client(Flags("-c= -f= -d= -h= -p= -U= -w= -o=write -A -t -X --help --version"), code="-c", files="-f", database="-d"),
    "osql": client(
        Flags("-Q= -q= -i= -o=write -S= -U= -P= -d= -E -b -n -h= -s= -w= -?,--help"), code="-Q -q", files="-i", database="-d"
    ),
    **dict.fromkeys(("isql", "fisql"), client(Flags("-S= -U= -P= -D= -i= -o=write -b -v"), code="-Q", files="-i", database="-D")),
}
