"""Scripts of sed, applied to a text that is known: substitutions, deleted, printed, added and changed lines.

What another command, another flag or a pattern of another kind makes is not known.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from .posix_patterns import MAX_WORK, UnsupportedPatternError, count_repetitions, translate_pattern

MAX_COMMANDS = 60
MAX_TEXT = 262_144  # characters
MAX_LINE = 65_536  # characters that a substitution puts into a line
_STEP_WORK = 50  # what a command on a line costs, in the measure of MAX_WORK


class UnsupportedScriptError(Exception):
    """The script holds a command that is not applied here, or makes too long a text."""


@dataclass(frozen=True, slots=True)
class Address:
    """A line by its number (0: none), as the last one, or by a pattern."""

    number: int = 0
    is_last: bool = False
    pattern: re.Pattern[str] | None = None

    def matches(self, line: str, number: int, *, is_last: bool) -> bool:
        if self.pattern is not None:
            return self.pattern.search(line) is not None
        return is_last if self.is_last else number == self.number


@dataclass(frozen=True, slots=True)
class Command:
    """`text`: what `a`, `i` and `c` add. `pattern`, `replacement`, `nth`, `everywhere`, `prints`: of a substitution."""

    name: str
    start: Address | None = None
    end: Address | None = None
    is_negated: bool = False
    text: str = ""
    pattern: re.Pattern[str] | None = None
    replacement: tuple[str | int, ...] = ()
    nth: int = 1
    everywhere: bool = False
    prints: bool = False


def apply_script(script: str, text: str, *, extended: bool, quiet: bool) -> str | None:
    """Returns what sed makes of a text; None if that is not known. `quiet`: with `-n`."""
    lines = text.split("\n")
    ends_with_newline = lines[-1] == ""
    if ends_with_newline:
        lines.pop()
    try:
        commands = tuple(_ScriptParser(script, extended=extended).parse_commands())
        if len(text) > MAX_TEXT or len(commands) > MAX_COMMANDS or _estimate_work(commands, lines) > MAX_WORK:
            return None
        printed = _edit_lines(commands, lines, quiet=quiet)
    except (UnsupportedScriptError, UnsupportedPatternError, re.error):
        return None
    is_open = not ends_with_newline and bool(printed) and printed[-1].number == len(lines)
    return "\n".join(each.text for each in printed) + ("" if is_open or not printed else "\n")


def _estimate_work(commands: tuple[Command, ...], lines: list[str]) -> int:
    patterns = [each for command in commands for each in _patterns_of(command)]
    powers = [1 + count_repetitions(pattern.pattern) for pattern in patterns]
    matching: int = sum((len(line) + 1) ** power for line in lines for power in powers)
    return matching + _STEP_WORK * len(commands) * len(lines)


def _patterns_of(command: Command) -> Iterator[re.Pattern[str]]:
    for each in (command.pattern, *(address.pattern for address in (command.start, command.end) if address is not None)):
        if each is not None:
            yield each


# ---- applying


class _Printed(NamedTuple):
    """`number`: of the line; 0 for a text that a command adds."""

    text: str
    number: int = 0


class _Output(list[_Printed]):
    """What is printed, up to a size."""

    size = 0

    def append(self, printed: _Printed) -> None:
        self.size += len(printed.text) + 1
        if self.size > MAX_TEXT:
            raise UnsupportedScriptError
        super().append(printed)


def _edit_lines(commands: tuple[Command, ...], lines: list[str], *, quiet: bool) -> list[_Printed]:
    result = _Output()
    ranges: dict[int, int] = {}  # by command, the line at which its range began
    for number, source in enumerate(lines, 1):
        line = source
        behind: list[_Printed] = []
        ending = ""
        for index, command in enumerate(commands):
            if _is_selected(index, command, line, number, ranges, is_last=number == len(lines)):
                if command.name in "dcq":
                    ending = command.name
                    if ending == "c" and (command.end is None or command.is_negated or index not in ranges):
                        result.append(_Printed(command.text))
                    break
                line = _run_command(command, line, number, result, behind)
        if ending not in ("d", "c") and not quiet:
            result.append(_Printed(line, 0 if ending == "q" else number))  # a script that quits ends the line
        for each in behind:
            result.append(each)
        if ending == "q":
            break
    return result


def _run_command(command: Command, line: str, number: int, printed: list[_Printed], behind: list[_Printed]) -> str:
    """Runs a command that goes on with the line, and returns the line. `behind`: what is printed after it."""
    count = 0
    if command.name == "s":
        line, count = _substitute(command, line)
    elif command.name == "y":
        line = line.translate(dict(zip(map(ord, command.text), map(str, command.replacement), strict=True)))
    elif command.name == "a":
        behind.append(_Printed(command.text))
    elif command.name == "i":
        printed.append(_Printed(command.text))
    if command.name == "p" or (count and command.prints):
        printed.append(_Printed(line, number))
    return line


def _is_selected(index: int, command: Command, line: str, number: int, ranges: dict[int, int], *, is_last: bool) -> bool:
    if command.start is None:
        return True
    if command.end is None:
        return command.start.matches(line, number, is_last=is_last) is not command.is_negated
    if index in ranges:
        is_inside = True
        ends_by_number = command.end.pattern is None and not command.end.is_last
        if ends_by_number and number > command.end.number:
            is_inside = False  # the range began behind its end
        if (number >= command.end.number) if ends_by_number else command.end.matches(line, number, is_last=is_last):
            del ranges[index]
        if not is_inside:
            return _is_selected(index, command, line, number, ranges, is_last=is_last)
    else:
        is_inside = command.start.matches(line, number, is_last=is_last)
        begins_only = command.end.pattern is None and (is_last if command.end.is_last else command.end.number <= number)
        if is_inside and not begins_only:
            ranges[index] = number
    return is_inside is not command.is_negated


def _substitute(command: Command, line: str) -> tuple[str, int]:
    count = replaced = size = 0
    end = -1

    def replace(found: re.Match[str]) -> str:
        nonlocal count, replaced, end, size
        is_behind_another = found.start() == found.end() == end  # sed finds no empty text there
        end = found.end()
        if is_behind_another:
            return ""
        count += 1
        if count < command.nth or (replaced and not command.everywhere):
            return found[0]
        replaced += 1
        result = "".join(part if isinstance(part, str) else found[part] or "" for part in command.replacement)
        size += len(result)
        if size > MAX_LINE:
            raise UnsupportedScriptError
        return result

    assert command.pattern is not None
    return command.pattern.sub(replace, line), replaced


# ---- parsing


class _ScriptParser:
    def __init__(self, script: str, *, extended: bool) -> None:
        self.script, self.extended, self.at = script, extended, 0

    def parse_commands(self) -> Iterator[Command]:
        while self._skip(" \t\n;"):
            start = self._parse_address()
            end = None
            if start is not None and self._take(","):
                self._skip(" \t")
                end = self._parse_address()
                if end is None:
                    raise UnsupportedScriptError
            self._skip(" \t")
            is_negated = self._take("!")
            self._skip(" \t")
            yield self._parse_command(start, end, is_negated=is_negated)

    def _parse_command(self, start: Address | None, end: Address | None, *, is_negated: bool) -> Command:
        name = self.script[self.at : self.at + 1]
        self.at += 1
        if name == "s":
            return self._parse_substitution(start, end, is_negated=is_negated)
        if name in ("a", "i", "c"):
            return Command(name, start, end, is_negated, self._parse_text())
        if name == "y":
            delimiter = self._take_delimiter()
            source, target = (self._unescape(self._read_until(delimiter)) for _ in range(2))
            if len(source) != len(target):
                raise UnsupportedScriptError
            self._end_command()
            return Command(name, start, end, is_negated, source, replacement=tuple(target))
        if name not in ("d", "p", "q") or (name == "q" and end is not None):
            raise UnsupportedScriptError
        self._end_command()
        return Command(name, start, end, is_negated)

    def _parse_substitution(self, start: Address | None, end: Address | None, *, is_negated: bool) -> Command:
        delimiter = self._take_delimiter()
        source, replacement = self._read_until(delimiter), self._read_until(delimiter, keeps_escape=True)
        found = re.compile(r"[gpiI0-9]*").match(self.script, self.at)
        flags = found[0] if found else ""
        self.at += len(flags)
        self._end_command()
        if not source or re.search(r"\d.*[^\d].*\d", flags):
            raise UnsupportedScriptError  # an empty pattern is the last one that was used
        pattern = self._compile(source, ignores_case="i" in flags.lower())
        parts = tuple(self._parse_replacement(replacement, delimiter))
        if any(isinstance(part, int) and part > pattern.groups for part in parts):
            raise UnsupportedScriptError
        nth = re.search(r"\d+", flags)
        if nth is not None and int(nth[0]) == 0:
            raise UnsupportedScriptError
        return Command("s", start, end, is_negated, "", pattern, parts, int(nth[0]) if nth else 1, "g" in flags, "p" in flags)

    def _parse_replacement(self, source: str, delimiter: str) -> Iterator[str | int]:
        for escaped, plain in re.findall(r"\\(.)|([^\\])", source, re.DOTALL):
            if plain:
                yield 0 if plain == "&" else plain
            elif escaped.isdigit():
                yield int(escaped)
            elif escaped in ("n", "t"):
                yield "\n" if escaped == "n" else "\t"
            elif escaped.isalnum() and escaped != delimiter:
                raise UnsupportedScriptError  # a change of case
            else:
                yield escaped

    def _parse_text(self) -> str:
        """Parses the text of `a`, `i` and `c`: of GNU on the same line, or on the lines behind a backslash."""
        found = re.compile(r"(?:[ \t]*\\\n?|[ \t]*)((?:\\[^nt0-9a-zA-Z]|[^\\\n])*)(?:\n|\Z)", re.DOTALL).match(
            self.script, self.at
        )
        if found is None or not found[1]:
            raise UnsupportedScriptError
        self.at = found.end()
        return re.sub(r"\\(.)", r"\1", found[1], flags=re.DOTALL)

    def _parse_address(self) -> Address | None:
        found = re.compile(r"\d+").match(self.script, self.at)
        if found is not None:
            self.at = found.end()
            if int(found[0]) == 0 or self.script[self.at : self.at + 1] == "~":
                raise UnsupportedScriptError
            return Address(int(found[0]))
        if self._take("$"):
            return Address(is_last=True)
        if self._take("/"):
            source = self._read_until("/")
            if not source or self.script[self.at : self.at + 1] in ("I", "M"):
                raise UnsupportedScriptError
            return Address(pattern=self._compile(source, ignores_case=False))
        if self.script[self.at : self.at + 1] in ("\\", "+", "~"):
            raise UnsupportedScriptError
        return None

    def _compile(self, source: str, *, ignores_case: bool) -> re.Pattern[str]:
        return re.compile(translate_pattern(source, extended=self.extended), re.IGNORECASE if ignores_case else 0)

    def _read_until(self, delimiter: str, *, keeps_escape: bool = False) -> str:
        """Reads up to an unescaped delimiter, and moves behind it. An escaped one is the character itself."""
        result = ""
        in_set = False
        while self.at < len(self.script):
            char = self.script[self.at]
            self.at += 1
            if char == "\\" and self.at < len(self.script):
                following = self.script[self.at]
                self.at += 1
                result += following if following == delimiter and not keeps_escape else char + following
                if following == delimiter and not following.isalnum() and following in r".*[]^$+?(){}|":
                    raise UnsupportedScriptError  # a special character that is also the delimiter
            elif char == delimiter and not in_set:
                return result
            else:
                in_set = char == "[" or (in_set and not (char == "]" and not result.endswith(("[", "[^"))))
                result += char
        raise UnsupportedScriptError

    def _unescape(self, text: str) -> str:
        if re.search(r"\\[^\\n]", text):
            raise UnsupportedScriptError
        return text.replace("\\n", "\n").replace("\\\\", "\\")

    def _take_delimiter(self) -> str:
        delimiter = self.script[self.at : self.at + 1]
        self.at += 1
        if not delimiter or delimiter in "\\\n" or delimiter.isalnum():
            raise UnsupportedScriptError
        return delimiter

    def _end_command(self) -> None:
        self._skip(" \t")
        if self.script[self.at : self.at + 1] not in ("", ";", "\n", "}"):
            raise UnsupportedScriptError

    def _take(self, char: str) -> bool:
        is_there = self.script.startswith(char, self.at)
        self.at += len(char) if is_there else 0
        return is_there

    def _skip(self, chars: str) -> bool:
        """Moves over these characters. Returns whether the script goes on."""
        while self.at < len(self.script) and self.script[self.at] in chars:
            self.at += 1
        return self.at < len(self.script)
