"""The machine's network, clock and name: interfaces and routes that are removed, settings that are changed."""

from collections.abc import Iterator

from toolgate.model.effect import Carrier, Operation, PrintedOutput, ReportedEffect, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, join_words, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, combine_programs, program_name
from toolgate.programs.argv.subcommands import build_flags, match_forms, parse_forms

_CUT_OPERATION, _SETTING_OPERATION = "network.cut", "machine.setting"


def subcommand_program(operation: str, given_forms: str, options: str = "") -> Program:
    """A tool with subcommands, of which these change something."""
    every = parse_forms({operation: given_forms})
    flags = build_flags(options, every)

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        parsed_options = flags.parse(argv)
        if parsed_options.has_flag("--help", "--version") is not True:
            for form, target in match_forms(every, parsed_options):
                yield Operation(form.operation, context.origin, target if target.parts else known_word(program_name(argv)))
                break
        yield PrintedOutput(context.unknown_output(program_name(argv)))

    return Program(does=report_effects)


# ---- network

_IP = Flags(
    "-4 -6 -B -M -0 -o,--oneline -br,-brief -c,-color=? -d,-details -s,-stats -j,-json -p,-pretty -n,-netns= -a,-all -b,-batch= -f,-family= -r -t -N -h,-help,--help"
    " -V,--version"
)
_IP_OBJECTS = ("link", "address", "addr", "route", "rule", "neighbour", "netns", "tunnel")
_REMOVAL_VERBS = ("delete", "flush")


def ip(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Objects and verbs may be shortened: `ip l s eth0 down`, `ip r del default`."""
    options = _IP.parse(argv, stop=True)
    words = list(argv[options.rest :])
    texts = [word.text or "" for word in words]
    kind = next((name for name in _IP_OBJECTS if texts and texts[0] and name.startswith(texts[0])), "")
    verb = texts[1] if len(texts) > 1 else ""
    if kind == "netns" and verb == "exec" and len(words) > 3:
        yield Run(tuple(words[3:]), context.origin, Carrier("ip", "netns exec"))
    elif kind in ("link", "address", "addr", "route", "rule"):
        away = verb != "" and any(name.startswith(verb) for name in _REMOVAL_VERBS)
        if away or (kind == "link" and verb in ("set", "s", "se") and "down" in texts[2:]):
            yield Operation(_CUT_OPERATION, context.origin, join_words(words))
        elif kind == "route" and "default" in texts[2:] and verb in ("add", "a", "replace", "change"):
            yield Operation(_SETTING_OPERATION, context.origin, known_word("the way to other networks"))
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def ifconfig(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """ifconfig."""
    texts = [word.text or "" for word in argv[1:]]
    if not {"down", "delete", "-alias", "0.0.0.0", "destroy"}.isdisjoint(texts[1:]):
        yield Operation(_CUT_OPERATION, context.origin, join_words(argv[1:]))
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def changing_program(operation: str) -> Program:
    """A program that changes something whenever it has operands."""

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        if any(word.starts_with("-") is not True for word in argv[1:]):
            yield Operation(operation, context.origin, join_words(argv[1:]))

    return Program(does=report_effects)


# ---- clock and name

_DATE = Flags(
    "-d,--date= -f,--file=read -I,--iso-8601=? -R,--rfc-email --rfc-3339= -r,--reference= -s,--set= -u,--utc --debug --resolution -j -n -v= --help --version"
)


def date(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`-s TIME`, or digits alone, set the clock; other calls print a time."""
    options = _DATE.parse(argv)
    plain = next((word for word in options.operands if (word.text or "").replace(".", "").isdigit()), None)
    set_to = options.value_of("--set") or (plain if options.has_flag("-j", "--date") is False else None)
    if set_to is not None and options.has_flag("--help") is not True:
        yield Operation(_SETTING_OPERATION, context.origin, known_word("the clock"))
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def hwclock(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    texts = {word.text or "" for word in argv[1:]}
    if not texts.isdisjoint(("-w", "--systohc", "-s", "--hctosys", "--set", "--systz")):
        yield Operation(_SETTING_OPERATION, context.origin, known_word("the clock"))
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def hostname(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """With an operand it sets the name."""
    options = Flags("-a -A -b -d -f -F,--file= -i -I -s -y -h,--help -V,--version").parse(argv)
    if options.operands or options.value_of("--file") is not None:
        yield Operation(_SETTING_OPERATION, context.origin, known_word("the machine's name"))
    yield PrintedOutput(context.unknown_output(program_name(argv)))


_NETWORKSETUP_REDIRECTS = (
    *("-setwebproxy", "-setsecurewebproxy", "-setsocksfirewallproxy", "-setautoproxyurl"),
    *("-setproxyautodiscovery", "-setmanual"),
)

ROWS: dict[str, Program] = {
    "ip": Program(does=ip),
    "ifconfig": Program(does=ifconfig),
    "ifdown": changing_program(_CUT_OPERATION),
    "route": subcommand_program(_CUT_OPERATION, "del|delete|flush", "-n -v -e -A= -4 -6 -net -host"),
    "nmcli": subcommand_program(
        _CUT_OPERATION,
        "networking|n off; radio|r wifi|wwan|all off; connection|con|c down|delete|del; device|dev|d disconnect|delete|down",
        "-t,--terse -p,--pretty -f,--fields= -g,--get-values= -a,--ask -w,--wait= -c,--colors= -m,--mode=",
    ),
    "networksetup": combine_programs(
        subcommand_program(
            _CUT_OPERATION,
            "-setdnsservers; -setairportpower; -setnetworkserviceenabled; -setv4off; -setv6off; -removenetworkservice",
            "-setdnsservers -setairportpower -setnetworkserviceenabled -setv4off -setv6off -removenetworkservice",
        ),
        subcommand_program(_SETTING_OPERATION, "; ".join(_NETWORKSETUP_REDIRECTS), " ".join(_NETWORKSETUP_REDIRECTS)),
    ),
    "resolvectl": subcommand_program(_SETTING_OPERATION, "dns * *; domain * *; dnsovertls * *; revert"),
    "xhost": subcommand_program(_SETTING_OPERATION, "+"),
    "rfkill": subcommand_program(_CUT_OPERATION, "block"),
    "zerotier-cli": combine_programs(subcommand_program(_CUT_OPERATION, "leave"), subcommand_program(_SETTING_OPERATION, "join")),
    "iw": subcommand_program(_CUT_OPERATION, "dev * del|disconnect; phy * del"),
    "wpa_cli": subcommand_program(
        _CUT_OPERATION, "terminate|disconnect|remove_network|interface_remove|disable_network", "-i= -p= -g= -B"
    ),
    "brctl": subcommand_program(_CUT_OPERATION, "delbr|delif"),
    "tc": subcommand_program(_CUT_OPERATION, "qdisc|filter|class add|replace|change|del|delete", "-s -d -r -p -n= -b="),
    "wg-quick": combine_programs(
        subcommand_program(_CUT_OPERATION, "down"), subcommand_program(_SETTING_OPERATION, "up /*|./*|~*")
    ),
    "timedatectl": subcommand_program(
        _SETTING_OPERATION,
        "set-time|set-ntp|set-timezone|set-local-rtc",
        "--no-pager --adjust-system-clock -H= -M= -p= -a --value",
    ),
    "hostnamectl": subcommand_program(
        _SETTING_OPERATION, "set-hostname|hostname *", "--static --pretty --transient --no-pager -H= -M="
    ),
    "date": Program(does=date),
    "hwclock": Program(does=hwclock),
    "hostname": Program(does=hostname),
}
