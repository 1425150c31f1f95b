"""`toolgate redact`: a filter. Text goes through in a stream, and what is secret in it is replaced."""

import codecs
import os
import sys
from collections.abc import Iterator
from typing import BinaryIO

import click

from toolgate.machine.environment import folders
from toolgate.machine.keys import session_key
from toolgate.policy import load
from toolgate.redaction.settings import hider

from .surroundings import DIRECTORY, PROFILE, surroundings

CHUNK = 64 * 1024


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("file", type=click.File("rb"), default="-")
@PROFILE
@DIRECTORY
@click.option("--session", default="", help="make the marks of this session; without it, of one that is nobody's")
def redact(file: BinaryIO, profile: str | None, directory: str | None, session: str) -> None:
    """Copy FILE (or standard input) to standard output, with secrets and personal data replaced as the policy says.

    What is no UTF-8 passes as it is. Text is held back until it is sure that nothing secret began in it.

    \b
    Examples:
      journalctl -u api | toolgate redact
      toolgate redact --session "$SESSION" < build.log > shareable.log
    """
    here = surroundings(directory)
    policy = load(here.environ, here.home, here.project, profile=profile or "")
    key = session_key(folders(here.environ, here.home).state, session) if session else os.urandom(32)
    out = sys.stdout.buffer
    for text in hider(policy, key).stream(_decoded(file)):
        out.write(text.encode("utf-8", "surrogateescape"))
        out.flush()


def _decoded(file: BinaryIO) -> Iterator[str]:
    """Bytes that are no UTF-8 are kept as halves of characters, and go out as the bytes they were."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    read = getattr(file, "read1", file.read)
    while data := read(CHUNK):
        yield decoder.decode(data)
    yield decoder.decode(b"", final=True)
