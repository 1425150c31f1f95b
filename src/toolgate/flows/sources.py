"""Confidential sources in a text, by its own parts and by the commands whose output it contains."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from toolgate.model.effect import Effects, Operation, Read, Run
from toolgate.model.place import Place
from toolgate.model.rule import RuleContext
from toolgate.model.word import NO_SOURCES, Hole, Maybe, Word, maybe_any
from toolgate.redaction.detectors import tier_of_kind
from toolgate.redaction.detectors.personal import find_numbers
from toolgate.redaction.settings import find_in_word

from .command_runs import list_runs
from .issuers import MIN_VALUE_LENGTH, is_marked, issuer_of_name, secret_of_variable
from .loaded_secrets import list_loaded_secrets
from .selected_rows import SELECTED_ROWS

Label = Literal["key", "token", "environment", "personal", "bulk", "dump", "own", "file", "recording", "people"]


class Source(NamedTuple):
    """`what`: a description without the value. `issuer`: of a token, if known. `is_literal`: the secret itself is in the call.

    Labels that do not explain themselves: `bulk` is a whole tree, archive or table of the project; `dump` what a program prints
    of a whole database; `own` a file of the user that belongs to no project; `file` a single file of the project; `people`
    numbers that identify several people.
    """

    label: Label
    what: str
    issuer: str = ""
    sure: Maybe = True
    is_literal: bool = False


_ISSUER_OF_PRINTER = {
    "gh": "github",
    "hub": "github",
    "glab": "gitlab",
    "aws": "aws",
    "gcloud": "gcp",
    "az": "azure",
    "heroku": "heroku",
    "fly": "flyio",
    "flyctl": "flyio",
    "vercel": "vercel",
    "netlify": "netlify",
    "doctl": "digitalocean",
    "npm": "npm",
    "stripe": "stripe",
}
"""The issuer of the tokens that a credential printer prints; a vault's may be anybody's."""
_ECHO_PROGRAMS = frozenset(("echo", "printf", "print"))
_DUMP_PROGRAMS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("pg_dump", "pg_dumpall", "pg_basebackup", "mysqldump", "mariadb-dump", "mongodump", "mongoexport", "influxd"), ("",)
    ),
    **dict.fromkeys(("terraform", "tofu", "terragrunt"), ("output", "state pull", "show")),
    **dict.fromkeys(("docker", "podman"), ("compose config", "save", "export")),
    "docker-compose": ("config",),
    "kubectl": ("config view", "get -A", "get all", "get configmap", "get configmaps"),
    "git": ("archive", "bundle create", "fast-export", "format-patch", "log -p", "log --patch", "diff", "show"),
    "sqlite3": (".dump",),
    "redis-cli": ("--rdb",),
    "pulumi": ("stack export", "stack output"),
    "etcdctl": ("snapshot save", "get"),
    "supabase": ("db dump",),
    **dict.fromkeys(("repomix", "gitingest", "files-to-prompt", "code2prompt", "yek"), ("",)),
    "heroku": ("pg:backups:download",),
    "svnadmin": ("dump",),
    "hg": ("bundle", "archive"),
}
"""Programs that print everything of a database, infrastructure or project, by words that their argv must contain."""
_DATABASE_DUMPERS = frozenset(
    "pg_dump pg_dumpall pg_basebackup mysqldump mariadb-dump mongodump mongoexport influxd sqlite3 redis-cli etcdctl"
    " supabase".split()
)
_WITHOUT_DATA: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("pg_dump", "pg_dumpall"), ("--schema-only", "-s")),
    **dict.fromkeys(("mysqldump", "mariadb-dump"), ("--no-data", "-d")),
}
"""Options of dumps that print definitions alone."""
_QUERY_CLIENTS = frozenset(
    "psql mysql mariadb clickhouse-client clickhouse duckdb sqlite3 bq sqlcmd snowsql usql cockroach".split()
)
_BUILD_FOLDERS = frozenset(
    "dist build out public _site site target coverage .next .output htmlcov docs www static release releases bin pkg".split()
)
"""Folders with build results, which are usually meant to be published."""
_CONTENTS: tuple[Label, ...] = ("bulk", "own", "file")
"""Labels of files that are harmless where only their size or digest is told."""
_IDENTIFYING_NUMBERS = frozenset(("ssn", "iban"))
_SEVERAL_PEOPLE = 3
"""From so many distinct numbers on they are records, and no example."""
_MATCH_ALL = ("?**", "**/*")
"""Patterns of a search without criteria."""
_KEY_SUFFIXES = (".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".ppk", ".kdbx", ".p8")
_PUBLIC_MARKS = ("cert", "chain", "ca.pem", "ca-bundle", "crt", "pub", "root")
_ARCHIVE_SUFFIXES = (".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst", ".zip", ".7z", ".rar")
"""Suffixes of files that contain a whole tree: a build's are its results."""
_DUMP_SUFFIXES = (".bundle", ".dump", ".sql", ".sql.gz", ".bak", ".sqlite", ".sqlite3", ".db", ".tfstate")
"""Suffixes of files that contain a whole database, repository or infrastructure."""
_TABLE_SUFFIXES = tuple(
    f"{suffix}{packed}"
    for suffix in (
        *(".csv", ".tsv", ".psv", ".jsonl", ".ndjson", ".parquet", ".feather", ".arrow", ".avro", ".orc", ".pkl"),
        *(".xls", ".xlsx", ".xlsm", ".ods", ".mdb", ".accdb", ".mbox", ".vcf"),
    )
    for packed in ("", ".gz", ".zst", ".bz2")
)
"""Suffixes of files that contain records: customers, orders, mails."""
_SPECIMEN_FOLDERS = frozenset(
    "fixture fixtures test tests testdata test-data __tests__ __fixtures__ spec specs example examples sample samples demo mock"
    " mocks seed seeds".split()
)
"""Folders with records that somebody made up."""
_PUBLISHED_NAMES = ("readme", "license", "licence", "changelog", "contributing", "code_of_conduct", "security")
_EXPORT_FOLDERS = frozenset("export exports dump dumps backup backups".split())
"""Folders whose files somebody took out of a database."""
_DOCUMENT_SUFFIXES = (".md", ".rst", ".adoc", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp")
_MACHINE_LOGS = frozenset("journalctl dmesg last lastb lastlog coredumpctl aureport ausearch".split())
_LOG_PROGRAMS = frozenset(
    "docker podman nerdctl docker-compose kubectl oc heroku fly flyctl pm2 vercel railway gcloud aws".split()
)
_LOG_SUBCOMMANDS = ("logs", "logging")
_COUNTING_PROGRAMS = frozenset("wc ls du stat file md5sum sha1sum sha256sum sha512sum shasum cksum b2sum".split())
"""Programs that print a count, a size or a digest of what they read."""


def find_sources(context: RuleContext, *texts: Word | None) -> Iterator[Source]:
    """Yields every confidential source of these texts."""
    known_texts = [text for text in texts if text is not None]
    for text in known_texts:
        yield from find_in_text(text, context)
    yield from find_in_commands(NO_SOURCES.union(*(text.src for text in known_texts)), context)


def find_in_text(text: Word, context: RuleContext) -> Iterator[Source]:
    """Yields secrets in a text: by their form, and as values of variables with a secret's name."""
    for hit in find_in_word(text, context.redaction) if text.parts else ():
        if tier_of_kind(hit.kind) == "sure" and is_marked(hit.kind):
            label: Label = "key" if hit.kind == "private-key" else "token"
            yield Source(label, f"a secret ({hit.kind})", issuer_of_name(hit.kind), is_literal=True)
    if _has_numbers_of_several_people(text.outline):
        yield Source("people", "numbers that identify several people", is_literal=True)
    yield from _find_variables(text, context)


def find_passwords_in_addresses(text: Word, context: RuleContext) -> Iterator[Source]:
    """Yields passwords within addresses (`postgres://user:PASSWORD@host`), which are no secret to the host itself."""
    for hit in find_in_word(text, context.redaction) if text.parts else ():
        if hit.kind == "url-password":
            yield Source("token", "a password in an address", is_literal=True)


def _has_numbers_of_several_people(text: str) -> bool:
    numbers = {text[hit.start : hit.end] for hit in find_numbers(text, _IDENTIFYING_NUMBERS)}
    return len(numbers) >= _SEVERAL_PEOPLE


def _find_variables(text: Word, context: RuleContext) -> Iterator[Source]:
    """Yields the variables with secrets that a text has: by their names, or by the values that the environment or a file of the
    project gives them."""
    given = (*context.scene.environ.items(), *context.effects.derive(list_loaded_secrets).items())
    for part in text.parts:
        if isinstance(part, Hole):
            if part.variable and (secret := secret_of_variable(part.variable)):
                yield Source("token", secret.what, secret.issuer)
        elif len(part) >= MIN_VALUE_LENGTH:
            for name, value in given:
                if len(value) >= MIN_VALUE_LENGTH and value in part and (secret := secret_of_variable(name)):
                    yield Source("token", secret.what, secret.issuer)


def find_in_commands(commands: frozenset[int], context: RuleContext) -> Iterator[Source]:
    """Yields the sources in the output of these commands and of all commands that feed them. They are found once, because rules
    ask for each connection of a call."""
    if not commands:
        return
    known = context.effects.derive(_make_index)
    if commands not in known:
        known[commands] = tuple(_iter_sources(context.effects.commands_feeding(commands), context))
    yield from known[commands]


def _make_index(_effects: Effects) -> dict[frozenset[int], tuple[Source, ...]]:
    return {}


def _iter_sources(sources: frozenset[int], context: RuleContext) -> Iterator[Source]:
    effects = context.effects
    own = [effect for command in sorted(sources) for effect in effects.of_command(command)]
    counting = {
        run.origin.command for run in own if isinstance(run, Run) and run.argv and run.argv[0].file_name in _COUNTING_PROGRAMS
    }
    for effect in own:
        if (
            isinstance(effect, Read)
            and (source := source_of_read(effect))
            and (source.label not in _CONTENTS or effect.origin.command not in counting)
        ):
            yield source
    for effect in own:
        if isinstance(effect, Operation):
            yield from _source_of_operation(effect, effects)
    for run in own:
        if isinstance(run, Run) and run.argv:
            yield from _find_printed(run, context)


def _find_printed(run: Run, context: RuleContext) -> Iterator[Source]:
    """Yields the variables, the dump or the log that a program prints."""
    name = run.argv[0].file_name
    if name in _ECHO_PROGRAMS:
        for word in run.argv[1:]:
            yield from _find_variables(word, context)
    elif (dump := _describe_dump(run)) is not None:
        yield Source("dump" if name in _DATABASE_DUMPERS else "bulk", dump)
    elif name in _MACHINE_LOGS:
        yield Source("own", f"the log that {name} prints")
    elif name in _LOG_PROGRAMS and any(word.text in _LOG_SUBCOMMANDS for word in run.argv[1:3]):
        yield Source("file", f"the log that {name} prints")


def _describe_dump(run: Run) -> str | None:
    """Describes the dump of a database, an infrastructure or the project that a program prints."""
    name = run.argv[0].file_name
    if name in _QUERY_CLIENTS and any(SELECTED_ROWS.search(word.outline) for word in run.argv[1:]):
        return f"{name}'s rows"
    forms = _DUMP_PROGRAMS.get(name)
    if forms is None:
        return None
    texts = [word.text for word in run.argv[1:]]
    if any(option in texts for option in _WITHOUT_DATA.get(name, ())):
        return None
    return next((f"{name} {form}".strip() for form in forms if all(word in texts for word in form.split())), None)


def source_of_read(read_effect: Read) -> Source | None:
    """Returns the source that a file or folder is. A folder counts as its content."""
    place = read_effect.place
    if (sure := holds_credentials(read_effect)) is not False:
        return Source("key", place.display_text, sure=sure)
    if _is_a_private_key(place):
        return Source("key", place.display_text)
    if place.is_in("personal") is True:
        return Source("personal", place.display_text)
    name = _file_name(place)
    folders = frozenset((place.path or place.anchor or "").split("/"))
    several = read_effect.tree or (place.path is None and place.is_in("project") is True)
    if (
        name.endswith(_DUMP_SUFFIXES)
        or (name.endswith(_ARCHIVE_SUFFIXES) and folders.isdisjoint(_BUILD_FOLDERS))
        or (
            (name.endswith(_TABLE_SUFFIXES) or not folders.isdisjoint(_EXPORT_FOLDERS))
            and folders.isdisjoint(_BUILD_FOLDERS | _SPECIMEN_FOLDERS)
        )
        or (several and _is_of_the_project(place) and folders.isdisjoint(_BUILD_FOLDERS))
    ):
        return Source("own" if _is_of_the_user(place) else "bulk", place.display_text)
    if place.is_in("environment") is True:
        return Source("token", place.display_text)
    if _is_of_the_user(place):
        return Source("own", place.display_text)
    is_published = (
        name.startswith(_PUBLISHED_NAMES)
        or name.endswith(_DOCUMENT_SUFFIXES)
        or not folders.isdisjoint(_BUILD_FOLDERS | _SPECIMEN_FOLDERS)
    )
    return Source("file", place.display_text) if place.is_in("project") is True and not is_published else None


def holds_credentials(read_effect: Read) -> Maybe:
    """Returns whether this is a credential place, or a folder read with one in it. A home folder contains some, seen or not; a
    new container has only what its image holds, and what is mounted."""
    place = read_effect.place
    is_new = place.machine.startswith("container:") and not place.machine.startswith("container:running/")
    if is_new and not any(_MAY_HOLD_CREDENTIALS(host) for _, host in read_effect.origin.site.mounts):
        return place.is_in("credentials")
    holds_everything = place.can_reach("home", "root", "home-parent", "credentials") if read_effect.tree else False
    above = place.can_reach("credentials")
    if any(isinstance(part, Hole) and part.like in _MATCH_ALL for part in place.word.parts):
        holds_everything = maybe_any((holds_everything, place.can_reach("home", "root", "home-parent") is not False))
    return maybe_any((place.is_in("credentials"), holds_everything, None if above is not False else False))


_MAY_HOLD_CREDENTIALS = re.compile(r"/?|(?:/home|/Users|/mnt|/c|/etc|/root|/var|/run)(?:/[^/]+)?/?|.*/\..*").fullmatch
"""Matches folders of this machine that a container gets with a home folder, hidden files or settings of the system in them."""


def _is_of_the_project(place: Place) -> bool:
    return place.is_in("project", "project-root") is True or place.can_reach("project-root") is True


def _is_of_the_user(place: Place) -> bool:
    """Returns whether it is data of this machine in no place where an agent is meant to work: in the home folder, on another
    disk, under `/srv` or `/var`. Hidden files are settings of programs, which other zones judge."""
    path = place.path or f"{place.anchor}/{place.rest}"
    is_data = place.is_in("system") is False or path.startswith("/var/")
    return place.is_in("outside") is True and is_data and place.is_in("device") is False and "/." not in path


def _is_a_private_key(place: Place) -> bool:
    """Tell by the name whether it is a private key, which may be anywhere. A certificate is public."""
    name = _file_name(place)
    return name.endswith(_KEY_SUFFIXES) and not any(mark in name for mark in _PUBLIC_MARKS)


def _file_name(place: Place) -> str:
    return (place.path or place.rest or place.word.tail).rpartition("/")[2].lower()


def _source_of_operation(operation: Operation, effects: Effects) -> Iterator[Source]:
    if operation.name == "environment.print":
        yield Source("environment", "the whole environment")
    elif operation.name in ("credential.print", "credential.obtain"):
        yield Source("token", "a token or a secret", issuer_of_command(operation.origin.command, effects))
    elif operation.name == "database.select":
        yield Source("bulk", "rows of a database")
    elif operation.name == "desktop.capture":
        yield Source("recording", "the desktop" if operation.target is None else operation.target.display_text)


def issuer_of_command(command: int, effects: Effects) -> str:
    """Returns the issuer of the tokens that the program of this command prints."""
    return next((_ISSUER_OF_PRINTER.get(run.argv[0].file_name, "") for run in list_runs(command, effects)), "")
