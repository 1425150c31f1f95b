"""Redirects: the possible contents of standard input, and the destinations of output."""

import re
from collections.abc import Generator
from itertools import product
from math import prod
from typing import Any, NamedTuple

from toolgate.model.effect import Connect, Read, Write
from toolgate.model.place import OPEN_FILES, Place
from toolgate.model.word import EMPTY, NOTHING, Word, joined, known, named_pipe, of_process, unknown

from .expansion import expand_one
from .moment import Walk
from .protocol import Contents, Walking, Where, Yielded
from .state import Shell, Stream
from .syntax import Redirect
from .values import MANY, common

Outputs = list[tuple[Stream, bool]]


_READINGS = 8


def readings(texts: tuple[Word, ...]) -> tuple[Word, ...]:
    """Returns the possible texts of standard input, one by one if they are few. Otherwise all of them joined, and an unknown
    text."""
    if len(texts) <= _READINGS:
        return texts
    every = joined((text for text in texts if text.parts), "\n")
    return every, unknown("one of several texts", every.src)


class Opened(NamedTuple):
    """Possible contents of standard input (none: unchanged), and destinations of standard output. `doubts`: places that may
    fail to open; None for a descriptor or file that needs no look-up to be doubtful."""

    stdin: tuple[Word, ...]
    outputs: Outputs
    doubts: list[Place | None]


def redirects(items: tuple[Redirect, ...], shell: Shell, number: int, walk: Walk) -> Generator[Yielded, Any, Opened]:
    """Opens redirects in order."""
    stdin: tuple[Word, ...] = ()
    outputs: Outputs = []
    doubts: list[Place | None] = []
    for item in items:
        values = yield from expand_one(item.target, shell, walk)
        operator, values = _duplicated(item.operator, values)
        read: tuple[Stream, ...] = ()
        if operator in ("<<", "<<-", "<<<"):
            end = known("\n" if operator == "<<<" else "")
            read = tuple(Stream(None, held=value + end) for value in values)
        elif operator in (">&", "<&") and (values[0].text == "-" or (values[0].text or "").rstrip("-").isdigit()):
            other = (values[0].text or "").rstrip("-")
            if operator == "<&":
                read = shell.streams.get(READ_FROM + other, ())
            elif item.descriptor in ("", "1"):
                outputs += [(stream, True) for stream in shell.streams.get(other, ())]
            if other not in _STANDARD and other not in shell.streams and READ_FROM + other not in shell.streams:
                doubts.append(None)
        elif operator == "<&" and values[0].text is None:  # `exec {fd}< f; cat <&$fd`
            read = _opened_for_reading(shell) or (_from_any(values[0], number),)
            doubts.append(None)
        elif operator == "<" and None not in (printed := tuple(map(of_process, values))):
            read = tuple(Stream(None, held=text) for text in printed if text is not None)
        else:
            read = yield from _files(item, values, outputs, doubts, shell, number)
        if read:
            stdin = readings(tuple(dict.fromkeys(stream.held for stream in read)))
            if item.descriptor not in ("", "0"):  # `<&5` and /dev/fd/5 read from it from here on
                shell.streams[READ_FROM + item.descriptor.strip("{}")] = read
    return Opened(stdin, outputs, doubts)


_STANDARD = ("", "0", "1", "2")


def _duplicated(operator: str, values: tuple[Word, ...]) -> tuple[str, tuple[Word, ...]]:
    """Returns a redirect to a descriptor's path as one to the descriptor: `> /dev/stdout` is `>&1`, `< /dev/fd/5` is `<&5`."""
    matches = [_BY_NUMBER(_with_marks(value)) for value in values]
    if operator not in _AS_DUPLICATES or not all(match is not None and not match["below"] for match in matches):
        return operator, values
    numbers = [_number(match) for match in matches if match is not None]
    if "0" in numbers:
        return operator, values
    words = [value if number is None else known(number, value.src) for number, value in zip(numbers, values, strict=True)]
    return _AS_DUPLICATES[operator], tuple(words)


_AS_DUPLICATES = {">": ">&", ">>": ">&", ">|": ">&", "<": "<&"}


def _from_any(descriptor: Word, number: int) -> Stream:
    return Stream(None, held=unknown(f"<&{descriptor.shown}", descriptor.src | {number}))


def _files(
    item: Redirect, values: tuple[Word, ...], outputs: Outputs, doubts: list[Place | None], shell: Shell, number: int
) -> Generator[Yielded, Any, tuple[Stream, ...]]:
    """Opens files: returns the streams that are read, and adds the destinations of output."""
    read: list[Stream] = []
    for value, cwd in product(values, shell.cwd):
        streams = yield from _opened(value, cwd, shell, number)
        if item.operator in ("<", "<>"):
            for stream in streams:
                read += [stream._replace(held=text) for text in (yield from _taken(stream, shell, number))]
        if item.operator == "<":
            doubts += [None for stream in read if stream.held.text is None][:1]
            continue
        doubts += [stream.place for stream in streams]
        append = ">>" in item.operator
        if item.descriptor in ("", "1", "&") or item.operator.startswith("&"):
            outputs += [(stream, append) for stream in streams]
        else:
            shell.streams[item.descriptor.strip("{}")] = streams
            both = item.operator == "<>"
            told = [(stream, append or both) for stream in streams if stream.place is not None or not both]
            if told:
                yield from sent((unknown("what goes to another descriptor"),), told, shell, number)
    return tuple(dict.fromkeys(read))


READ_FROM = "<"
"""Prefix, in `streams`, of a descriptor that is read from."""


_UNKNOWN = "\0"
_BY_NUMBER = re.compile(
    r"(?:/dev/(?P<name>stdin|stdout|stderr)|(?:/dev|/proc/(?:self|thread-self|\d+|\0)(?:/task/[^/]+)?)/fd/(?P<number>\d+|\0))"
    r"(?P<below>/.*)?",
    re.DOTALL,
).fullmatch


def _with_marks(word: Word) -> str:
    return "".join(part if isinstance(part, str) else _UNKNOWN for part in word.parts)


def _number(match: re.Match[str]) -> str | None:
    """Returns the descriptor; None if it is not known."""
    if match["name"]:
        return str(("stdin", "stdout", "stderr").index(match["name"]))
    return match["number"] if match["number"] != _UNKNOWN else None


def named_descriptors(choices: list[list[Word]], shell: Shell) -> list[list[Word]]:
    """Replaces words that name a descriptor by the file it was opened on, or by the text read from it. If that gives too many
    alternatives, each word is generalized."""
    if not shell.streams:
        return choices
    named = [[_descriptor(word, shell) for word in argv] for argv in choices]
    if sum(prod(map(len, words)) for words in named) > MANY:
        return [[common(each) for each in words] for words in named]
    return [list(each) for words in named for each in product(*words)]


def _descriptor(word: Word, shell: Shell) -> tuple[Word, ...]:
    match = _BY_NUMBER(_with_marks(word)) if word.head.startswith(("/dev/", "/proc/")) else None
    if match is None:
        return (word,)
    number, below = _number(match), EMPTY
    if match["below"]:
        below = word.cut(match.start("below"))
        if match["below"].partition(_UNKNOWN)[0] != below.head:
            return (word,)
    read = _opened_for_reading(shell) if number is None else shell.streams.get(READ_FROM + number, ())
    if not read:
        return (word,)
    files = dict.fromkeys(stream.place for stream in read)
    if None in files:
        return (word if below.parts else named_pipe(common(stream.held for stream in read)),)
    names = (known(place.path) if place.path is not None else place.word for place in files if place is not None)
    return tuple(dict.fromkeys(name + below for name in names))


def _opened_for_reading(shell: Shell) -> tuple[Stream, ...]:
    """Returns the streams that any descriptor reads from: `exec {fd}< f` assigns an unknown number."""
    return tuple(stream for name, streams in shell.streams.items() if name.startswith(READ_FROM) for stream in streams)


def _opened(value: Word, cwd: Word, shell: Shell, number: int) -> Generator[Yielded, Any, tuple[Stream, ...]]:
    for folder in ("/dev/fd/", OPEN_FILES):
        if value.starts(folder) is True and (again := shell.streams.get(value.cut(len(folder)).text or "")):
            return again
    for protocol in ("/dev/tcp/", "/dev/udp/"):
        if value.starts(protocol) is True:
            yield Connect(value.cut(len(protocol)), shell.origin(number))
            return (Stream(None, value.cut(len(protocol))),)
    place = yield Where(value, cwd, shell.frame.site)
    return (Stream(place),)


def _taken(stream: Stream, shell: Shell, number: int) -> Generator[Yielded, Any, list[Word]]:
    """Returns the possible contents of the stream."""
    if stream.place is None:
        return [unknown("what the other side sends", frozenset({number}))]
    yield Read(stream.place, shell.origin(number))
    contents: tuple[Word | None, ...] = yield Contents(stream.place, number)
    words = [content for content in contents if content is not None]
    if len(words) != len(contents) or not words:
        words.append(unknown(stream.place.shown, NOTHING.union({number}, *(word.src for word in words))))
    return words


def sent(printed: tuple[Word, ...], outputs: Outputs, shell: Shell, number: int) -> Walking:
    """Writes output to its destinations, otherwise to this shell's own output."""
    if not outputs:
        shell.say(*printed)
    for stream, append in outputs:
        for each in printed:
            if stream.place is None:
                yield Connect(stream.target or EMPTY, shell.origin(number), sends=each)
            else:
                yield Write(stream.place, each, None if append is False and len(printed) > 1 else append, shell.origin(number))
