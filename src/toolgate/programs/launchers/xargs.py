"""Programs that run a command for each of many items, from standard input or from their arguments."""

import re
from collections.abc import Iterator
from itertools import takewhile
from shlex import quote

from toolgate.model.effect import Carrier, Interpret, Operation, ReportedEffect, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import EMPTY, Hole, Word, known_word
from toolgate.programs.argv.options import Flags, ParsedOptions
from toolgate.programs.argv.program import Program, join_arguments


def xargs(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = XARGS.parse(argv, stop=True)
    rest = tuple(argv[options.rest :]) or (known_word("echo"),)
    yield from _report_flood(rest, _parse_count(options.value_of("--max-procs")), context)
    file = options.value_of("--arg-file")
    source = context.read(file) if file is not None else context.stdin
    sure = None if options.strange or options.open else True
    end = options.value_of("-E", "-e", "--eof")
    mark = options.value_of("-I", "-J", "--replace")
    if mark is not None or options.has_flag("--replace") is True:
        text = (mark.text if mark is not None else None) or "{}"
        separator = _item_separator(options)
        for item in _split_items(source, separator, each=True) if separator else _items_of_replace_mode(source):
            yield Run(
                tuple(word.replace_known(text, item) for word in rest), context.origin, Carrier("xargs"), stdin=EMPTY, sure=sure
            )
        return
    size = _parse_count(options.value_of("--max-args")) or _parse_count(options.value_of("-L", "--max-lines"))
    if options.value_of("--max-args") is None and (size or options.has_flag("-l", "-L", "--max-lines") is not False):
        lines = [_split_words(line) for line in _join_continued_lines(source.split_lines()) if line.parts]
        lines = _take_lines_until(end, lines)
        groups = [[word for line in lines[n : n + (size or 1)] for word in line] for n in range(0, len(lines), size or 1)]
    else:
        separator = _item_separator(options)
        items = _split_items(source, separator)
        items = items if separator else _take_until(end, items)
        groups = [items] if not size else [items[n : n + size] for n in range(0, len(items), size)]
        if size and any(item.splits for item in items):  # the grouping is unknown
            groups = [
                items,
                [Word((Hole("**", "standard input", called="the names on standard input"),), splits=True, src=source.src)],
            ]
    for group in groups or [[]]:
        yield Run((*rest, *group), context.origin, Carrier("xargs"), stdin=EMPTY, sure=sure)


def _report_flood(command: tuple[Word, ...], processes: int, context: ExecutionContext) -> Iterator[Operation]:
    """Reports a server that very many clients load at once."""
    if processes >= _MANY_CLIENTS and command[0].text in ("curl", "wget", "http", "xh"):
        for address in (word for word in command[1:] if word.contains("://") is True):
            yield Operation("network.flood", context.origin, address)


_MANY_CLIENTS = 100
XARGS = Flags(
    "-0,--null -a,--arg-file=read -d,--delimiter= -E= -e=? --eof=? -I= -i,--replace=? -J= -L= -l,--max-lines=? -n,--max-args= -o,--open-tty"
    " -P,--max-procs= -p,--interactive --process-slot-var= -R= -r,--no-run-if-empty -S= -s,--max-chars= -t,--verbose -x,--exit"
    " --show-limits --help --version"
)
_MAX_ITEMS = 64


def _take_until(end: Word | None, items: list[Word]) -> list[Word]:
    """Returns the items before the one that ends the input (`-E END`)."""
    return items if end is None else list(takewhile(lambda item: item.parts != end.parts, items))


def _take_lines_until(end: Word | None, lines: list[list[Word]]) -> list[list[Word]]:
    taken: list[list[Word]] = []
    for line in lines:
        taken.append(_take_until(end, line))
        if len(taken[-1]) < len(line):
            break
    return [line for line in taken if line]


def _parse_count(word: Word | None) -> int:
    return int(word.text) if word is not None and word.text is not None and word.text.isdigit() else 0


def _item_separator(options: ParsedOptions) -> str:
    """Returns the separator of the items on standard input; empty for blanks, with quotes interpreted."""
    delimiter = options.value_of("--delimiter")
    if delimiter is not None:
        text = delimiter.text or ""
        return {"\\n": "\n", "\\0": "\0", "\\t": "\t"}.get(text, text[:1])
    return "\0" if options.has_flag("--null") is True else ""


def _split_items(source: Word, separator: str, *, each: bool = False) -> list[Word]:
    """Returns the items on standard input. The unknown part of a line may be no item or several, unless items are taken line by
    line."""
    if not separator:
        items = _split_words(source)
    else:
        lines = source.split_lines() if separator == "\n" or separator not in source.outline else _split_at(source, separator)
        items = [line for line in lines if line.parts]
        if separator == "\n":
            items = [_strip_leading_blanks(line) for line in items if line.text is None or line.text.strip()]
        items = [_line_as_item(item) if each else Word(item.parts, item.text is None, item.src) for item in items]
    return _widen_many_items(items, source)


def _widen_many_items(items: list[Word], source: Word) -> list[Word]:
    return (
        items
        if len(items) <= _MAX_ITEMS
        else [Word((Hole("**", "standard input", called="the names on standard input"),), splits=True, src=source.src)]
    )


def _line_as_item(line: Word) -> Word:
    """Returns a line as one item, unless its unknown part may hold several lines."""
    return Word(line.parts, splits=line.text is None and _may_hold_several_lines(line), src=line.src)


def _items_of_replace_mode(source: Word) -> list[Word]:
    """Returns the items of `xargs -I`: one per line, quotes interpreted all the same."""
    if any(isinstance(part, str) and not _QUOTES.isdisjoint(part) for part in source.parts):
        return _widen_many_items([_line_as_item(item) for item in _split_words(source, ends="\n")], source)
    return _split_items(source, "\n", each=True)


_QUOTES = frozenset("'\"\\")


def _join_continued_lines(lines: tuple[Word, ...]) -> list[Word]:
    """Joins each line that ends in a blank with the next one, as `xargs -L` does."""
    joined: list[Word] = []
    for line in lines:
        if joined and joined[-1].tail[-1:] in (" ", "\t", "\\"):
            joined[-1] = joined[-1] + known_word("\n") + line
        else:
            joined.append(line)
    return joined


def _split_at(source: Word, separator: str) -> list[Word]:
    items: list[Word] = []
    rest, more = source, True
    while more:
        item, more, rest = rest.partition(separator)
        items.append(item)
    return items


def _strip_leading_blanks(line: Word) -> Word:
    return line.drop_first(len(line.head) - len(line.head.lstrip(" \t")))


def _may_hold_several_lines(line: Word) -> bool:
    """Returns whether the unknown parts of a line may hold further lines; those of find and ls cannot."""
    return not line.head and all(part.like.startswith("**") for part in line.parts if isinstance(part, Hole))


def _split_words(source: Word, ends: str = " \t\n") -> list[Word]:
    """Splits text at blanks, with quotes, as xargs does: it stops at an unclosed quote, and runs the items it has by then.
    `ends`: the characters that end an item; other blanks are part of it, except at its start."""
    items: list[Word] = []
    current: Word | None = None
    quote = ""
    for part in source.parts:
        if isinstance(part, Hole):
            current = (current or EMPTY) + Word((part,), splits=True, src=source.src)
            continue
        for token in _TOKENS.findall(part):
            if quote:
                if token == "\n":
                    return items
                text, quote = ("", "") if token == quote else (token, quote)
            elif token in ("'", '"'):
                text, quote = "", token
            elif token in ends or (token.isspace() and current is None):
                if current is not None:
                    items.append(current)
                current = None
                continue
            else:
                text = token[1:] if token[0] == "\\" else token
            current = (current or EMPTY) + known_word(text, source.src)
    return items if current is None or quote else [*items, current]


_TOKENS = re.compile(r"""['"]|\\.|[ \t\n]|[^'"\\ \t\n]+|\\""", re.DOTALL)


def parallel(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = Flags(
        "-j,-P,--jobs= -k,--keep-order -N,-n,--max-args= -a,--arg-file= -I= --delay= --timeout= --dry-run --bar --eta -0,--null -q,--quote"
        " -X,--xargs -m -r,--no-run-if-empty -t,--verbose -u,--ungroup --halt= --joblog=write --progress --retries= --id,--semaphore-name= --fg --bg --wait --tag -C,--colsep= --load="
        " --results=write --line-buffer,--lb -v -h,--help --version"
    ).parse(argv, stop=True)
    rest = list(argv[options.rest :])
    markers = [n for n, word in enumerate(rest) if word.text in (":::", ":::+", "::::")]
    command = rest[: markers[0]] if markers else rest
    file = options.value_of("--arg-file")
    given_lines = context.stdin if file is None else context.read(file)
    items = (
        [word for word in rest[markers[0] :] if word.text not in (":::", ":::+", "::::")]
        if markers
        else _split_items(given_lines, "\n")
    )
    for item in items or [EMPTY]:
        if not command:
            yield Interpret("shell", item, context.origin, via=Carrier("parallel"))
            continue
        named = options.value_of("--max-args") == known_word("0") or any(word.contains("{") is not False for word in command)
        words = [word.replace_known("{}", item).replace_known("{.}", item) for word in command] + ([] if named else [item])
        yield Interpret("shell", join_arguments(words), context.origin, via=Carrier("parallel"))
        if named and item.text is not None and command[0].contains("{") is False and (quoted := quote(item.text)) != item.text:
            words = [
                word.replace_known("{}", known_word(quoted, item.src)) for word in command
            ]  # parallel quotes a value in a command
            yield Interpret("shell", join_arguments(words), context.origin, via=Carrier("parallel"))


ROWS: dict[str, Program] = {
    "xargs": Program(does=xargs),
    "gxargs": Program(does=xargs),
    "parallel": Program(does=parallel),
    "sem": Program(does=parallel),
}
