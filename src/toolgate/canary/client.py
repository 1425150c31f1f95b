"""A host's client, started for a proof and ended with all that it started."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from .scripted_model import Result

SECONDS = 60
"""For one conversation, which takes about three."""


class NoConversation(Exception):
    """The client did not get as far as asking the model. The message is for people."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a client printed, and how it ended."""

    text: str
    exit_code: int


def converse(words: Sequence[str], folder: Path, environ: Mapping[str, str]) -> Said:
    """Raises NoConversation for a client that cannot be started, or does not come to an end."""
    client = _start(words, folder, environ)
    try:
        text, _ = client.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise NoConversation(f"did not come to an end within {SECONDS} seconds") from None
    finally:
        _end(client)
    return Said(text, client.returncode)


def every(results: list[Result], wanted: int, said: Said) -> list[Result]:
    """The results. Raises NoConversation where it is not all of them."""
    if len(results) != wanted:
        told = short(said.text) or "it said nothing"
        raise NoConversation(f"ended with {said.exit_code} before everything was tried: {told}")
    return results


def short(text: str) -> str:
    return " ".join(text.split())[-200:]


def _start(words: Sequence[str], folder: Path, environ: Mapping[str, str]) -> "subprocess.Popen[str]":
    try:
        return subprocess.Popen(
            words,
            cwd=folder,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        raise NoConversation(f"cannot be started: {error.strerror or error}") from None


def _end(client: "subprocess.Popen[str]") -> None:
    """It, and whatever it started."""
    if sys.platform == "win32":
        client.kill()
    else:
        with suppress(ProcessLookupError):
            os.killpg(client.pid, signal.SIGKILL)
    client.communicate()
