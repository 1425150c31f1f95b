"""The protocol of client and engine: one request and one answer, on a stream that ends with it.

Numbers are in native byte order: a socket does not leave the machine. client.c and client.py implement the same.

    request   "TGQ1"  build  microseconds since the epoch  user  milliseconds left  five sizes
              host  event  directory  environment (NAME=VALUE, each with a NUL)  payload
    answer    "TGA1"  build  exit code  two sizes
              text for standard output  text for standard error
"""

import os
import struct

from toolgate.model.request import Answer, Request

QUESTION = struct.Struct("=4s32sqIIIIIII")
REPLY = struct.Struct("=4s32sIII")
MAX_REQUEST_BYTES = 100 << 20
"""Bytes of a whole request: the client limits the payload, this limits what another program could send."""


class BadFrame(Exception):
    """The data is no request of this build, and gets no answer."""


def receive_request(descriptor: int, build: str, pid: int) -> tuple[Request, float]:
    """Returns the request, and the seconds that its client will wait for the answer. Raises BadFrame and OSError.

    `pid` is the client's as reported by the kernel, since a request could claim any."""
    data = bytearray()
    _read_until(descriptor, data, QUESTION.size)
    magic, named, now, uid, left, *sizes = QUESTION.unpack_from(data)
    if magic != b"TGQ1" or named != build.encode() or sum(sizes) > MAX_REQUEST_BYTES:
        raise BadFrame
    _read_until(descriptor, data, QUESTION.size + sum(sizes))
    parts, at = [], QUESTION.size
    with memoryview(data) as view:
        for size in sizes:
            parts.append(bytes(view[at : at + size]))
            at += size
    host, event, cwd, environ = (part.decode("utf-8", "surrogateescape") for part in parts[:4])
    return Request(host, event, parts[4], _parse_environ(environ), cwd, uid, now / 1e6, pid), left / 1e3


def _read_until(descriptor: int, data: bytearray, size: int) -> None:
    while len(data) < size:
        more = os.read(descriptor, max(65536, size - len(data)))
        if not more:
            raise BadFrame
        data += more


def _parse_environ(text: str) -> dict[str, str]:
    """Parses variables as `os.environ` does: of duplicate names, the first one applies."""
    entries = (entry.partition("=") for entry in reversed(text.split("\0")) if "=" in entry)
    return {name: value for name, _, value in entries}


def pack_reply(build: str, answer: Answer) -> bytes:
    out, err = (text.encode("utf-8", "backslashreplace") for text in (answer.stdout, answer.stderr))
    return REPLY.pack(b"TGA1", build.encode(), answer.exit_code, len(out), len(err)) + out + err


def write_all(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]
