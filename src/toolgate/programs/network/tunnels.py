"""Tunnels that make a port of this machine reachable from outside, and private networks that the machine can leave."""

from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Operation, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, join_words, known_word
from toolgate.programs.argv.program import Program, program_name


def tunnel_program(forms_of: tuple[str, ...], inert_words: tuple[str, ...] = ()) -> Program:
    """A tunnel from outside to a port of this machine. `forms_of`: the subcommands that open one; none if all do. `inert_words`: the
    words directly after one of these with which it opens none."""

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        words = [word.text or "" for word in argv[1:]]
        if not {"--help", "-h", "--version", "version", "help"}.isdisjoint(words):
            return
        if any(word in forms_of and after in inert_words for word, after in pairwise(words)):
            return
        if not forms_of or not set(forms_of).isdisjoint(words):
            yield Operation("network.expose", context.origin, known_word(program_name(argv)))

    return Program(does=report_effects)


_FUNNEL = tunnel_program(("funnel", "serve"), ("status", "reset", "off"))


def tailscale(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """tailscale opens a port to the outside, or takes the machine out of its network."""
    if [word.text for word in argv[1:2]] in (["down"], ["logout"]) and all(word.text not in ("-h", "--help") for word in argv):
        yield Operation("network.cut", context.origin, known_word("tailscale ") + argv[1])
    opening = [word.head for word in argv[2:] if word.head.startswith(_OPENING_OPTIONS) and not word.head.endswith("=false")]
    if opening and [word.text for word in argv[1:2]] in (["up"], ["set"]):
        yield Operation("network.expose", context.origin, known_word(f"tailscale {opening[0]}"))
    yield from _FUNNEL.effects_of_call(argv, context)


_OPENING_OPTIONS = ("--ssh", "--advertise-exit-node", "--advertise-routes")
"""Options that let the private network reach this machine's shell, or the network behind it."""
_CLOUDFLARED = tunnel_program(("tunnel",), ("list", "info", "login", "create", "ready", "diag", "cleanup", "delete"))


def cloudflared(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    if "delete" in (texts := [word.text for word in argv[1:]]) and "tunnel" in texts:
        yield Operation("cloud.delete", context.origin, join_words(argv[1:]), (("dry_run", False),))
    yield from _CLOUDFLARED.effects_of_call(argv, context)


ROWS: dict[str, Program] = {
    **dict.fromkeys(("ngrok", "zrok"), tunnel_program(("http", "tcp", "tls", "start", "share"))),
    **dict.fromkeys(("lt", "localtunnel", "bore", "frpc", "chisel", "pagekite"), tunnel_program(())),
    "cloudflared": Program(does=cloudflared),
    "tailscale": Program(does=tailscale),
}
