"""Load generators, and programs that try passwords or weaknesses of a server."""

import re
from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Operation, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.conventions import build_write, find_outputs, guess_reads
from toolgate.programs.argv.program import Program, combine_programs
from toolgate.programs.interpreters.script_interpreters import run_script_file

_NUMBER = re.compile(r"(?:-{1,2}[A-Za-z-]*=?)?(\d{1,12})(ms|s|m|h)?", re.IGNORECASE)
_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600}
_MANY, _LONG = 1000, 300
"""Requests, connections or packets; seconds."""
_ENDLESS_OPTIONS = frozenset(("--flood", "--faster", "-rate=0", "--rate=0", "-f"))
_HOST = re.compile(
    r"[a-z][a-z0-9+-]*://\S+|(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?(?:/\S*)?|\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?:/\S*)?|localhost(?::\d+)?\S*"
)
_FILE = re.compile(r".*\.(?:txt|lst|json|ya?ml|lua|js|csv|conf|html|log|md|xml|sql|ini|toml)")


def generate_load(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """A load generator: many requests, or requests for a long time."""
    yield from guess_reads(argv, context)
    if any(word.text is not None and _is_heavy(word.text) for word in argv[1:]) or any(map(_is_long, argv, argv[1:])):
        targets = list(_attack(argv, context))
        yield from targets or (Operation("network.flood", context.origin, known_word("the targets of its input")),)


def run_load_script(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """k6, artillery: the addresses in the script that they repeat."""
    yield from guess_reads(argv, context)
    scripts = [word for word in argv[1:] if _SCRIPT.search(word.tail)]
    texts = [content.text or "" for script in scripts for content in context.read_alternatives(script)]
    if any(word.text == "-" for word in argv[1:]):
        texts.append(context.stdin.text or "")
    amounts = [amount for text in texts for amount in _AMOUNT.findall(text)]
    if any(map(_is_heavy, (*(word.text or "" for word in argv[1:]), *amounts))):
        for address in dict.fromkeys(found for text in texts for found in _ADDRESS.findall(text)):
            yield Operation("network.flood", context.origin, known_word(address))


_SCRIPT = re.compile(r"\.(?:[cm]?[jt]s|ya?ml)$")
_ADDRESS = re.compile(r"https?://[\w.-]+")
_AMOUNT = re.compile(
    r"\b(?:vus|maxVUs|target|rate|iterations|arrivalRate|maxVusers|duration)\b[\"']?\s*:\s*[\"']?(\d{1,12}(?:ms|s|m|h)?)\b"
)
"""Users, requests and times in the options of a script."""


def ping(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    if any(word.text in ("-f", "--flood") for word in argv[1:]):
        yield from _attack(argv, context)


def probe(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """A program that tries passwords or weaknesses of a server."""
    yield from guess_reads(argv, context)
    yield from _attack(argv, context)


def _attack(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    hosts = [word for word in argv[1:] if word.text and _HOST.fullmatch(word.text) and not _FILE.fullmatch(word.text)]
    unknown_words = [word for word in argv[1:] if word.text is None and word.starts_with("-") is False]
    for target in hosts or unknown_words:
        is_every_address = target.text in ("0.0.0.0/0", "::/0")
        yield Operation(
            "network.flood", context.origin, known_word("every address of the internet") if is_every_address else target
        )


def nmap(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """nmap probes hosts, and runs scripts in Lua."""
    for option, value in pairwise((*argv[1:], known_word(""))):
        name, attached, joined = option.partition("=")
        script = joined if attached else value
        if name.text == "--script" and script.contains("/") is True:
            yield from run_script_file("lua", script, (), context)
    yield from (build_write(file, False, context) for file, _ in find_outputs(argv, _NMAP_OUTPUTS))
    yield from probe(argv, context)


_NMAP_OUTPUTS = frozenset(("-oN", "-oX", "-oG", "-oA", "-oS"))


def _is_long(option: Word, value: Word) -> bool:
    """Returns whether an option and its value are a long time, in seconds: `autocannon -d 600`, `ab -t 600`."""
    return option.text in ("-d", "--duration", "-t", "--timelimit") and value.outline.isdecimal() and int(value.outline) >= _LONG


def _is_heavy(text: str) -> bool:
    number = _NUMBER.fullmatch(text)
    if number is None:
        return text in _ENDLESS_OPTIONS
    unit = (number[2] or "").lower()
    return int(number[1]) * _SECONDS[unit] >= _LONG if unit else int(number[1]) >= _MANY


ROWS: dict[str, Program] = {
    **dict.fromkeys(
        (
            "ab",
            "hey",
            "wrk",
            "wrk2",
            "siege",
            "bombardier",
            "vegeta",
            "oha",
            "autocannon",
            "h2load",
            "slowhttptest",
            "hping3",
            "nping",
        ),
        Program(does=generate_load),
    ),
    **dict.fromkeys(("k6", "artillery"), Program(does=run_load_script)),
    **dict.fromkeys(("ping", "ping6"), combine_programs(Program(operands="connect*"), Program(does=ping))),
    **dict.fromkeys(
        "hydra medusa ncrack patator sqlmap nikto wpscan slowloris goldeneye masscan zmap rustscan naabu nuclei ffuf gobuster dirb".split(),
        Program(does=probe),
    ),
    "nmap": Program(does=nmap),
}
