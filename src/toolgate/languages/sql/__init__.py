"""SQL as passed to database clients: statements, and the clients' own commands.

A statement that may lose data is parsed by sqlglot; one it does not support is read by its words. `args` of the code: the
database.
"""

import re
import shlex
from collections.abc import Iterator

from toolgate.flows.selected_rows import SELECTED_ROWS
from toolgate.languages import word_from_text
from toolgate.locality import (
    is_in_production,
    is_named_production,
    is_remote_database,
    names_production,
)
from toolgate.model.effect import Carrier, Connect, Interpret, Operation, PrintedOutput, Read, ReportedEffect, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.unread_code import opaque_for_unread
from toolgate.model.word import Word
from toolgate.safeguards import find_weakened

from . import statements
from .database_places import is_disposable, is_local, is_test_database
from .exports import find_shared_bucket
from .grants import find_grant, find_promotion
from .losses import Loss, changes_database, drops_temporary_table, find_losses
from .settings import list_changed_settings
from .statements import MYSQL, POSTGRES, SQL_SERVER, SQLITE, Statement

_MAX_TEXT = 300_000
_MAX_DEPTH = 4
_TRANSACTION_ENDS = ("COMMIT", "END", "ROLLBACK", "PREPARE", "CALL", "DO", "ABORT")
_MAX_PARSED = 300
_MAX_REPORTED = 30
_EXECUTING_WORDS = ("DO", "EXECUTE", "EXEC", "PREPARE", "CALL", "SP_EXECUTESQL", "BEGIN", "DECLARE")
_LOSING_STATEMENT = re.compile(r"\s*(?:drop\s+\w+|truncate)\s", re.IGNORECASE)
_REMOTE_FUNCTIONS = frozenset(("DBLINK_EXEC", "DBLINK", "OPENQUERY", "QUERY_TO_XML"))
_SHELL_FUNCTIONS = ("XP_CMDSHELL", "SYS_EXEC", "SYS_EVAL", "SHELL", "SYSTEM")
_TABLES_OF_FILES = ("READ_TEXT", "READ_BLOB", "READ_CSV", "READ_CSV_AUTO", "READ_JSON", "READ_PARQUET", "OPENROWSET")
_READ_FILES = ("PG_READ_FILE", "PG_READ_BINARY_FILE", "LO_IMPORT", "LOAD_FILE", "READFILE", "LOAD_EXTENSION", *_TABLES_OF_FILES)
_ATTACHES_SERVER = re.compile(
    r"(?i)\battach\b[^;]*(?:\btype\s+(?:postgres|mysql|mssql|snowflake)|://(?!localhost|127\.)|\bhost=(?!localhost|127\.))"
)
"""Matches a database of a server that DuckDB opens beside its own."""
_ENDPOINTS = ("S3_ENDPOINT", "ENDPOINT")
_PASSWORD_TABLES = frozenset(("PG_SHADOW", "PG_AUTHID", "AUTHENTICATION_STRING"))


def read(code: Interpret, text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    client = code.via.program.rpartition("/")[2] if code.via is not None else ""
    database, host = (*code.args, None, None)[:2]
    reader = _StatementReader(client, database or None, host, context, is_test=code.of_test)
    if _ATTACHES_SERVER.search(text):
        reader.leave_this_machine()
    if len(text) > _MAX_TEXT:
        yield opaque_for_unread(code.file or "this SQL", f"it is longer than {_MAX_TEXT:,} characters", context.origin)
    yield from reader.read_statements(text[:_MAX_TEXT])
    yield PrintedOutput(context.unknown_output(client or "sql"))


class _StatementReader:
    def __init__(
        self, client: str, database: Word | None, host: Word | None, context: ExecutionContext, *, is_test: bool = False
    ) -> None:
        self._client, self._seen, self._is_test = client, context, is_test
        self._endpoint = ""
        """Where the statements' object store is, if they set it."""
        self._connect(database, host)

    def _connect(self, database: Word | None, host: Word | None) -> None:
        """Takes what follows for statements to this database."""
        self._database, self._host = database, host
        is_of_production = is_in_production(host.text or "" if host else "")
        self._disposable = is_disposable(self._client, database, self._seen) and not is_of_production
        self._local = self._is_test or is_local(self._client, database, host, self._seen)
        self._is_production = any(map(names_production, (database, host)))
        self._is_remote = self._is_production or is_remote_database(database, host, self._seen)

    def leave_this_machine(self) -> None:
        """Takes the database for one of another machine: the text opens one beside it."""
        self._local = self._disposable = False

    def read_statements(self, text: str, depth: int = 0) -> Iterator[ReportedEffect]:
        every = list(statements.split_statements(text, self._client))
        reported = 0
        for n, statement in enumerate(every):
            if statement.command:
                yield from self._read_client_command(statement.command)
                continue
            yield from self._read_external_access(statement)
            yield from self._send_rows(statement)
            ends_sessions = self._is_remote and _ENDS_SESSIONS(statement.text) is not None
            if ends_sessions or (statement.starts_with("SHUTDOWN") and self._client in MYSQL | SQL_SERVER):
                yield Operation(
                    "service.control", self._seen.origin, word_from_text(self._client), (("stop", True), ("user", False))
                )
            if statement.starts_with("SELECT"):
                yield from self._read_selection(statement)
            if statement.starts_with("SELECT", "COPY", "TABLE") and not _PASSWORD_TABLES.isdisjoint(statement.words):
                yield Operation("credential.print", self._seen.origin, word_from_text("passwords of the database's accounts"))
            grant = find_grant(statement) or (find_promotion(statement) if self._belongs_to_others() else None)
            if grant is not None:
                yield Operation("database.grant", self._seen.origin, word_from_text(grant), (("disposable", self._disposable),))
            if weakened := find_weakened(list_changed_settings(statement)):
                flags = (("dry_run", False), ("local", self._local))
                yield Operation("safeguard.weaken", self._seen.origin, word_from_text(weakened), flags)
            yield from self._read_executed_code(statement, depth, computes="\\gexec" in text)
            if reported >= _MAX_REPORTED or drops_temporary_table(statement, every[:n]):
                continue  # one loss is as severe as many
            for change in self._find_changes(statement, by_words=n >= _MAX_PARSED, is_rolled_back=self._is_rolled_back(every, n)):
                yield change
                reported += 1

    def _find_changes(self, statement: Statement, *, by_words: bool, is_rolled_back: bool) -> Iterator[Operation]:
        """Yields what a statement loses, or that it changes a database of production."""
        for loss in find_losses(statement, self._client, by_words=by_words):
            is_far = self._is_remote or _names_production_table(statement.text)
            if loss.partial and not (is_far if loss.deleted else self._is_production):
                continue
            if loss.dropped or not is_rolled_back:
                yield self._make_operation(loss)
        is_of_production = self._is_production or _changes_production_table(statement.text)
        if is_of_production and self._client not in SQLITE and changes_database(statement) and not is_rolled_back:
            target = word_from_text("what a database holds")
            yield Operation("production.change", self._seen.origin, target, (("named", True),))

    def _belongs_to_others(self) -> bool:
        """Returns whether the database is of another machine, or a file of another program."""
        return self._is_remote or (self._client in SQLITE and not self._local and not self._disposable)

    def _is_rolled_back(self, every: list[Statement], at: int) -> bool:
        """Returns whether the statement is in a transaction that certainly ends in ROLLBACK. MySQL commits implicitly before
        many statements."""
        if self._client not in POSTGRES | SQLITE:
            return False
        before = (each for each in reversed(every[:at]) if each.command or each.starts_with("BEGIN", "START", *_TRANSACTION_ENDS))
        after = (each for each in every[at + 1 :] if each.command or each.starts_with(*_TRANSACTION_ENDS))
        opening, closing = next(before, None), next(after, None)
        return (
            opening is not None
            and opening.starts_with("BEGIN", "START")
            and closing is not None
            and closing.starts_with("ROLLBACK")
            and len(closing.tokens) == 1
        )

    def _make_operation(self, loss: Loss) -> Operation:
        name = "database.drop" if loss.dropped else "database.delete"
        local = self._local and not is_in_production(loss.what)
        is_for_test = loss.dropped and not self._is_remote and is_test_database(loss.what)
        flags = (
            ("disposable", self._disposable or is_for_test),
            ("local", local),
            *((("partial", True),) if loss.partial else ()),
        )
        return Operation(name, self._seen.origin, word_from_text(loss.what), flags)

    def _read_selection(self, statement: Statement) -> Iterator[ReportedEffect]:
        yield from self._find_printed_statements(statement)
        if not (self._local or self._disposable) and SELECTED_ROWS.match(statement.text.lstrip()):
            yield Operation("database.select", self._seen.origin, self._database)
            private = _SECRET_COLUMN if not self._is_remote else _PRIVATE_COLUMN
            if (column := private.search(_selected_columns(statement.text))) is not None:
                yield Operation("credential.print", self._seen.origin, word_from_text(f"{column[0]} of a database"))

    def _find_printed_statements(self, statement: Statement) -> Iterator[PrintedOutput]:
        """Yields statements that are assembled and printed to be run: `SELECT 'DROP TABLE ' || name`."""
        for token in statement.tokens:
            if token.kind == "string" and _LOSING_STATEMENT.match(token.text):
                made = token.text.replace("%I", "it").replace("%s", "it")
                whole = made if made != token.text else f"{made} it"
                yield PrintedOutput(word_from_text(f"{whole};\n").from_commands(self._seen.unknown_output(self._client).src))

    def _read_executed_code(self, statement: Statement, depth: int, *, computes: bool) -> Iterator[ReportedEffect]:
        """Reads code in a string: `DO $$ .. $$`, `EXECUTE '..'`, `EXEC('..')`, `SELECT '..' \\gexec`, `dblink_exec(.., '..')`."""
        runs = statement.starts_with(*_EXECUTING_WORDS) or computes or not _REMOTE_FUNCTIONS.isdisjoint(statement.words)
        if runs and depth >= _MAX_DEPTH:
            yield opaque_for_unread("this SQL", f"it is nested deeper than {_MAX_DEPTH} levels", self._seen.origin)
        elif runs:
            for token in statement.tokens:
                if token.kind == "string" and " " in token.text:
                    yield from self.read_statements(token.text.replace("%I", "it").replace("%s", "it"), depth + 1)

    # ---- what reaches out of the database

    def _read_external_access(self, statement: Statement) -> Iterator[ReportedEffect]:
        tokens = statement.tokens
        for n, token in enumerate(tokens):
            name = token.word
            after = tokens[n + 1] if n + 1 < len(tokens) else None
            if after is None or not name:
                continue
            strings = [each for each in tokens[n + 1 : n + 8] if each.kind == "string"]
            if name == "PROGRAM" and after.kind == "string" and statement.starts_with("COPY"):
                rows = "pg_dump | " if tokens[n - 1].word == "TO" else ""  # the program gets what a dump would give it
                yield self._interpret_shell(f"{rows}{after.text}", "COPY .. PROGRAM")
            elif name == "URL" and after.text == "(" and strings and statement.starts_with("INSERT"):
                yield self._interpret_shell(
                    f"pg_dump | curl --data-binary @- {shlex.quote(strings[0].text)}", "INSERT INTO url()"
                )
            elif name in ("TO", "FROM") and after.kind == "string" and statement.starts_with("COPY", "UNLOAD", "EXPORT"):
                yield from self._access_file(after.text, is_written=name == "TO")
            elif name in ("OUTFILE", "DUMPFILE") and after.kind == "string":
                yield from self._access_file(after.text, is_written=True)
            elif name == "INFILE" and after.kind == "string":
                yield from self._access_file(after.text, is_written=False)
            elif name in _SHELL_FUNCTIONS and strings and (after.text == "(" or name == "XP_CMDSHELL"):
                yield self._interpret_shell(strings[0].text, name.lower())
            elif name in ("LO_EXPORT", "WRITEFILE") and after.text == "(" and strings:
                yield from self._access_file(strings[0].text, is_written=True)
            elif name in _READ_FILES and after.text == "(" and strings:
                yield from self._access_file(strings[0].text, is_written=False)

    def _interpret_shell(self, text: str, how: str) -> Interpret:
        return Interpret("shell", word_from_text(text), self._seen.origin, via=Carrier(how))

    def _send_rows(self, statement: Statement) -> Iterator[ReportedEffect]:
        """Reports rows that are copied to an object store with an address of its own. Amazon's is the user's. Also reports what
        makes queries cost very much."""
        if _SCALES_UP.match(statement.text.lstrip()):
            target = word_from_text("a warehouse, to its largest sizes")
            yield Operation("cloud.delete", self._seen.origin, target, (("dry_run", False), ("costs", True)))
        for token, *after in zip(statement.tokens, statement.tokens[1:], statement.tokens[2:], strict=False):
            if token.word in _ENDPOINTS:
                self._endpoint = next((each.text for each in after if each.kind == "string"), "")
        is_remote = any(token.kind == "string" and "://" in token.text for token in statement.tokens)
        if (bucket := find_shared_bucket(statement)) and not (self._local or self._disposable):
            yield Operation("tool.act", self._seen.origin, word_from_text(f"an export to {bucket}"), (("sends", True),))
        if self._endpoint and is_remote and statement.starts_with("COPY") and _copies_rows(statement.text):
            yield Operation("database.select", self._seen.origin, self._database)
            yield Connect(word_from_text(self._endpoint), self._seen.origin, self._seen.unknown_output("rows"))

    def _access_file(self, path: str, *, is_written: bool) -> Iterator[ReportedEffect]:
        seen = self._seen
        if "://" in path:
            return
        if is_written:
            yield Write(seen.resolve_place(word_from_text(path)), seen.unknown_output("rows"), False, seen.origin)
        else:
            yield Read(seen.resolve_place(word_from_text(path)), seen.origin)
            seen.read(word_from_text(path))

    # ---- the client's own commands

    def _read_client_command(self, line: str) -> Iterator[ReportedEffect]:
        name, _, rest = line.strip().partition(" ")
        rest = rest.strip()
        if name.startswith("\\!"):  # also `\!ls`
            name, rest = "\\!", line.strip()[2:].strip()
        if name.lower() in ("\\!", "system", ".shell", ".system", "!!", ":!!"):
            yield self._interpret_shell(rest, f"{self._client} {name}")
        elif name == ".restore":
            yield self._make_operation(Loss("everything in the database", dropped=True))
        elif name in ("\\i", "\\ir", "\\include", "\\.", "source", ".read", ":r"):
            yield from self._include_file(rest)
        elif name in (
            "\\o",
            "\\out",
            "\\w",
            "\\g",
            "\\gx",
            ".output",
            ".once",
            ".save",
            ".backup",
            ".log",
            ".dump",
            "tee",
            ":out",
            ".excel",
        ):
            yield from self._redirect_output(rest)
        elif name in ("pager", "\\P"):
            yield self._interpret_shell(rest, f"{self._client} {name}")
        elif name == ".import" and rest.lstrip("\"'").startswith("|"):
            yield self._interpret_shell(rest.lstrip("\"'|").partition('"')[0].partition("'")[0], f"{self._client} .import")
        elif name == ".import":
            source = next((part for part in rest.split() if not part.startswith("-")), "")
            yield Read(self._seen.resolve_place(word_from_text(_strip_quotes(source))), self._seen.origin)
        elif name == "\\copy":
            yield from self.read_statements("COPY " + rest)
        elif name in (".open", "\\c", "\\connect"):
            self._connect_again([_strip_quotes(word) for word in rest.split() if not word.startswith("--")])
        for part in rest.split("`")[1::2] if name in ("\\set", "\\echo", "\\setenv", "\\if", "\\connect", "\\c") else ():
            yield self._interpret_shell(part, f"{self._client} {name}")

    def _connect_again(self, words: list[str]) -> None:
        """`.open FILE`, `\\connect DATABASE USER HOST`, where a dash keeps what it was."""
        database, host = (words[0:1] or ["-"])[0], (words[2:3] or ["-"])[0]
        if self._client in SQLITE:
            self._connect(word_from_text(database) if words else None, None)
        else:
            kept = (
                self._database if database == "-" else word_from_text(database),
                self._host if host == "-" else word_from_text(host),
            )
            self._connect(*kept)

    def _include_file(self, rest: str) -> Iterator[ReportedEffect]:
        path = word_from_text(_strip_quotes(rest))
        if rest.lstrip("\"'").startswith("|"):
            yield self._interpret_shell(_strip_quotes(rest).lstrip("|"), f"{self._client} .read")
        elif path.parts:
            yield Read(self._seen.resolve_place(path), self._seen.origin)
            for content in self._seen.read_followed_code(path):
                if content.text is not None:
                    args = (self._database,) if self._database is not None else ()
                    yield Interpret(
                        "sql", content, self._seen.origin, args, Carrier(self._client, path.display_text), file=path.display_text
                    )

    def _redirect_output(self, rest: str) -> Iterator[ReportedEffect]:
        target = _strip_quotes(rest)
        if target.startswith("|"):
            yield self._interpret_shell(target[1:], self._client)
        elif target and target not in ("stdout", "off", "on"):
            yield Write(
                self._seen.resolve_place(word_from_text(target)), self._seen.unknown_output(self._client), None, self._seen.origin
            )


def _copies_rows(copy: str) -> bool:
    """Returns whether `COPY` copies rows of a table, and no figure that a query computes."""
    return _COPIED_QUERY.search(copy) is None or SELECTED_ROWS.search(copy) is not None


def _selected_columns(query: str) -> str:
    """Returns what a query selects, without its conditions."""
    return re.split(r"(?i)\bfrom\b", query, maxsplit=1)[0]


_SECRETS_OF_PERSONS = (
    r"password(?:_?(?:hash|digest|encrypted))?|passwd|encrypted_password|crypted_password|ssn|social_security(?:_number)?|national_id"
    r"|iban|card_number|credit_card(?:_number)?|cvv|passport(?:_(?:no|number))?|tax_id|bank_account(?:_number)?"
)
_SECRET_COLUMN = re.compile(rf"(?i)(?<![\w(])(?:{_SECRETS_OF_PERSONS})(?!\w)")
_PRIVATE_COLUMN = re.compile(
    rf"(?i)(?<![\w(])(?:{_SECRETS_OF_PERSONS}|(?:api|access|private)_?key|(?:access|refresh|reset|session|auth)_token|secret(?:_key)?"
    r"|totp_secret|otp_secret|date_of_birth|birth_?date|medical_\w+|diagnosis|salary)(?!\w)"
)
"""Columns with what belongs to persons or opens accounts. The second applies to a database of another machine."""


_SCALES_UP = re.compile(
    r"(?i)(?:alter|create)\b[^;]{0,60}?\bwarehouse\b[^;]{0,300}?\bwarehouse_size\s*=\s*'?(?:[2-6]-?x-?large|x[2-6]large)"
)
_COPIED_QUERY = re.compile(r"(?i)^\s*copy\s*\(\s*(?:select|with)\b")


def _strip_quotes(text: str) -> str:
    text = text.strip().rstrip(";")
    return text[1:-1] if len(text) > 1 and text[0] in "'\"" and text[-1] == text[0] else text


def _changes_production_table(statement: str) -> bool:
    """Returns whether the table that a statement changes, the first that it names, is one of production: `DWH.PROD.SALES`."""
    return any(map(is_named_production, _QUALIFIED_NAME.findall(statement[:_MAX_NAMES])[:1]))


def _names_production_table(statement: str) -> bool:
    """Returns whether a statement names a table of production with its database or its project: `acme-prod.sales.orders`."""
    return any(map(is_named_production, _QUALIFIED_NAME.findall(statement[:_MAX_NAMES])))


_QUALIFIED_NAME = re.compile(r"[`\"]?((?:[\w-]+[`\"]?\.[`\"]?)+)[\w-]+")
_MAX_NAMES = 2_000  # characters
_ENDS_SESSIONS = re.compile(r"(?is)\bpg_terminate_backend\s*\((?!\s*\d+\s*\))").search
"""Matches a statement that ends other users' sessions: those of `pg_stat_activity`, or each that was listed before."""
