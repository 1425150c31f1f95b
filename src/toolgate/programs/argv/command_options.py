"""Options whose value is a command, and subcommands that are another program."""

from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Carrier, Interpret, ReportedEffect, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word

COMMAND_OPTIONS: dict[str, frozenset[str]] = {
    name: frozenset(options.split())
    for name, options in {
        "cargo": "-s --shell",  # cargo watch
        "fzf": "--preview",
        "sk": "--preview",
        "ag": "--pager",
        "ack": "--pager",
        "bat": "--pager",
        "delta": "--pager",
        "man": "-P --pager",
        "rg": "--pre",
        "git": "--exec",
        "wget": "--use-askpass",
        "cscope": "-E",
        "tcpdump": "-z",
        "openvpn": "--up --down --route-up --ipchange --tls-verify --client-connect --learn-address --auth-user-pass-verify",
    }.items()
}
PROGRAM_SUBCOMMANDS: dict[str, tuple[str, str]] = {
    "minikube": ("kubectl", "kubectl"),
    "k3s": ("kubectl", "kubectl"),
    "microk8s": ("kubectl", "kubectl"),
    "rke2": ("kubectl", "kubectl"),
}
"""By program: its subcommand that is another program, and which one."""


_OWN_CLUSTERS = ("minikube",)
"""Programs whose `kubectl` speaks to a cluster on this machine."""
_NAMESPACE_PROGRAMS = ("podman", "buildah")
"""Programs whose subcommand `unshare` runs a command on this machine, as the owner of their images."""


def find_commands(name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the commands in the options of a program of this name, and the program that its subcommand runs."""
    options = COMMAND_OPTIONS.get(name, frozenset())
    for word, following in pairwise((*argv[1:], known_word(""))):
        option, attached, value = word.partition("=")
        if (option.text or "") in options and (attached or following.parts) and (name != "cargo" or argv[1].text == "watch"):
            yield Interpret("shell", value if attached else following, context.origin, via=Carrier(name, option.display_text))
    if name in _NAMESPACE_PROGRAMS and len(argv) > 2 and argv[1].text == "unshare":
        yield Run(argv[2:], context.origin, Carrier(name, "unshare"))
    subcommand, program = PROGRAM_SUBCOMMANDS.get(name, ("", ""))
    at = next((n for n, word in enumerate(argv) if n and word.text == subcommand), 0) if subcommand else 0
    if at:
        rest = argv[at + 2 :] if [word.text for word in argv[at + 1 : at + 2]] == ["--"] else argv[at + 1 :]
        own = (known_word("--context"), known_word(name)) if name in _OWN_CLUSTERS else ()
        yield Run((known_word(program), *own, *rest), context.origin, Carrier(name, subcommand))
