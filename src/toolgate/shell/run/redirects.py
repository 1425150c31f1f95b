"""Redirects: the possible contents of standard input, and the destinations of output."""

import re
from collections.abc import Generator
from itertools import product
from math import prod
from typing import Any, NamedTuple

from toolgate.model.effect import Connect, Read, Write
from toolgate.model.generalization import generalize
from toolgate.model.place import OPEN_FILES, Place
from toolgate.model.word import (
    EMPTY,
    NO_SOURCES,
    Hole,
    Maybe,
    Word,
    join_words,
    known_word,
    pipe_content,
    pipe_word,
    unknown_word,
)
from toolgate.shell.domain.frame import ERRORS_AS_OUTPUT, ERRORS_ASIDE
from toolgate.shell.domain.protocol import Evaluation, ReadContents, Request, ResolvePlace
from toolgate.shell.domain.state import Shell, Stream
from toolgate.shell.domain.values import MAX_ALTERNATIVES
from toolgate.shell.syntax.tree import Redirect

from .builtin_context import Walk
from .expansion import expand_unsplit

Outputs = list[tuple[Stream, Maybe]]


_MAX_READINGS = 8


def input_alternatives(texts: tuple[Word, ...]) -> tuple[Word, ...]:
    """Returns the possible texts of standard input, one by one if they are few. Otherwise all of them joined, and an unknown
    text."""
    if len(texts) <= _MAX_READINGS:
        return texts
    every = join_words((text for text in texts if text.parts), "\n")
    return every, unknown_word("one of several texts", every.src)


class OpenedRedirects(NamedTuple):
    """Possible contents of standard input (none: unchanged), and destinations of standard output. `doubts`: places that may
    fail to open; None for a descriptor or file that needs no look-up to be doubtful."""

    stdin: tuple[Word, ...]
    outputs: Outputs
    doubts: list[Place | None]


def open_redirects(
    items: tuple[Redirect, ...], shell: Shell, number: int, walk: Walk
) -> Generator[Request, Any, OpenedRedirects]:
    """Opens redirects in order."""
    stdin: tuple[Word, ...] = ()
    outputs: Outputs = []
    doubts: list[Place | None] = []
    for item in items:
        values = yield from expand_unsplit(item.target, shell, walk)
        operator, values = _normalize_duplicate(item.operator, values)
        read: tuple[Stream, ...] = ()
        if operator in ("<<", "<<-", "<<<"):
            end = known_word("\n" if operator == "<<<" else "")
            read = tuple(Stream(None, held=value + end) for value in values)
        elif (
            operator in (">&", "<&")
            and (duplicated := _duplicate_descriptor(operator, item, values[0], shell, number)) is not None
        ):
            read = duplicated.read
            outputs += duplicated.outputs
            doubts += duplicated.doubts
        elif operator == "<" and None not in (printed := tuple(map(pipe_content, values))):
            read = tuple(Stream(None, held=text) for text in printed if text is not None)
        else:
            read = yield from _open_files(item, values, outputs, doubts, shell, number)
        if item.descriptor.startswith("{"):
            shell.assign(item.descriptor.strip("{}"), (unknown_word("the number of a descriptor", like="[0-9]*"),))
        if read:
            before = stdin if shell.frame.dialect.may_be_zsh and item.descriptor in ("", "0") else ()
            stdin = input_alternatives(tuple(dict.fromkeys(stream.held for stream in read)))
            if before:  # zsh reads all of them, one after the other
                stdin = input_alternatives((*stdin, *(first + second for first, second in product(before, stdin))))
            if item.descriptor not in ("", "0"):  # `<&5` and /dev/fd/5 read from it from here on
                shell.streams[INPUT_PREFIX + item.descriptor.strip("{}")] = read
    return OpenedRedirects(stdin, outputs, doubts)


class _Duplicate(NamedTuple):
    read: tuple[Stream, ...]
    outputs: Outputs
    doubts: list[Place | None]


def _duplicate_descriptor(operator: str, item: Redirect, target: Word, shell: Shell, number: int) -> _Duplicate | None:
    """Opens a redirect to another descriptor; None if the target may be a file."""
    other = (target.text or "").rstrip("-")
    if other.isdigit() or target.text == "-":
        read = shell.streams.get(INPUT_PREFIX + other, ()) if operator == "<&" else ()
        if read:
            shell.streams[INPUT_PREFIX + other] = _list_remainders(read)
        written = shell.streams.get(other, ()) if operator == ">&" and item.descriptor in ("", "1") else ()
        if operator == ">&" and item.descriptor in ("", "1") and other == "2":
            written = written or (_STANDARD_ERROR,)
        elif operator == ">&" and item.descriptor == "2" and other == "1":
            shell.options |= {ERRORS_AS_OUTPUT}
        is_open = other in _STANDARD_DESCRIPTORS or other in shell.streams or INPUT_PREFIX + other in shell.streams
        outputs: Outputs = [(stream, True) for stream in written]
        return _Duplicate(read, outputs, [] if is_open else [None])
    if operator == ">&" and _is_any_descriptor(target):
        own: Outputs = [
            (stream, True) for name, streams in shell.streams.items() if name[:1] != INPUT_PREFIX for stream in streams
        ]
        return _Duplicate((), own, [None])
    if operator == "<&" and target.text is None:  # `exec {fd}< f; cat <&$fd`
        return _Duplicate(_list_input_streams(shell) or (_stream_of_any_descriptor(target, number),), [], [None])
    return None


_STANDARD_ERROR = Stream(None)


def _is_any_descriptor(word: Word) -> bool:
    """Returns whether this is certainly the number of some descriptor (`exec {fd}> f; echo >&$fd`)."""
    hole = word.parts[0] if len(word.parts) == 1 else ""
    return isinstance(hole, Hole) and hole.like == "[0-9]*"


def _list_remainders(streams: tuple[Stream, ...]) -> tuple[Stream, ...]:
    """Returns what may be left to read after a command has read from a descriptor: all, or what follows any of the lines."""
    found: list[Stream] = []
    for stream in streams:
        lines = (stream.held.text or "").splitlines(keepends=True)
        if stream.held.text is None or len(lines) >= _MAX_READINGS:
            found += [stream, stream._replace(held=unknown_word("the rest of the input", stream.held.src))]
        else:
            rests = ("".join(lines[n:]) for n in range(len(lines) + 1))
            found += [stream._replace(held=known_word(rest, stream.held.src)) for rest in rests]
    return tuple(dict.fromkeys(found))


_STANDARD_DESCRIPTORS = ("", "0", "1", "2")


def _normalize_duplicate(operator: str, values: tuple[Word, ...]) -> tuple[str, tuple[Word, ...]]:
    """Returns a redirect to a descriptor's path as one to the descriptor: `> /dev/stdout` is `>&1`, `< /dev/fd/5` is `<&5`."""
    matches = [_MATCH_DESCRIPTOR_PATH(_mark_unknown_parts(value)) for value in values]
    if operator not in _DUPLICATE_OPERATORS or not all(match is not None and not match["below"] for match in matches):
        return operator, values
    numbers = [_descriptor_number(match) for match in matches if match is not None]
    if "0" in numbers:
        return operator, values
    words = [value if number is None else known_word(number, value.src) for number, value in zip(numbers, values, strict=True)]
    return _DUPLICATE_OPERATORS[operator], tuple(words)


_DUPLICATE_OPERATORS = {">": ">&", ">>": ">&", ">|": ">&", "<": "<&"}


def _stream_of_any_descriptor(descriptor: Word, number: int) -> Stream:
    return Stream(None, held=unknown_word(f"<&{descriptor.display_text}", descriptor.src | {number}))


def _open_files(
    item: Redirect, values: tuple[Word, ...], outputs: Outputs, doubts: list[Place | None], shell: Shell, number: int
) -> Generator[Request, Any, tuple[Stream, ...]]:
    """Opens files: returns the streams that are read, and adds the destinations of output."""
    read: list[Stream] = []
    for value, cwd in product(values, shell.cwd):
        streams = yield from _open_stream(value, cwd, shell, number)
        if item.operator in ("<", "<>"):
            for stream in streams:
                read += [stream._replace(held=text) for text in (yield from _read_stream(stream, shell, number))]
        if item.operator == "<":
            doubts += [None for stream in read if stream.held.text is None][:1]
            continue
        doubts += [stream.place for stream in streams]
        append = ">>" in item.operator or (None if item.operator == ">" and "noclobber" in shell.options else False)
        if item.operator == "<>" and item.descriptor in ("", "0"):
            continue  # opened for reading; nothing is printed to standard input
        if item.descriptor in ("", "1", "&") or item.operator.startswith("&"):
            outputs += [(stream, append) for stream in streams]
        else:
            shell.streams[item.descriptor.strip("{}")] = streams
            both = item.operator == "<>"
            streams_written: Outputs = [(stream, append or both) for stream in streams if stream.place is not None or not both]
            if streams_written:
                yield from write_output((unknown_word("the content of another descriptor"),), streams_written, shell, number)
    return tuple(dict.fromkeys(read))


INPUT_PREFIX = "<"
"""Prefix, in `streams`, of a descriptor that is read from."""


_UNKNOWN_PART = "\0"
_MATCH_DESCRIPTOR_PATH = re.compile(
    r"(?:/dev/(?P<name>stdin|stdout|stderr)|(?:/dev|/proc/(?:self|thread-self|\d+|\0)(?:/task/[^/]+)?)/fd/(?P<number>\d+|\0))"
    r"(?P<below>/.*)?",
    re.DOTALL,
).fullmatch


def _mark_unknown_parts(word: Word) -> str:
    return "".join(part if isinstance(part, str) else _UNKNOWN_PART for part in word.parts)


def _descriptor_number(match: re.Match[str]) -> str | None:
    """Returns the descriptor; None if it is not known."""
    if match["name"]:
        return str(("stdin", "stdout", "stderr").index(match["name"]))
    return match["number"] if match["number"] != _UNKNOWN_PART else None


def resolve_descriptor_names(choices: list[list[Word]], shell: Shell) -> list[list[Word]]:
    """Replaces words that name a descriptor by the file it was opened on, or by the text read from it. If that gives too many
    alternatives, each word is generalized."""
    if not shell.streams:
        return choices
    named = [[_resolve_descriptor_name(word, shell) for word in argv] for argv in choices]
    if sum(prod(map(len, words)) for words in named) > MAX_ALTERNATIVES:
        return [[generalize(each) for each in words] for words in named]
    return [list(each) for words in named for each in product(*words)]


def _resolve_descriptor_name(word: Word, shell: Shell) -> tuple[Word, ...]:
    match = _MATCH_DESCRIPTOR_PATH(_mark_unknown_parts(word)) if word.head.startswith(("/dev/", "/proc/")) else None
    if match is None:
        return (word,)
    number, below = _descriptor_number(match), EMPTY
    if match["below"]:
        below = word.drop_first(match.start("below"))
        if match["below"].partition(_UNKNOWN_PART)[0] != below.head:
            return (word,)
    read = _list_input_streams(shell) if number is None else shell.streams.get(INPUT_PREFIX + number, ())
    if not read:
        return (word,)
    files = dict.fromkeys(stream.place for stream in read)
    if None in files:
        return (word if below.parts else pipe_word(generalize(stream.held for stream in read)),)
    names = (known_word(place.path) if place.path is not None else place.word for place in files if place is not None)
    return tuple(dict.fromkeys(name + below for name in names))


def _list_input_streams(shell: Shell) -> tuple[Stream, ...]:
    """Returns the streams that any descriptor reads from: `exec {fd}< f` assigns an unknown number."""
    return tuple(stream for name, streams in shell.streams.items() if name.startswith(INPUT_PREFIX) for stream in streams)


def _open_stream(value: Word, cwd: Word, shell: Shell, number: int) -> Generator[Request, Any, tuple[Stream, ...]]:
    for folder in ("/dev/fd/", OPEN_FILES):
        if value.starts_with(folder) is True and (again := shell.streams.get(value.drop_first(len(folder)).text or "")):
            return again
    for protocol in ("/dev/tcp/", "/dev/udp/"):
        if value.starts_with(protocol) is True:
            yield Connect(value.drop_first(len(protocol)), shell.current_origin(number))
            return (Stream(None, value.drop_first(len(protocol))),)
    place = yield ResolvePlace(value, cwd, shell.frame.site)
    return (Stream(place),)


def _read_stream(stream: Stream, shell: Shell, number: int) -> Generator[Request, Any, list[Word]]:
    """Returns the possible contents of the stream."""
    if stream.place is None:
        return [unknown_word("the response of the other side", frozenset({number}))]
    yield Read(stream.place, shell.current_origin(number))
    contents: tuple[Word | None, ...] = yield ReadContents(stream.place, number)
    words = [content.from_commands(frozenset({number})) for content in contents if content is not None]
    if len(words) != len(contents) or not words:
        words.append(unknown_word(stream.place.display_text, NO_SOURCES.union({number}, *(word.src for word in words))))
    return words


def write_output(printed: tuple[Word, ...], outputs: Outputs, shell: Shell, number: int) -> Evaluation:
    """Writes output to its destinations, otherwise to this shell's own output."""
    if not outputs:
        shell.emit_output(*printed)
    for stream, append in outputs:
        if stream is _STANDARD_ERROR:
            _emit_error(printed, shell)
            continue
        for each in printed:
            if stream.place is None:
                yield Connect(stream.target or EMPTY, shell.current_origin(number), sends=each)
            else:
                yield Write(
                    stream.place, each, None if append is False and len(printed) > 1 else append, shell.current_origin(number)
                )


def _emit_error(printed: tuple[Word, ...], shell: Shell) -> None:
    """Emits text to standard error, which is not captured with the output unless it was redirected to it, in this shell or by
    whoever started it. That does not reach into a substitution, which captures the output alone."""
    shown = shell.frame.shown
    if ERRORS_AS_OUTPUT in shell.options and (shown is not None or ERRORS_ASIDE in shell.options):
        shell.emit_output(*printed, EMPTY)
    elif shown is None and ERRORS_ASIDE not in shell.options:
        shell.emit_output(*printed)
    elif shown is None:
        shell.frame.errors.extend(printed)
    else:
        shown.add_words(printed)


def restore_errors(options: frozenset[str], shell: Shell) -> None:
    """Restores where standard error goes, after a command that redirected it. `options`: those before the command."""
    if ERRORS_AS_OUTPUT not in options:
        shell.options -= {ERRORS_AS_OUTPUT}
