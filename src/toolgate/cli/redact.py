"""`toolgate redact`: copies a stream of text with its secrets replaced."""

import codecs
import os
import sys
from collections.abc import Iterable, Iterator
from functools import cache, partial
from typing import BinaryIO

import click

from toolgate.machine.environment import find_folders
from toolgate.machine.placeholder_keys import session_key
from toolgate.policy import load
from toolgate.redaction.settings import build_redactor

from .surroundings import DIRECTORY, PROFILE, read_surroundings

CHUNK = 64 * 1024


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("file", type=click.File("rb"), default="-")
@PROFILE
@DIRECTORY
@click.option("--session", default="", help="use this session's marks; default: marks of no session")
@click.option("--until", metavar="MARK", default="", help="end at this mark between two NUL bytes; later output still follows")
@click.option("--withhold", is_flag=True, help="copy nothing, and print how much was left out")
def redact(file: BinaryIO, profile: str | None, directory: str | None, session: str, until: str, *, withhold: bool) -> None:
    """Copy FILE (or standard input) to standard output, with secrets and personal data replaced as the policy says.

    Bytes that are not UTF-8 stay unchanged. Text is held back while it may be the beginning of a secret.

    \b
    Examples:
      journalctl -u api | toolgate redact
      toolgate redact --session "$SESSION" < build.log > shareable.log
    """
    chunks = _Chunks(file, b"\0" + until.encode() + b"\0" if until else b"")
    if withhold:
        _write_texts(_describe_size(chunks))
        if chunks.ended:
            _release_caller()
            _write_texts(_describe_size(chunks))
        return
    surroundings = read_surroundings(directory)
    policy = load(surroundings.environ, surroundings.home, surroundings.project, profile=profile or "")
    state = find_folders(surroundings.environ, surroundings.home).state
    read_key = cache(partial(session_key, state, session) if session else partial(os.urandom, 32))
    _write_texts(build_redactor(policy, read_key).redact_stream(_decode_chunks(chunks)))
    if chunks.ended:
        _release_caller()
        _write_texts(build_redactor(policy, read_key).redact_stream(_decode_chunks(chunks)))


def _write_texts(texts: Iterable[str]) -> None:
    for text in texts:
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()


def _describe_size(chunks: Iterable[bytes]) -> Iterator[str]:
    if size := sum(map(len, chunks)):
        yield f"[toolgate withheld {size} bytes of output, which hold a secret]\n"


def _release_caller() -> None:
    """Lets the program that waits for this filter go on, while processes that its command left running still print through it."""
    if hasattr(os, "fork") and os.fork():
        os._exit(0)


class _Chunks:
    """Iterates over the input up to the mark, and a second time over the rest. `ended`: the mark was read."""

    def __init__(self, file: BinaryIO, mark: bytes) -> None:
        self._read = getattr(file, "read1", file.read)
        self._mark, self._kept, self.ended = mark, b"", False

    def __iter__(self) -> Iterator[bytes]:
        while data := self._read(CHUNK):
            data, self._kept = self._kept + data, b""
            if self._mark and not self.ended:
                before, mark, after = data.partition(self._mark)
                if mark:
                    self.ended, self._kept = True, after.replace(self._mark, b"")
                    yield before
                    return
                held = self._count_mark_bytes(data)
                data, self._kept = data[: len(data) - held], data[len(data) - held :]
            yield data
        yield self._kept

    def _count_mark_bytes(self, data: bytes) -> int:
        """Returns how many bytes at the end may be the mark's beginning."""
        return next((size for size in range(len(self._mark) - 1, 0, -1) if data.endswith(self._mark[:size])), 0)


def _decode_chunks(chunks: Iterable[bytes]) -> Iterator[str]:
    """Decodes chunks; bytes that are not UTF-8 become surrogates, and are written as the same bytes."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    for data in chunks:
        yield decoder.decode(data)
    yield decoder.decode(b"", final=True)
