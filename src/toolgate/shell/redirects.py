"""Redirects: what standard input may become, and where what is printed goes."""

from collections.abc import Generator
from itertools import product
from typing import Any

from toolgate.model.effect import Connect, Read, Write
from toolgate.model.word import EMPTY, NOTHING, Word, joined, known, of_process, unknown

from .expansion import expand_one
from .moment import Walk
from .protocol import Contents, Walking, Where, Yielded
from .state import Shell, Stream
from .syntax import Redirect

Outputs = list[tuple[Stream, bool]]


_READINGS = 8


def readings(texts: tuple[Word, ...]) -> tuple[Word, ...]:
    """The texts that standard input may hold, one by one while they are few. Else whoever takes them for code or for lines reads
    them all, and may read something else."""
    if len(texts) <= _READINGS:
        return texts
    every = joined((text for text in texts if text.parts), "\n")
    return every, unknown("one of several texts", every.src)


def redirects(
    items: tuple[Redirect, ...], shell: Shell, number: int, walk: Walk
) -> Generator[Yielded, Any, tuple[tuple[Word, ...], Outputs]]:
    """Opens them in order: what standard input may become (nothing: as it was), and where standard output goes."""
    stdin: tuple[Word, ...] = ()
    outputs: Outputs = []
    for item in items:
        values = yield from expand_one(item.target, shell, walk)
        operator = item.operator
        if operator in ("<<", "<<-", "<<<"):
            end = known("\n" if operator == "<<<" else "")
            stdin = readings(tuple(value + end for value in values))
        elif operator in (">&", "<&") and (values[0].text == "-" or (values[0].text or "").rstrip("-").isdigit()):
            if operator == ">&" and item.descriptor in ("", "1"):
                outputs += [(stream, True) for stream in shell.streams.get((values[0].text or "").rstrip("-"), ())]
        elif operator == "<" and None not in (printed := tuple(map(of_process, values))):
            stdin = readings(tuple(text for text in printed if text is not None))
        else:
            taken: list[Word] = []
            for value, cwd in product(values, shell.cwd):
                stream = yield from _opened(value, cwd, shell, number)
                if operator in ("<", "<>"):
                    taken += yield from _taken(stream, shell, number)
                if operator == "<":
                    continue
                if item.descriptor in ("", "1", "&") or operator.startswith("&"):
                    outputs.append((stream, ">>" in operator))
                else:
                    shell.streams[item.descriptor.strip("{}")] = (stream,)
                    if operator != "<>":
                        said = (unknown("what goes to another descriptor"),)
                        yield from sent(said, [(stream, ">>" in operator)], shell, number)
            if taken:
                stdin = readings(tuple(dict.fromkeys(taken)))
    return stdin, outputs


def _opened(value: Word, cwd: Word, shell: Shell, number: int) -> Generator[Yielded, Any, Stream]:
    for protocol in ("/dev/tcp/", "/dev/udp/"):
        if value.starts(protocol) is True:
            yield Connect(value.cut(len(protocol)), shell.origin(number))
            return Stream(None, value.cut(len(protocol)))
    place = yield Where(value, cwd, shell.frame.site)
    return Stream(place)


def _taken(stream: Stream, shell: Shell, number: int) -> Generator[Yielded, Any, list[Word]]:
    """What the stream may hold."""
    if stream.place is None:
        return [unknown("what the other side sends", frozenset({number}))]
    yield Read(stream.place, shell.origin(number))
    contents: tuple[Word | None, ...] = yield Contents(stream.place, number)
    words = [content for content in contents if content is not None]
    if len(words) != len(contents) or not words:
        words.append(unknown(stream.place.shown, NOTHING.union({number}, *(word.src for word in words))))
    return words


def sent(printed: tuple[Word, ...], outputs: Outputs, shell: Shell, number: int) -> Walking:
    """What was printed goes where it was sent, else to whoever reads what this shell prints."""
    if not outputs:
        shell.say(*printed)
    for stream, append in outputs:
        for each in printed:
            if stream.place is None:
                yield Connect(stream.target or EMPTY, shell.origin(number), sends=each)
            else:
                yield Write(stream.place, each, None if append is False and len(printed) > 1 else append, shell.origin(number))
