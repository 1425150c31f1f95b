"""Whether a command shows nothing but hosts and users of a file with a login in each line: `~/.pgpass`, `~/.netrc`."""

import re

from toolgate.model.effect import Run
from toolgate.stream_editing.posix_patterns import UnsupportedPatternError, translate_pattern

from .masked_values import shows_part
from .name_listings import split_options

_HOST, _PASSWORD = "db7.example", "Zq9-Xw7"
_LINES = {
    "/.pgpass": (f"{_HOST}:5432:shop:app:{_PASSWORD}",),
    "/pgpass.conf": (f"{_HOST}:5432:shop:app:{_PASSWORD}",),
    "/.netrc": (f"machine {_HOST} login app password {_PASSWORD}", f"machine {_HOST}", "login app", f"password {_PASSWORD}"),
}
"""Lines of such files, by the end of a file's path."""
_SEPARATORS = {"/.pgpass": ":", "/pgpass.conf": ":", "/.netrc": ""}
_PROGRAM = re.compile(
    r" *(?:(?:/(?P<pattern>[^/{}]+)/|\$1 *== *\"(?P<first>\w+)\") *)?"
    r"\{ *print *(?P<printed>(?:\$\d|\"[^\"\\{}]*\"|[ ,])+) *;? *\} *"
).fullmatch


def shows_no_password(run: Run, path: str) -> bool:
    """Returns whether a command prints hosts and users of such a file alone. It is tried on lines as these files have them."""
    end = next((each for each in _LINES if path.endswith(each)), "")
    if not end:
        return False
    printed = _print_lines(run, _LINES[end], _SEPARATORS[end])
    return _HOST in printed and not shows_part(printed, _PASSWORD)


def _print_lines(run: Run, lines: tuple[str, ...], separator: str) -> str:
    """Returns what a command prints of lines; empty if that is not known."""
    options, operands = split_options([word.outline for word in run.argv[1:]])
    match run.argv[0].file_name:
        case "awk" | "gawk" | "mawk":
            program = _PROGRAM(operands[0]) if operands and "".join(options) == (f"-F{separator}" if separator else "") else None
            return "" if program is None else "\n".join(_print_fields(program, line, separator) for line in lines)
        case "grep" | "egrep" if operands and set("".join(options)) <= set("-oEhwi") and any("o" in each for each in options):
            return "\n".join(_find_parts(operands[0], line, extended=any("E" in each for each in options)) for line in lines)
        case "cut" if separator:
            fields = _FIELDS(" ".join(options))
            return "" if fields is None or "5" in fields[1] or fields[1].endswith("-") else _HOST
        case _:
            return ""


_FIELDS = re.compile(r"-d *['\"]?:['\"]? -f *([1-5](?:[,-][1-5])*-?)").fullmatch


def _print_fields(program: re.Match[str], line: str, separator: str) -> str:
    fields = line.split(separator) if separator else line.split()
    if program["first"] and fields[0] != program["first"]:
        return ""
    if program["pattern"] and not _find_parts(program["pattern"], line, extended=True):
        return ""
    numbers = [int(each) for each in re.findall(r"\$(\d)", re.sub(r'"[^"]*"', "", program["printed"]))]
    return " ".join(line if not number else fields[number - 1] if number <= len(fields) else "" for number in numbers)


def _find_parts(pattern: str, line: str, *, extended: bool) -> str:
    """Returns the parts of a line that a pattern finds; the whole line if that is not known."""
    try:
        return " ".join(found[0] for found in re.finditer(translate_pattern(pattern, extended=extended), line))
    except (UnsupportedPatternError, re.error):
        return line
