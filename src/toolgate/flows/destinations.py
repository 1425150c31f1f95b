"""Destinations of text on the network: this machine, a private network, a host the project works with, or a foreign one."""

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from toolgate.model.address import host_of, is_loopback
from toolgate.model.word import Word
from toolgate.model.world import GitState, World

DestinationKind = Literal["loopback", "near", "known", "drop", "foreign", "unknown"]
_UNKNOWN_PART = "\x00"
"""Represents the unknown part of an address."""
MAX_CONFIG_BYTES = 65_536


class Destination(NamedTuple):
    """`near`: a private name or address. `known`: the project's remotes, forges, registries. `drop`: a service where
    anybody can share files with anybody. `unknown`: the host cannot be determined."""

    host: str
    kind: DestinationKind


_KNOWN_HOSTS = (
    "github.com gitlab.com bitbucket.org codeberg.org sr.ht dev.azure.com visualstudio.com ghcr.io pypi.org pythonhosted.org "
    "npmjs.org npmjs.com "
    "golang.org "
    "crates.io rubygems.org hex.pm packagist.org maven.org sonatype.org nuget.org docker.io docker.com pkg.dev gcr.io quay.io "
    "amazonaws.com "
    "googleapis.com azurecr.io windows.net huggingface.co codecov.io sentry.io"
).split()
_DROP_HOSTS = (
    "transfer.sh 0x0.st file.io ix.io termbin.com paste.rs pastebin.com webhook.site requestbin.com pipedream.net "
    "requestbin.net oast.fun oast.pro "
    "oast.live interact.sh burpcollaborator.net ngrok.io ngrok-free.app ngrok.app trycloudflare.com gofile.io bashupload.com "
    "temp.sh catbox.moe "
    "dpaste.com dpaste.org hastebin.com paste.ee rentry.co anonfiles.com wetransfer.com sprunge.us clbin.com envs.sh "
    "beeceptor.com gist.github.com gist.githubusercontent.com"
).split()
_LOCAL_SUFFIXES = (".local", ".localhost", ".test", ".internal", ".lan", ".home", ".svc", ".invalid", ".cluster.local", ".ts.net")
_PRIVATE = re.compile(
    r"10\.[\d.]+|192\.168\.[\d.]+|172\.(?:1[6-9]|2\d|3[01])\.[\d.]+|169\.254\.[\d.]+|f[cd][0-9a-f]{2}:.*|fe80:.*"
)
_HOST = re.compile(r"[a-z0-9_.-]+|[0-9a-f:.]+", re.IGNORECASE)
_REMOTE_URL = re.compile(r"^[ \t]*(?:push)?url[ \t]*=[ \t]*\"?([^\s\"]+)", re.IGNORECASE | re.MULTILINE)


def find_destination(target: Word, own: frozenset[str] = frozenset(), trusted: tuple[str, ...] = ()) -> Destination:
    """Returns where a connection leads. `own`: hosts of the project; `trusted`: domains that the user trusts."""
    text = "".join(part if isinstance(part, str) else _UNKNOWN_PART for part in target.parts)
    if text.startswith(("/", "./", "../", "unix:")):
        return Destination("", "loopback")
    host = _known_domain(host_of(text))
    return Destination(host, _kind_of(host, own, trusted))


def is_local(target: Word | None) -> bool:
    """Returns whether an address leads to this machine."""
    return target is not None and bool(target.parts) and find_destination(target).kind == "loopback"


def _kind_of(host: str, own: frozenset[str], trusted: tuple[str, ...]) -> DestinationKind:
    if not host or not _HOST.fullmatch(host):
        return "unknown"
    if is_loopback(host):
        return "loopback"
    if "." not in host and ":" not in host:
        return "near"
    if host in own or matches_domain(host, trusted):
        return "known"
    if matches_domain(host, _DROP_HOSTS):
        return "drop"
    if host.endswith(_LOCAL_SUFFIXES) or _PRIVATE.fullmatch(host):
        return "near"
    return "known" if matches_domain(host, _KNOWN_HOSTS) else "foreign"


def matches_domain(host: str, ends: Iterable[str]) -> bool:
    """Returns whether a host is one of these domains, or in one."""
    return any(host == end or host.endswith(f".{end}") for end in ends)


def _known_domain(host: str) -> str:
    """Returns the known domain after an unknown label (`$DATA.evil.example`); empty if less is known."""
    before, hole, after = host.rpartition(_UNKNOWN_PART)
    if not hole:
        return before + after
    return after.lstrip(".") if after.startswith(".") and after.count(".") > 1 else ""


def find_own_hosts(world: World, folder: str) -> frozenset[str]:
    """Returns the hosts of the repository's remotes as they were before this call."""
    state = world.git(folder)
    if not isinstance(state, GitState):
        return frozenset()
    return frozenset(map(host_of, find_remotes(world, state.root)))


def find_remotes(world: World, root: str) -> tuple[str, ...]:
    """Returns the addresses of a repository's remotes from its configuration."""
    text = world.read(f"{root}/.git/config", MAX_CONFIG_BYTES)
    return tuple(_REMOTE_URL.findall(text)) if isinstance(text, str) else ()
