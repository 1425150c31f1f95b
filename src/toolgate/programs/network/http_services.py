"""Services that delete something on an HTTP request: search engines, queues, stores, and public APIs.

GROWS: a row is where a service listens (a port, or the end of a host's name), a pattern of paths, and the operation.
"""

import re
from collections.abc import Iterator
from urllib.parse import unquote

from toolgate.locality import is_in_development
from toolgate.model.address import is_loopback
from toolgate.model.effect import Operation, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.safeguards import find_weakened, list_settings, names_action

_DELETIONS_BY_PORT: dict[str, tuple[str, str]] = {
    "9200": (r"(?!.*/_doc/)(?!/_search/scroll)/.+", "database.drop"),  # Elasticsearch, OpenSearch
    "8500": (r"/v1/kv/.*recurse", "database.delete"),  # Consul
    "15672": (r"/api/(queues|exchanges|vhosts|users|policies)/.+", "database.drop"),  # RabbitMQ
    "5984": (r"/[^/]+/?$", "database.drop"),  # CouchDB
    "8086": (r"/api/v2/(buckets|orgs)/.+", "database.drop"),  # InfluxDB
    "6333": (r"/collections/[^/]+/?$", "database.drop"),  # Qdrant
    "7700": (r"/indexes/.+|/keys/.+", "database.drop"),  # Meilisearch
    "8108": (r"/collections/.+", "database.drop"),  # Typesense
    "8983": (r"/(api|solr)/.+", "database.drop"),  # Solr
    "8200": (r"/v1/(sys/mounts|secret/metadata)/.+", "infrastructure.destroy"),  # Vault
    "6443": (r"/apis?/.+", "kubernetes.delete"),
    "8001": (
        r"/(apis?|services|routes|consumers|plugins|upstreams|certificates)/.+",
        "infrastructure.destroy",
    ),  # kubectl proxy, Kong
    "8083": (r"/connectors/.+", "infrastructure.destroy"),  # Kafka Connect
    "8081": (r"/subjects/.+", "database.drop"),  # a registry of schemas
    "4646": (r"/v1/(job|volume|namespace)/.+", "infrastructure.destroy"),  # Nomad
    "9091": (r"/metrics/job/.+", "database.delete"),  # Pushgateway
    "2375": (r"/.*(containers|volumes|images|networks)/.+", "infrastructure.destroy"),  # docker
}
_DELETIONS_BY_POST: dict[str, str] = {
    "api.cloudflare.com": r".*/purge_cache\b",
    "api.fastly.com": r".*/purge_all\b",
    "api.stripe.com": r"/v1/(refunds|transfers|payouts)\b|.*/(cancel|void|reverse)\b",
    "slack.com": r"/api/[\w.]+\.(delete|archive|kick|revoke|remove)\w*",
    "algolia.net": r".*/(clear|deleteByQuery)\b",
    "pinecone.io": r"/vectors/delete\b",
    ":8200": r"/v1/sys/(seal|step-down)\b",  # Vault
    ":8500": r"/v1/agent/(leave|force-leave)\b",  # Consul
    ":2375": r"/.*(prune|kill|stop)\b",  # docker
    ":2019": r"/stop\b",  # Caddy
    ":9090": r"/-/quit\b",  # Prometheus
}
"""Paths where POST or PUT deletes something, too: by the end of a host's name, or by port."""
_DELETING_PATH = re.compile(
    r"/_delete_by_query\b|/_update_by_query\b|/[^/?]+/_close\b|/admin/tsdb/delete_series|/query\?.*\b(drop|delete)\b",
    re.IGNORECASE,
)
_STATEMENT_PATHS: dict[str, str] = {
    "8123": r"/",  # ClickHouse
    "8086": r"/(query|api/v2/query)",  # InfluxDB
    "7474": r"/db/",  # Neo4j
    "9200": r"/(_aliases|_sql|_plugins/_sql)",  # Elasticsearch, OpenSearch
    "8529": r"/.*_api/cursor",  # ArangoDB
    "19530": r"/",  # Milvus
    "8000": r"/sql",  # SurrealDB
}
"""Ports where a database takes statements as text, with the paths for them."""
_DESTRUCTIVE_STATEMENT = re.compile(
    r"\b(?:drop|remove)\s+(?:database|table|measurement|series|user|index|namespace)\b|\btruncate\s+(?:table\s+)?\w|\bdetach\s+delete\b"
    r"|\bdelete\s+from\s+\w+\s*(?:$|[;\"'&])|\"remove_index\"|collections/drop\b",
    re.IGNORECASE,
)
_CHANGING_METHODS = ("POST", "PUT", "PATCH")
_TAKING_STEP = re.compile(r"[\w.-]*:?(?:deactivate|disable|suspend|terminate|destroy|delete|purge|wipe|shutdown)")
"""A step of a path that names what is done with the object before it: `/users/7/lifecycle/deactivate`, `/vms/1:suspend`."""
_STARTS_CONTAINER = re.compile(r"/.*containers/create\b|/.*/exec$")
_REACHES_HOST = re.compile(r"\"(?:Binds|Privileged|Mounts|PidMode|CapAdd)\"")
_DELETES_POINTS = re.compile(r"/collections/[^/]+/points/delete\b")
_TEST_KEY = re.compile(r"(?:^|[\s:])(?:sk|rk)_test_\w+")
_JENKINS = re.compile(r"/(?:doDelete|doWipeOutWorkspace|safeExit|exit|quietDown|scriptText|doKill)\b")
_ADDRESS = re.compile(r"(?:[a-z]+://)?(?:[^/@]*@)?(\[[^\]]*\]|[^/:?]+)(?::(\d+))?(/.*|\?.*)?$", re.IGNORECASE)


def _is_public_host(host: str) -> bool:
    """Returns whether the host is somebody else's. One-word names and private names or addresses are not."""
    if "." not in host or host.endswith((*_LOCAL_SUFFIXES, *_EXAMPLE_SERVICES)):
        return False
    return not _PRIVATE.match(host)


_EXAMPLE_SERVICES = (
    "jsonplaceholder.typicode.com",
    "httpbin.org",
    "reqres.in",
    "postman-echo.com",
    "dummyjson.com",
    "fakestoreapi.com",
)
"""Services for trying requests: they keep nothing."""
_LOCAL_SUFFIXES = (".local", ".localhost", ".test", ".internal", ".lan", ".home", ".svc", ".invalid")
_PRIVATE = re.compile(r"(?:127|10)\.[\d.]+$|192\.168\.[\d.]+$|172\.(?:1[6-9]|2\d|3[01])\.[\d.]+$|0\.0\.0\.0$|169\.254\.[\d.]+$")


def _find_changes(url: Word, method: str, path: str, sent: Word | None, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields what the last step of a path does, if it is a verb, and the safeguard that the settings in the body switch off."""
    steps = tuple(step for step in path.partition("?")[0].split("/") if step)
    target = known_word(f"{method} ") + url
    if method == "POST" and steps and _TAKING_STEP.fullmatch(steps[-1]):
        yield Operation("cloud.delete", context.origin, target, (("dry_run", False),))
        return
    settings = list_settings(sent.text if sent is not None else None, steps)
    changed = (each for each in settings if method != "POST" or names_action(each))
    if find_weakened(changed):
        yield Operation("safeguard.weaken", context.origin, target, (("dry_run", False),))


_BROKER_PORTS = ("15672",)
"""Ports of interfaces whose last step names the object: RabbitMQ's queues, behind the virtual host."""


def find_deletions(
    url: Word, method: str, context: ExecutionContext, sent: Word | None = None, shown: Word | None = None
) -> Iterator[ReportedEffect]:
    """Yields what a request with this method deletes at a known service. `shown`: its headers; a payment provider's key for tests
    changes nothing."""
    text = "".join(part if isinstance(part, str) else part.like if part.like == "?" else "x" for part in url.parts)
    address = _ADDRESS.match(f"localhost{text}" if text.startswith(":") else text)
    if address is None:
        return
    host, port, path = address[1].lower(), address[2] or "", address[3] or "/"
    if host.endswith("api.stripe.com") and shown is not None and _TEST_KEY.search(shown.outline):
        return
    row = _DELETIONS_BY_PORT.get(port) or ((r"/.+", "cloud.delete") if _is_public_host(host) else None)
    if _DELETING_PATH.search(path) and method in ("POST", "PUT", "DELETE"):
        row = (r".", "database.delete")
    elif re.match(_STATEMENT_PATHS.get(port, "$"), path) and _DESTRUCTIVE_STATEMENT.search(
        unquote(path.replace("+", " ")) + "\n" + (sent.outline if sent is not None else "")
    ):
        row = (r".", "database.drop")
    elif port == "2375" and _STARTS_CONTAINER.match(path) and _REACHES_HOST.search(sent.outline if sent else ""):
        yield Operation("container.escape", context.origin, url)
        return
    elif method == "POST" and _DELETES_POINTS.match(path):
        row = (r".", "database.delete")
    elif method == "POST" and _JENKINS.search(path):
        row = (r".", "cloud.delete")
    elif method in ("POST", "PUT"):
        row = next(
            ((like, "cloud.delete") for end, like in _DELETIONS_BY_POST.items() if f"{host}:{port}".endswith((end, f"{end}:"))),
            None,
        )
    elif method != "DELETE":
        row = None
    if row is None and method in _CHANGING_METHODS and not is_loopback(host):
        yield from _find_changes(url, method, path, sent, context)
    if row is not None and re.match(row[0], path):
        names = (path.lstrip("/").partition("/")[0], path.rpartition("/")[2] if port in _BROKER_PORTS else "")
        is_of_test = is_loopback(host) and any(map(is_in_development, names))
        flags = (("disposable", is_of_test),) if row[1].startswith("database") else (("dry_run", False),)
        yield Operation(row[1], context.origin, known_word(f"{method} ") + url, flags)
