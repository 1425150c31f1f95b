"""Determines whether a service is this machine's own: by its host, its address, the cluster's context, or the project's
settings.

Relief requires proof: a service not known to be local is not local. A name that indicates production is never local.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator

from toolgate.model.address import host_of, is_loopback
from toolgate.model.effect import Effects, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.place import LOCAL
from toolgate.model.word import Word, known_word

_find_words = re.compile(r"e2e|[a-z]+").findall
_PRODUCTION = frozenset(
    ("prod", "production", "prd", "live", "staging", "stage", "uat", "preprod", "main", "master", "backup", "primary")
)
_PRODUCTION_ITSELF = frozenset(("prod", "production", "prd"))
_TESTS = frozenset("test tests testing ci scratch tmp temp bench benchmark e2e".split())
_DEVELOPMENT = _TESTS | frozenset("dev devel development local sandbox".split())
_ADDRESS = re.compile(
    r"(?P<scheme>[a-z][\w+.-]{0,20})://(?:[^/@\s]{0,300}@)?(?:tcp\()?(?P<host>\[[^\]]*\]|[^/:?#\s,)]*)(?::\d+)?\)?(?P<more>,[^/?\s]*)?(?P<rest>[/?#][^\s]*)?"
)
_DATABASES = frozenset(
    (
        *("postgres", "postgresql", "mysql", "mysql2", "mariadb", "ecto", "redis", "rediss", "mongodb", "sqlserver"),
        *("sqlite", "file"),
    )
)
_CLUSTERS = re.compile(r"kind-[\w.-]+|k3d-[\w.-]+|minikube|docker-desktop|rancher-desktop|colima(?:-[\w.-]+)?|orbstack|microk8s")
COMPOSE_FILES = ("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml")
_SERVICE = re.compile(r"(?m)^(?P<indent>[ \t]+)(?P<name>[\w.-]+):[ \t]*(?:[{&#].*)?$")


def is_in_production(name: str) -> bool:
    """Returns whether a name indicates that others rely on the resource."""
    return not _PRODUCTION.isdisjoint(_find_words(name.lower()))


def is_named_production(name: str) -> bool:
    """Returns whether a name says production itself, and not only that others may rely on the resource: `prod-db`, `PROD_URL`."""
    return not _PRODUCTION_ITSELF.isdisjoint(_find_words(name.lower()))


def names_production(address: Word | None) -> bool:
    """Returns whether a database or a host names itself production, or a variable that holds its address does."""
    names = [part if isinstance(part, str) else part.variable for part in address.parts] if address is not None else []
    return any(is_named_production(name) for name in names if name)


def is_in_development(name: str) -> bool:
    """Returns whether a name indicates a resource for development or tests."""
    return not _DEVELOPMENT.isdisjoint(_find_words(name.lower())) and not is_in_production(name)


def is_for_tests(name: str) -> bool:
    """Returns whether a name indicates a resource that tests make, and make again."""
    return not _TESTS.isdisjoint(_find_words(name.lower())) and not is_in_production(name)


def is_local_host(host: str, context: ExecutionContext) -> bool:
    """Returns whether a host is this machine, or a service of the project's compose file."""
    return is_loopback(host) or host in list_compose_services(context)


def is_local_address(address: Word | None, context: ExecutionContext) -> bool:
    """Returns whether an address leads to this machine, on whatever port."""
    text = "" if address is None else address.text or _OF_ANY_PORT.sub(r"\1", address.outline)
    if not text or "\ufffc" in text:
        return False
    found = _ADDRESS.match(text)
    return not (found and found["more"]) and is_local_host(host_of(text), context)


_OF_ANY_PORT = re.compile(r"(^\w+://[\w.-]+):\ufffc(?=/|$)")
"""An address whose port alone is not known: `http://127.0.0.1:$port`."""


def names_azure_emulator(text: str) -> bool:
    """Returns whether a connection string leads to Azurite."""
    return _AZURE_EMULATOR.search(text) is not None


_AZURE_EMULATOR = re.compile(
    r"UseDevelopmentStorage=true|BlobEndpoint=https?://(?:127\.0\.0\.1|localhost|azurite)[:/]", re.IGNORECASE
)


def list_compose_services(context: ExecutionContext) -> frozenset[str]:
    """Returns the names of services in the project's compose file, or in those that the call names, which run on this machine."""
    if context.get_variables("DOCKER_HOST") or context.get_variables("DOCKER_CONTEXT"):
        return frozenset()
    named = context.get_variables("COMPOSE_FILE")
    if any(not word.text or word.text.startswith("/") or ".." in word.text or is_in_production(word.text) for word in named):
        return frozenset()
    files = [name for word in named for name in (word.text or "").split(":")] or COMPOSE_FILES
    return frozenset(service for name in files for text in context.read_project_file(name) for service in _iter_services(text))


def _iter_services(text: str) -> Iterator[str]:
    _, _, rest = f"\n{text}".partition("\nservices:")
    indent = ""
    for line in rest.split("\n")[1:]:
        if line[:1] not in ("", " ", "\t", "#"):
            return
        if (found := _SERVICE.match(line)) is not None:
            indent = indent or found["indent"]
            if found["indent"] == indent:
                yield found["name"]


_TUNNELS = frozenset(
    (
        *("ssh", "autossh", "sshuttle", "socat", "stunnel", "chisel", "cloud-sql-proxy", "cloud_sql_proxy", "tsh", "boundary"),
        *("kubectx", "kubens", "iptables", "pgbouncer"),
    )
)
_REDIRECTING_SUBCOMMANDS = frozenset(
    (
        *(
            "port-forward",
            "proxy",
            "tunnel",
            "start-session",
            "start-iap-tunnel",
            "use-context",
            "set-context",
            "update-kubeconfig",
        ),
        *("get-credentials", "use", "context"),
    )
)


def may_redirect_addresses(effects: Effects) -> bool:
    """Returns whether a command of this call may redirect an address of this machine, or the current cluster, to another one."""
    for run in effects.of_kind(Run):
        words = [word.text or "" for word in run.argv[1:]]
        name = run.argv[0].text
        if name is None and _names_other_target(words):
            return True  # the program is unknown
        name = (name or "").rpartition("/")[2]
        redirects = name in _TUNNELS or not _REDIRECTING_SUBCOMMANDS.isdisjoint(words)
        if redirects and not _selects_local_cluster(name, words):
            return True
        if name in _CONTAINER_PROGRAMS and _names_other_target(words):
            return True
    return False


def _selects_local_cluster(name: str, words: list[str]) -> bool:
    """Returns whether it is `kubectl config use-context kind-test`, or `kubectx kind-test`."""
    if name == "kubectx":
        return is_local_context("".join(words))
    return "use-context" in words[:-1] and is_local_context(words[words.index("use-context") + 1])


_CONTAINER_PROGRAMS = ("docker", "podman", "nerdctl", "docker-compose", "podman-compose")


def _names_other_target(words: list[str]) -> bool:
    """Returns whether options before the subcommand select another machine or project than the default. Behind one that starts
    or removes something, `-p` and `-c` mean something else."""
    ends = next((n for n, word in enumerate(words) if word in ("exec", "run", "rm", "rmi")), len(words))
    named = ("-H", "--host", "--context", "-c", "-p", "--project-name", "--project-directory", "--tls")
    return any(word.partition("=")[0] in named for word in words[:ends])


# ---- databases


def is_local_database(database: Word | None, host: Word | None, context: ExecutionContext, *, default: bool = False) -> bool:
    """Returns whether a client certainly uses a database of this machine that no one else relies on.

    `database`: a name, a URL or `key=value` pairs. `host`: from an option or a variable. Without a host it is this machine's
    socket: then the name must indicate development or tests, unless `default` is enough.
    """
    text = "" if database is None else database.text
    given = "" if host is None else host.text
    if text is None or given is None or is_in_production(text.rpartition("@")[2]):
        return False
    given, name, more = _split_address(text, given)
    if more:
        return False
    if not _is_client_local(context):
        return False
    if given and not given.startswith("/"):
        return is_local_host(given, context)
    if given.startswith("/tmp/"):
        return True  # a server that somebody started for a test
    return default or is_in_development(name) or context.site.machine != LOCAL


def is_remote_database(database: Word | None, host: Word | None, context: ExecutionContext) -> bool:
    """Returns whether an address leads to a database of another machine that nothing names one for development."""
    text = "" if database is None else database.outline
    given, name, more = _split_address(text, "" if host is None else host.text or "")
    if more or is_in_development(f"{given} {name}"):
        return more
    return bool(given) and not given.startswith("/") and "." in given and not is_local_host(given, context)


def _split_address(text: str, host: str) -> tuple[str, str, bool]:
    """Splits a database's name, URL or `key=value` pairs. Returns its host, otherwise the given one, its name, and whether there
    are several hosts."""
    if (address := _ADDRESS.match(text)) is not None:
        return address["host"] or host, (address["rest"] or "").lstrip("/"), bool(address["more"])
    if "=" in text:
        pairs = dict(pair.partition("=")[::2] for pair in text.split())
        return pairs.get("host", pairs.get("hostaddr", host)), pairs.get("dbname", ""), False
    return host, text, False


def _is_client_local(context: ExecutionContext) -> bool:
    """Returns whether the client runs on this machine, or in a container of the project."""
    machine = context.site.machine
    if machine == LOCAL:
        return True
    container = machine.removeprefix("container:running/")
    return container != machine and not is_in_production(container) and container in list_compose_services(context)


_SECTION = re.compile(r"(?ms)^(?:production|staging|prod):.*?(?=^\w|\Z)")
_HOST = re.compile(
    r"(?mi)^[ \t]*[\"']?(?:DB_|DATABASE_|PG|MYSQL_|POSTGRES_)?(?:HOST(?:NAME|ADDR)?|SERVER)[\"']?[ \t]*(?:=>|[:=])[ \t]*[\"']?"
    r"(?P<host>[^\"'\s,#}]*)"
)
_INLINE_HOST = re.compile(r"""(?i)(?:["'](?:host|hostname)["']|,\s*hostname)\s*(?:=>|[:=])\s*["'](?P<host>[^"']*)["']""")
_CONNECTION_STRING = re.compile(
    r"(?i)[\"';][ \t]*(?:server|data source|host)[ \t]*=[ \t]*(?:tcp:)?(?P<host>[^;\"',\\\n]+)(?=[;\"',\\])"
)
"""Matches the server, or the file, in a connection string of .NET: `"Server=localhost;Database=shop"`."""
_SQLITE = re.compile(r"(?i)sqlite|jdbc:(?:h2|hsqldb|derby):(?!tcp|ssl|hsql|http|//)")
"""Matches databases that are a file, or in memory."""
_MODULE = re.compile(r"DJANGO_SETTINGS_MODULE[\"']\s*,\s*[\"']([\w.]+)[\"']")


def has_local_settings(files: Iterable[str], context: ExecutionContext) -> bool:
    """Returns whether the project's own settings lead to databases of this machine only.

    `files`: absolute, or relative to the current directory. A URL in DATABASE_URL takes precedence.
    """
    urls = [*context.get_variables("DATABASE_URL"), *context.get_variables("DB_HOST"), *context.get_variables("PGHOST")]
    if any(not _is_local_url(url, context) or is_in_production(url.outline.rpartition("/")[2]) for url in urls):
        return False
    if urls or _names_sqlite_file(context):
        return True
    texts = _read_settings(files, context)
    if None in texts:
        return False
    found = [is_local for text in texts for is_local in _check_addresses(text or "", context)]
    return bool(found) and all(found)


def _is_local_url(url: Word, context: ExecutionContext) -> bool:
    return is_local_address(url, context) or url.head.startswith(("sqlite:", "file:"))


def has_remote_settings(files: Iterable[str], context: ExecutionContext) -> bool:
    """Returns whether DATABASE_URL, or else one of the project's settings, leads to a database of another machine that nothing
    names one for development."""
    if urls := context.get_variables("DATABASE_URL"):
        return any(is_remote_database(url, None, context) for url in urls)
    texts = list(filter(None, _read_settings(files, context)))
    hosts = (each["host"] for text in texts for pattern in (_HOST, _INLINE_HOST) for each in pattern.finditer(text))
    return any(is_remote_database(None, known_word(host), context) for host in hosts) or any(
        is_remote_database(known_word(each[0]), None, context) for text in texts for each in _ADDRESS.finditer(text)
    )


def _read_settings(files: Iterable[str], context: ExecutionContext) -> list[str | None]:
    """Reads settings without their sections for production; None for a file whose content is not known, or without a folder."""
    folder = context.cwd.text
    if folder is None or context.site.machine != LOCAL:
        return [None]
    words = [text for file in files for text in context.read_alternatives(known_word(posixpath.join(folder, file)))]
    return [None if word.text is None else _SECTION.sub("", word.text) for word in words]


def _names_sqlite_file(context: ExecutionContext) -> bool:
    """Returns whether variables select SQLite with a file that nothing names production: Laravel's and others' way."""
    kinds, files = context.get_variables("DB_CONNECTION"), context.get_variables("DB_DATABASE")
    is_sqlite = bool(kinds) and all(kind.text == "sqlite" for kind in kinds)
    return is_sqlite and bool(files) and not any(file.text is None or is_in_production(file.text) for file in files)


def names_local_databases(text: str, context: ExecutionContext) -> bool:
    """Returns whether an argument names databases, and all of them are on this machine."""
    pairs = "\n".join(text.split())
    found = list(_check_addresses(pairs, context)) if context.site.machine == LOCAL else []
    return bool(found) and all(found)


def leads_to_local_databases(settings: str, context: ExecutionContext) -> bool:
    """Returns whether a part of a settings file names databases, and all of them are on this machine."""
    found = list(_check_addresses(_BARE_KEY.sub(r'"\1"', settings), context)) if context.site.machine == LOCAL else []
    return bool(found) and all(found)


_BARE_KEY = re.compile(r"\b(host|hostname)(?=\s*:)")
"""Matches a key of an object in JavaScript, which JSON quotes."""


def uses_test_database(test: str, context: ExecutionContext) -> bool:
    """Returns whether a test leaves it to its runner and its project which database it empties: it names no address, opens no
    connection, and this call sets none for it. Frameworks give a test a database of its own, or a transaction that ends in a
    rollback."""
    named = [value for name in _DATABASE_VARIABLES for value in context.get_variables(name)]
    return _OPENS_CONNECTION(test) is None and all(
        is_local_address(value, context) or is_in_development(value.text or "prod") for value in named
    )


_DATABASE_VARIABLES = (
    *("DATABASE_URL", "DB_URL", "DB_HOST", "PGHOST", "POSTGRES_HOST", "MYSQL_HOST", "MONGO_URL", "MONGODB_URI", "REDIS_URL"),
    *("DJANGO_SETTINGS_MODULE", "RAILS_ENV", "NODE_ENV", "APP_ENV", "FLASK_ENV", "ENV"),
)
_OPENS_CONNECTION = re.compile(
    r"://|connect\w*\s*\(|create_(?:async_)?engine|MongoClient|createPool|new\s+(?:Pool|Client|PDO|Sequelize|PrismaClient)"
    r"|establish_connection|\bknex\s*\(\s*\{|\bRedis\s*\(|\bhost\s*[=:]|\.using\s*\(|os\.environ|process\.env|\bENV\b|prod|staging",
    re.IGNORECASE,
).search
"""Matches code that chooses a database itself."""


def _check_addresses(text: str, context: ExecutionContext) -> Iterator[bool]:
    """Yields for each database in a settings file whether it is on this machine."""
    lines = "\n".join(line for line in text.split("\n") if not line.lstrip().startswith(("#", "//")))
    for address in _ADDRESS.finditer(lines):
        scheme = address["scheme"].removeprefix("jdbc:")
        if scheme.partition("+")[0] in _DATABASES:
            host, rest = address["host"], address["rest"] or ""
            local = scheme.startswith(("sqlite", "file")) or (not address["more"] and bool(host) and is_local_host(host, context))
            yield local and not is_in_production(rest)
    for pattern in (_HOST, _INLINE_HOST):
        for match in pattern.finditer(lines):
            if match["host"]:
                yield is_local_host(match["host"], context)
    for match in _CONNECTION_STRING.finditer(lines):
        host = match["host"].strip()
        is_file = host.endswith((".db", ".sqlite", ".sqlite3", ":memory:"))
        yield is_file or host.startswith(("(localdb)", ".")) or is_local_host(host, context)
    if _SQLITE.search(lines):
        yield True


def find_django_settings(context: ExecutionContext, option: Word | None = None) -> tuple[str, ...]:
    """Returns Django's settings files, from `--settings`, a variable, or manage.py."""
    chosen = option or context.get_variable("DJANGO_SETTINGS_MODULE")
    names = [chosen.text or ""] if chosen is not None else []
    if not names and context.cwd.text is not None:
        for text in context.read_alternatives(known_word(f"{context.cwd.text}/manage.py")):
            names += _MODULE.findall(text.text or "")
    search_path = context.get_variable("PYTHONPATH") if chosen is not None else None
    folders = [f"{folder}/" for folder in (search_path.text or "").split(":") if folder] if search_path is not None else []
    paths = [name.replace(".", "/") for name in names if name and not is_in_production(name.replace(".", " "))]
    return tuple(f"{at}{path}{end}" for path in paths for at in ("", *folders) for end in (".py", "/__init__.py"))


# ---- clusters


def is_local_context(name: str) -> bool:
    """Returns whether a name is that of a context for a cluster of this machine: `kind-test`, `minikube`."""
    return _CLUSTERS.fullmatch(name) is not None


def is_local_cluster(
    context: Word | None, config: Word | None, names: Iterable[Word], execution_context: ExecutionContext
) -> bool:
    """Returns whether a command certainly goes to a cluster on this machine, and names nothing that indicates production.

    `context`, `config`: from options. Without a context it is the configuration's current one; of a context, the beginning of its
    name may be all that is known: `kind-$CLUSTER`.
    """
    if execution_context.site.machine != LOCAL or any(is_in_production(word.outline) for word in names):
        return False
    if context is None and any(word.text is None for word in names):
        return False
    if context is not None:
        return is_local_context(context.text if context.text is not None else f"{context.head}x")
    files = [config] if config is not None else list(execution_context.get_variables("KUBECONFIG"))
    paths = files or [known_word(f"{execution_context.home}/.kube/config")]
    if len(paths) > 1 or any(path.text is None or ":" in path.text for path in paths):
        return False
    current = [
        re.search(r"(?m)^current-context:[ \t]*[\"']?([^\"'\s]+)", text.text or "")
        for text in execution_context.read_alternatives(paths[0])
    ]
    return bool(current) and all(found is not None and is_local_context(found[1]) for found in current)
