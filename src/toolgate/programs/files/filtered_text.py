"""What grep, cut, head, tail, sort and uniq make of a text that is known: exactly what they print, or nothing.

Only options that are understood completely are computed; every other call of these programs has an unknown output.
"""

import re
from collections.abc import Callable, Mapping

from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.options import ParsedOptions
from toolgate.record_fields import join_known_lines, known_lines, select_fields
from toolgate.stream_editing.posix_patterns import MAX_WORK, UnsupportedPatternError, count_repetitions, translate_pattern

_MAX_TEXT = 20_000  # characters
Filtering = Callable[[list[str], ParsedOptions, list[str]], list[str] | None]


def print_filtered(name: str, options: ParsedOptions, files: list[Word], context: ExecutionContext) -> Word | None:
    """Returns what a filter prints of its files, or of its standard input; None if it is not known."""
    row = _FILTERS.get(name)
    if row is None or len(files) > 1:
        return None
    does, allowed = row
    content = context.read(files[0]) if files and files[0].text != "-" else context.stdin
    given = {name for name, _ in options.values} | options.flags
    words = [word.text for word in options.operands] + [value.text for _, value in options.values]
    if content.text is None or len(content.text) > _MAX_TEXT or not content.text or None in words or not given <= allowed:
        return None
    is_count = name in ("head", "tail") and all(map(_IS_COUNT, options.strange))
    if (options.strange and not is_count) or options.open or options.possible:
        return None
    found = does(content.text.removesuffix("\n").split("\n"), options, [word.text or "" for word in options.operands])
    return None if found is None else known_word("".join(f"{line}\n" for line in found), content.src)


def compile_posix(source: str, lines: list[str], *, extended: bool, flags: int = 0) -> re.Pattern[str] | None:
    """Returns a pattern of POSIX; None if it might find something else in Python, or take long in these lines."""
    try:
        pattern = translate_pattern(source, extended=extended)
        power = 1 + count_repetitions(pattern)
        is_quick = sum((len(line) + 1) ** power for line in lines) <= MAX_WORK
        return re.compile(pattern, flags) if is_quick else None
    except (UnsupportedPatternError, re.error):
        return None


def _grep(lines: list[str], options: ParsedOptions, operands: list[str]) -> list[str] | None:
    patterns = [value.text or "" for value in options.values_of("--regexp")] or operands[:1]
    flags = re.IGNORECASE if options.has_flag("-y") is True else 0
    extended = options.has_flag("-E") is True
    found: list[re.Pattern[str]] = []
    for source in patterns:
        literal = re.compile(re.escape(source), flags) if options.has_flag("-F") is True else None
        compiled = literal or compile_posix(source, lines, extended=extended, flags=flags)
        if compiled is None:
            return None
        found.append(compiled)
    whole, inverted = options.has_flag("-x") is True, options.has_flag("--invert-match") is True
    if options.has_flag("--only-matching") is True:
        return [match[0] for line in lines for match in found[0].finditer(line) if match[0]] if len(found) == 1 else None
    matches = [
        line
        for line in lines
        if any((each.fullmatch if whole else each.search)(line) is not None for each in found) is not inverted
    ]
    most = options.value_of("--max-count")
    return matches if most is None else matches[: int(most.text or 0)] if (most.text or "").isdecimal() else None


def _head(lines: list[str], options: ParsedOptions, _operands: list[str]) -> list[str] | None:
    count = _count_of(options, 10)
    return None if count is None or count.startswith("+") else lines[: int(count)]


def _tail(lines: list[str], options: ParsedOptions, _operands: list[str]) -> list[str] | None:
    count = _count_of(options, 10)
    if count is None or count == "-0":
        return None
    if count.startswith("+"):
        return lines[max(int(count) - 1, 0) :]
    return lines[-abs(int(count)) :] if int(count) else []


def _count_of(options: ParsedOptions, default: int) -> str | None:
    value = options.value_of("--lines")
    short = next((text.removeprefix("-") for text in options.strange), str(default))
    text = short if value is None else value.text or ""
    return text if re.fullmatch(r"[+-]?\d{1,6}", text) else None


_IS_COUNT = re.compile(r"-\d{1,6}").fullmatch


def _sort(lines: list[str], options: ParsedOptions, _operands: list[str]) -> list[str] | None:
    """Sorts lines, if their order is the same in every locale: others than C pass over punctuation and case at first."""
    ordered = sorted(set(lines) if options.has_flag("--unique") is True else lines)
    if ordered != sorted(ordered, key=lambda line: _PUNCTUATION.sub("", line).lower()):
        return None
    return ordered[::-1] if options.has_flag("--reverse", "-r") is True else ordered


_PUNCTUATION = re.compile(r"[^0-9A-Za-z]")


def _uniq(lines: list[str], _options: ParsedOptions, _operands: list[str]) -> list[str] | None:
    return [line for n, line in enumerate(lines) if n == 0 or line != lines[n - 1]]


def _cut(lines: list[str], options: ParsedOptions, _operands: list[str]) -> list[str] | None:
    selection, delimiter = options.value_of("--fields"), options.value_of("--delimiter")
    separator = "\t" if delimiter is None else delimiter.text or ""
    if selection is None or len(separator) != 1 or not _IS_SELECTION(selection.text or ""):
        return None
    made: list[str] = []
    for line in lines:
        fields = line.split(separator)
        if len(fields) == 1:
            made += [] if options.has_flag("-s") is True else [line]
            continue
        chosen = {n for part in (selection.text or "").split(",") for n in _numbers_of(part, len(fields))}
        made.append(separator.join(fields[n - 1] for n in sorted(chosen)))
    return made


_IS_SELECTION = re.compile(r"(?:\d{1,4}-?|-\d{1,4}|\d{1,4}-\d{1,4})(?:,(?:\d{1,4}-?|-\d{1,4}|\d{1,4}-\d{1,4}))*").fullmatch


def _numbers_of(part: str, count: int) -> range:
    first, is_range, last = part.partition("-")
    end = int(last) if last else count if is_range else int(first)
    return range(max(int(first or 1), 1), min(end, count) + 1)


_FILTERS: Mapping[str, tuple[Filtering, frozenset[str]]] = {
    **dict.fromkeys(
        ("grep", "egrep", "fgrep"),
        (
            _grep,
            frozenset(("-E", "-F", "-y", "--invert-match", "-x", "--only-matching", "--regexp", "--max-count", "-h", "--color")),
        ),
    ),
    "head": (_head, frozenset(("--lines",))),
    "tail": (_tail, frozenset(("--lines",))),
    "sort": (_sort, frozenset(("--unique", "--reverse", "-r"))),
    "uniq": (_uniq, frozenset()),
    "cut": (_cut, frozenset(("--fields", "--delimiter", "-s"))),
}


def select_known_fields(options: ParsedOptions, context: ExecutionContext) -> Word | None:
    """Returns the fields of the lines of a search; None if they are not known."""
    selection, delimiter = options.value_of("--fields"), options.value_of("--delimiter")
    separator = "\t" if delimiter is None else delimiter.text
    if selection is None or selection.text is None or not separator or options.has_flag("--complement") is not False:
        return None
    return join_known_lines([select_fields(line, selection.text, separator) for line in known_lines(context.stdin)])
