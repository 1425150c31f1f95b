"""The machine's network, clock and name: interfaces and routes that are removed, settings that are changed."""

from collections.abc import Iterator

from toolgate.model.effect import Operation, Prints, Reported, Run
from toolgate.model.seen import Seen
from toolgate.model.word import Word, joined, known

from .options import Flags
from .program import Program, via
from .verbs import forms, found, with_information

_CUT, _SET = "network.cut", "machine.setting"


def changes(operation: str, given_forms: str, options: str = "") -> Program:
    """A tool with subcommands, of which these change something."""
    every = forms({operation: given_forms})
    flags = with_information(options, every)

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        given = flags.read(argv)
        if given.flag("--help", "--version") is not True:
            for form, target in found(every, given):
                yield Operation(form.operation, seen.origin, target if target.parts else known(via(argv)))
                break
        yield Prints(seen.output(via(argv)))

    return Program(does=does)


# ---- network

_IP = Flags(
    "-4 -6 -B -M -0 -o,--oneline -br,-brief -c,-color=? -d,-details -s,-stats -j,-json -p,-pretty -n,-netns= -a,-all -b,-batch= -f,-family= -r -t -N -h,-help,--help"
    " -V,--version"
)
_OBJECTS = ("link", "address", "addr", "route", "rule", "neighbour", "netns", "tunnel")
_TAKES_AWAY = ("delete", "flush")


def ip(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """Objects and verbs may be shortened: `ip l s eth0 down`, `ip r del default`."""
    given = _IP.read(argv, stop=True)
    words = list(argv[given.rest :])
    texts = [word.text or "" for word in words]
    kind = next((name for name in _OBJECTS if texts and texts[0] and name.startswith(texts[0])), "")
    verb = texts[1] if len(texts) > 1 else ""
    if kind == "netns" and verb == "exec" and len(words) > 3:
        yield Run(tuple(words[3:]), seen.origin, "ip netns exec")
    elif kind in ("link", "address", "addr", "route", "rule"):
        away = verb != "" and any(name.startswith(verb) for name in _TAKES_AWAY)
        if away or (kind == "link" and verb in ("set", "s", "se") and "down" in texts[2:]):
            yield Operation(_CUT, seen.origin, joined(words))
    yield Prints(seen.output(via(argv)))


def interface(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """ifconfig."""
    texts = [word.text or "" for word in argv[1:]]
    if not {"down", "delete", "-alias", "0.0.0.0", "destroy"}.isdisjoint(texts[1:]):
        yield Operation(_CUT, seen.origin, joined(argv[1:]))
    yield Prints(seen.output(via(argv)))


def always(operation: str) -> Program:
    """A program that changes something whenever it has operands."""

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        if any(word.starts("-") is not True for word in argv[1:]):
            yield Operation(operation, seen.origin, joined(argv[1:]))

    return Program(does=does)


# ---- clock and name

_DATE = Flags(
    "-d,--date= -f,--file=read -I,--iso-8601=? -R,--rfc-email --rfc-3339= -r,--reference= -s,--set= -u,--utc --debug --resolution -j -n -v= --help --version"
)


def date(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`-s TIME`, or digits alone, set the clock; other calls print a time."""
    given = _DATE.read(argv)
    plain = next((word for word in given.operands if (word.text or "").replace(".", "").isdigit()), None)
    set_to = given.value("--set") or (plain if given.flag("-j", "--date") is False else None)
    if set_to is not None and given.flag("--help") is not True:
        yield Operation(_SET, seen.origin, known("the clock"))
    yield Prints(seen.output(via(argv)))


def hardware_clock(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    texts = {word.text or "" for word in argv[1:]}
    if not texts.isdisjoint(("-w", "--systohc", "-s", "--hctosys", "--set", "--systz")):
        yield Operation(_SET, seen.origin, known("the clock"))
    yield Prints(seen.output(via(argv)))


def hostname(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """With an operand it sets the name."""
    given = Flags("-a -A -b -d -f -F,--file= -i -I -s -y -h,--help -V,--version").read(argv)
    if given.operands or given.value("--file") is not None:
        yield Operation(_SET, seen.origin, known("the machine's name"))
    yield Prints(seen.output(via(argv)))


ROWS: dict[str, Program] = {
    "ip": Program(does=ip),
    "ifconfig": Program(does=interface),
    "ifdown": always(_CUT),
    "route": changes(_CUT, "del|delete|flush", "-n -v -e -A= -4 -6 -net -host"),
    "nmcli": changes(
        _CUT,
        "networking|n off; radio|r wifi|wwan|all off; connection|con|c down|delete|del; device|dev|d disconnect|delete|down",
        "-t,--terse -p,--pretty -f,--fields= -g,--get-values= -a,--ask -w,--wait= -c,--colors= -m,--mode=",
    ),
    "networksetup": changes(
        _CUT,
        "-setdnsservers; -setairportpower; -setnetworkserviceenabled; -setv4off; -setv6off; -removenetworkservice",
        "-setdnsservers -setairportpower -setnetworkserviceenabled -setv4off -setv6off -removenetworkservice",
    ),
    "rfkill": changes(_CUT, "block"),
    "zerotier-cli": changes(_CUT, "leave"),
    "iw": changes(_CUT, "dev * del|disconnect; phy * del"),
    "wpa_cli": changes(_CUT, "terminate|disconnect|remove_network|interface_remove|disable_network", "-i= -p= -g= -B"),
    "brctl": changes(_CUT, "delbr|delif"),
    "tc": changes(_CUT, "qdisc|filter|class add|replace|change|del|delete", "-s -d -r -p -n= -b="),
    "wg-quick": changes(_CUT, "down"),
    "timedatectl": changes(
        _SET, "set-time|set-ntp|set-timezone|set-local-rtc", "--no-pager --adjust-system-clock -H= -M= -p= -a --value"
    ),
    "hostnamectl": changes(_SET, "set-hostname|hostname *", "--static --pretty --transient --no-pager -H= -M="),
    "date": Program(does=date),
    "hwclock": Program(does=hardware_clock),
    "hostname": Program(does=hostname),
}
