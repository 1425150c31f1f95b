"""Host names in URLs and command lines."""

import re
from collections.abc import Collection

_LOOPBACK = re.compile(
    r"localhost(?:\.localdomain)?|(?:[\w-]+\.)+localhost|127(?:\.\d{1,3}){1,3}|::1|0\.0\.0\.0|host\.docker\.internal",
    re.IGNORECASE,
)


def host_of(address: str) -> str:
    """Returns the host of a URL, `user@host:path`, `host::module`, `host:port` or a host; numbers are read as a server would
    (0xA9FEA9FE, 2852039166)."""
    rest = address.partition("://")[2] if "://" in address else address
    for end in "/?#":
        rest = rest.partition(end)[0]
    rest = rest.rpartition("@")[2]
    if rest.startswith("tcp(") and rest.endswith(")"):  # as MySQL's driver for Go has it
        rest = rest[4:-1]
    if "." in rest.partition("::")[0]:  # `host::module` of rsync, and no IPv6 address
        rest = rest.partition("::")[0]
    host = rest[1:].partition("]")[0] if rest.startswith("[") else rest if rest.count(":") > 1 else rest.partition(":")[0]
    try:
        number = int(host, 0)
    except ValueError:
        return host.lower().rstrip(".")
    return ".".join(str(number >> shift & 255) for shift in (24, 16, 8, 0)) if 0 < number < 2**32 else host


def is_loopback(host: str) -> bool:
    """Returns whether a host name or address means this machine."""
    return _LOOPBACK.fullmatch(host) is not None


def all_lead_here(addresses: Collection[str]) -> bool:
    """Returns whether there are addresses, and the host of each means this machine. An unknown one is an empty text."""
    return bool(addresses) and all(is_loopback(host_of(address)) for address in addresses)
