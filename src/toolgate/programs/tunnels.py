"""Tunnels that make a port of this machine reachable from outside, and private networks that the machine can leave."""

from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Operation, Reported
from toolgate.model.seen import Seen
from toolgate.model.word import Word, joined, known

from .program import Program, via


def publisher(forms_of: tuple[str, ...], told: tuple[str, ...] = ()) -> Program:
    """A tunnel from outside to a port of this machine. `forms_of`: the subcommands that open one; none if all do. `told`: the
    words directly after one of these with which it opens none."""

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        words = [word.text or "" for word in argv[1:]]
        if not {"--help", "-h", "--version", "version", "help"}.isdisjoint(words):
            return
        if any(word in forms_of and after in told for word, after in pairwise(words)):
            return
        if not forms_of or not set(forms_of).isdisjoint(words):
            yield Operation("network.expose", seen.origin, known(via(argv)))

    return Program(does=does)


_FUNNEL = publisher(("funnel", "serve"), ("status", "reset", "off"))


def mesh(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """tailscale opens a port to the outside, or takes the machine out of its network."""
    if [word.text for word in argv[1:2]] in (["down"], ["logout"]) and all(word.text not in ("-h", "--help") for word in argv):
        yield Operation("network.cut", seen.origin, known("tailscale ") + argv[1])
    yield from _FUNNEL.effects(argv, seen)


_CLOUDFLARED = publisher(("tunnel",), ("list", "info", "login", "create", "ready", "diag", "cleanup", "delete"))


def tunnelled(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    if "delete" in (texts := [word.text for word in argv[1:]]) and "tunnel" in texts:
        yield Operation("cloud.delete", seen.origin, joined(argv[1:]), (("dry_run", False),))
    yield from _CLOUDFLARED.effects(argv, seen)


ROWS: dict[str, Program] = {
    **dict.fromkeys(("ngrok", "zrok"), publisher(("http", "tcp", "tls", "start", "share"))),
    **dict.fromkeys(("lt", "localtunnel", "bore", "frpc", "chisel", "pagekite"), publisher(())),
    "cloudflared": Program(does=tunnelled),
    "tailscale": Program(does=mesh),
}
