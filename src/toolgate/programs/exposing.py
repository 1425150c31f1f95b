"""Servers of files and shells: whoever reaches the port can read a folder, or type commands here."""

import re
from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Connect, Operation, Prints, Read, Reported
from toolgate.model.seen import Seen
from toolgate.model.word import Word, known

from .program import Program, via

_TOLD = frozenset(("--help", "-h", "--version", "-V", "version", "help"))


def serves_files(options: str, *, operand: bool = True, skips: str = "") -> Program:
    """A server of one folder: the value of one of `options`, an operand, or the current directory. `skips`: other options with
    a value."""
    names, others = options.split(), skips.split()

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        if not _TOLD.isdisjoint(word.text for word in argv[1:2]):
            return
        yield from _serve(_folder(argv, names, others, operand=operand), seen)
        yield Prints(seen.output(via(argv)))

    return Program(does=does)


def _folder(argv: tuple[Word, ...], names: list[str], others: list[str], *, operand: bool) -> Word:
    for option, value in pairwise(argv[1:]):
        if option.text in names:
            return value
    for word in argv[1:]:
        name, attached, value = word.partition("=")
        if attached and name.text in names:
            return value
    valued = {id(value) for option, value in pairwise(argv) if option.text in others}
    folders = (
        word for word in argv[1:] if word.starts("-") is False and id(word) not in valued and not (word.text or "").isdigit()
    )
    return next(folders, known(".")) if operand else known(".")


def _serve(folder: Word, seen: Seen) -> Iterator[Reported]:
    yield Read(seen.place(folder), seen.origin, True)
    yield Connect(known("0.0.0.0"), seen.origin, seen.read(folder), listens=True)


def php_server(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`php -S ADDRESS -t FOLDER`."""
    if any(word.starts("-S") is True for word in argv[1:]):
        yield from _serve(next((value for option, value in pairwise(argv) if option.text == "-t"), known(".")), seen)


def opens(verbs: str = "") -> Program:
    """A program that lets others type commands here, or publishes a port. `verbs`: the first words with which it does; none if
    it always does."""
    wanted = verbs.split()

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        words = [word.text or "" for word in argv[1:] if word.starts("-") is not True]
        if _TOLD.isdisjoint(word.text for word in argv[1:]) and (not wanted or (words[:1] and words[0] in wanted)):
            yield Operation("network.expose", seen.origin, known(via(argv)))
        yield Prints(seen.output(via(argv)))

    return Program(does=does)


def sshd(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """A login server besides the system's own: another port, other keys, other settings."""
    if any(word.starts(option) is True for word in argv[1:] for option in ("-p", "-o", "-h", "-f", "-D")):
        yield Operation("network.expose", seen.origin, known("sshd"))


def redis_server(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """redis-server is exposed if it listens on all networks without a password."""
    texts = [word.text or "" for word in argv[1:]]
    is_open = ("--protected-mode", "no") in pairwise(texts)
    bound = [value for option, value in pairwise(texts) if option == "--bind"]
    if (is_open and bound not in (["127.0.0.1"], ["localhost"])) or bound in (["0.0.0.0"], ["*"]):
        yield Operation("network.expose", seen.origin, known("redis-server"))


_NOBODY_ASKED = re.compile(
    r"--no-?auth(?:entication)?|--auth[= ]none|--without-connection-token|-nopw|--disable-auth|--allow-anonymous|--[\w.]*token="
    r"|-SecurityTypes[= ]None|-E\S*security\.enabled=false|--accept-hosts[= ]\S*\.\*|--insecure-bind-address\S*"
)
_TO_EVERYBODY = re.compile(r"(?:-\S*[= ])?(?:tcp://)?(?:0\.0\.0\.0|\[::\])(?::\d+)?|--bind_ip_all")
_ASKS_FOR_ONE = frozenset("dockerd mongod kubectl code-server filebrowser memcached etcd consul".split())
"""Servers without authentication by default, once they listen on all networks."""


def find_exposure(name: str, argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """Report a server that is told to skip authentication, or one without it that listens on all networks."""
    texts = [word.text or "" for word in argv[1:]]
    pairs = [f"{option} {value}" for option, value in pairwise(texts)]
    if any(_NOBODY_ASKED.fullmatch(text) for text in (*texts, *pairs) if text.startswith("-")) or (
        name in _ASKS_FOR_ONE and any(_TO_EVERYBODY.fullmatch(text) for text in (*texts, *pairs))
    ):
        yield Operation("network.expose", seen.origin, known(name))


ROWS: dict[str, Program] = {
    "http.server": serves_files("-d --directory", operand=False),
    **dict.fromkeys(("http-server", "serve", "live-server", "miniserve", "darkhttpd", "simple-http-server", "sirv"), serves_files("-d --dir", skips="-p --port -l --listen -a -i -c")),
    "webfsd": serves_files("-r", operand=False),
    "caddy": serves_files("--root -r", operand=False),
    **dict.fromkeys(("ttyd", "gotty", "tmate", "upterm", "sshx", "wetty", "shellinaboxd", "rtty", "teleconsole", "dropbear", "vncserver", "x11vnc", "tigervncserver"), opens()),
    **dict.fromkeys(("code", "code-insiders", "codium", "cursor", "code-tunnel"), opens("tunnel serve-web")),
    "devtunnel": opens("host"),
    "sshd": Program(does=sshd),
    "redis-server": Program(does=redis_server),
    **dict.fromkeys(("ping", "ping6", "traceroute", "mtr", "tracepath"), Program(operands="connect*")),
}  # fmt: skip
