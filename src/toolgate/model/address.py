"""Hosts as URLs and command lines name them."""

import re

_LOOPBACK = re.compile(
    r"localhost(?:\.localdomain)?|(?:[\w-]+\.)+localhost|127(?:\.\d{1,3}){1,3}|::1|0\.0\.0\.0|host\.docker\.internal",
    re.IGNORECASE,
)


def host_of(address: str) -> str:
    """Of a URL, `user@host:path`, `host:port` or a host; numbers as a server would understand them (0xA9FEA9FE, 2852039166)."""
    rest = address.partition("://")[2] if "://" in address else address
    for end in "/?#":
        rest = rest.partition(end)[0]
    rest = rest.rpartition("@")[2]
    host = rest[1:].partition("]")[0] if rest.startswith("[") else rest if rest.count(":") > 1 else rest.partition(":")[0]
    try:
        number = int(host, 0)
    except ValueError:
        return host.lower().rstrip(".")
    return ".".join(str(number >> shift & 255) for shift in (24, 16, 8, 0)) if 0 < number < 2**32 else host


def is_loopback(host: str) -> bool:
    """Whether a host's name or address stands for this machine."""
    return _LOOPBACK.fullmatch(host) is not None
