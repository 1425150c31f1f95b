"""Programs of awk that only select lines and fields, on a text that is known: `$1 == "url" {print $2}`.

What they print is computed exactly; other programs are read as code.
"""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from .filtered_text import compile_posix

_MAX_TEXT = 20_000  # characters
_TEST = re.compile(
    r"\s*(?:(?P<not>!)?\s*/(?P<line>(?:[^/\\]|\\.)+)/"
    r"|\$(?P<field>\d+|NF)\s*(?P<operator>==|!=)\s*(?:\"(?P<text>[^\"\\]*)\"|(?P<name>[A-Za-z_]\w*))"
    r"|\$(?P<searched>\d+)\s*(?P<matches>!?~)\s*/(?P<part>(?:[^/\\]|\\.)+)/"
    r"|NR\s*(?P<compared>==|!=|>=|<=|>|<)\s*(?P<number>\d+)|(?P<filled>NF))\s*"
)
_ACTION = re.compile(
    r"\s*(?:\{\s*(?:print(?:\s+(?P<printed>(?:\$(?:\d+|NF|0))(?:\s*,\s*\$(?:\d+|NF|0))*))?)\s*(?P<exits>;\s*exit)?\s*;?\s*\})?\s*"
)
_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    "==": int.__eq__,
    "!=": int.__ne__,
    ">=": int.__ge__,
    "<=": int.__le__,
    ">": int.__gt__,
    "<": int.__lt__,
}


class _Record(NamedTuple):
    number: int
    line: str
    fields: list[str]

    def field(self, name: str) -> str:
        if name == "0":
            return self.line
        at = len(self.fields) if name == "NF" else int(name)
        return self.fields[at - 1] if 0 < at <= len(self.fields) else ""


_Test = Callable[[_Record], bool]


def select_records(program: str, text: str, separator: str | None, variables: Mapping[str, str]) -> str | None:
    """Returns what a program prints of a text; None if it does more than select. `separator`: the value of `-F`."""
    lines = text.removesuffix("\n").split("\n")
    parsed = _parse(program, lines, variables)
    split = _splitter(separator, lines)
    if (
        parsed is None
        or split is None
        or not text
        or len(text) > _MAX_TEXT
        or not variables.keys().isdisjoint(("FS", "OFS", "RS"))
    ):
        return None
    tests, printed, exits = parsed
    made: list[str] = []
    for number, line in enumerate(lines, 1):
        record = _Record(number, line, split(line))
        if all(test(record) for test in tests):
            made.append(" ".join(map(record.field, printed)))
            if exits:
                break
    return "".join(f"{line}\n" for line in made)


def _parse(program: str, lines: list[str], variables: Mapping[str, str]) -> tuple[list[_Test], list[str], bool] | None:
    """Returns the tests of a program, the fields that it prints, and whether it ends then."""
    at, tests = 0, list[_Test]()
    while (found := _TEST.match(program, at)) is not None and found.end() > at:
        test = _make_test(found, lines, variables)
        if test is None:
            return None
        tests.append(test)
        at = found.end()
        if not program.startswith("&&", at):
            break
        at += 2
    action = _ACTION.fullmatch(program, at)
    if action is None or (not tests and at == len(program.rstrip())):
        return None
    return tests, re.findall(r"\$(\w+)", action["printed"] or "$0"), action["exits"] is not None


def _make_test(match: re.Match[str], lines: list[str], variables: Mapping[str, str]) -> _Test | None:
    if (source := match["line"] or match["part"]) is not None:
        pattern = compile_posix(source.replace(r"\/", "/"), lines, extended=True)
        if pattern is None:
            return None
        is_negated = bool(match["not"]) or match["matches"] == "!~"
        name = match["searched"] or "0"
        return lambda record: (pattern.search(record.field(name)) is not None) is not is_negated
    if (field := match["field"]) is not None:
        value = match["text"] if match["name"] is None else variables.get(match["name"])
        if value is None:
            return None
        return lambda record: (record.field(field) == value) is (match["operator"] == "==")
    if match["number"] is not None:
        compare = _COMPARISONS[match["compared"]]
        return lambda record: compare(record.number, int(match["number"]))
    return lambda record: bool(record.fields)


def _splitter(separator: str | None, lines: list[str]) -> Callable[[str], list[str]] | None:
    """Returns how lines are split; None for a separator that is not understood."""
    if separator is None or separator == " ":
        return str.split
    if separator == "\\t":
        separator = "\t"
    if len(separator) == 1:
        return lambda line: line.split(separator) if line else []
    pattern = compile_posix(separator, lines, extended=True)
    return None if pattern is None or pattern.groups else lambda line: pattern.split(line) if line else []
