"""Asking a cloud's metadata address, which hands out the machine's own credentials to whoever asks from it.

Programs that need them ask through the provider's library; a command that asks by hand shows them.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Connect
from toolgate.model.rule import Context

ADDRESSES = (
    *("169.254.169.254", "169.254.170.2", "100.100.100.200", "fd00:ec2::254"),
    *("metadata.google.internal", "metadata.azure.com"),
)


def check(connection: Connect, _options: None, _context: Context) -> Iterator[Match]:
    target = connection.target.text or ""
    if host_of(target) in ADDRESSES:
        yield Match(connection, f"This asks {host_of(target)}, where the machine's own credentials are.")


def host_of(target: str) -> str:
    """Of a URL, `host:port` or a host; numbers as a server would understand them (0xA9FEA9FE, 2852039166)."""
    rest = target.partition("://")[2] if "://" in target else target
    rest = rest.split("/", 1)[0].split("?", 1)[0].rpartition("@")[2]
    host = rest[1:].partition("]")[0] if rest.startswith("[") else rest if rest.count(":") > 1 else rest.partition(":")[0]
    try:
        number = int(host, 0)
    except ValueError:
        return host.lower().rstrip(".")
    return ".".join(str(number >> shift & 255) for shift in (24, 16, 8, 0)) if 0 < number < 2**32 else host
