"""Databases that are asked in other ways than by a client of SQL: Cypher, Arango's JavaScript, Oracle's own prompt."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Operation, Prints, Read, Reported
from toolgate.model.seen import Seen
from toolgate.model.word import Word, known

from .databases import file_codes, interpreted
from .program import Program, via


def oracle(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """sqlplus: statements from standard input, or from the file behind `@`."""
    files = [word.cut(1) for word in argv[1:] if word.starts("@") is True]
    yield from (Read(seen.place(file), seen.origin) for file in files)
    yield from interpreted("sql", file_codes(files, seen) if files else [(seen.stdin, "")], None, "sqlplus", seen)
    yield Prints(seen.output("sqlplus"))


def graph(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """cypher-shell, arangosh: what they are told to drop or to empty."""
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


ROWS: dict[str, Program] = {
    **dict.fromkeys(("cypher-shell", "arangosh"), Program(does=graph)),
    "sqlplus": Program(does=oracle),
}
