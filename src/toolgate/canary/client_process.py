"""Runs a host's client for a proof, and ends it with all the processes it started."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from toolgate.machine.processes import kill_group

from .scripted_server import CallResult

TIMEOUT_SECONDS = 180
"""For one conversation, which takes about three seconds."""


class NoConversation(Exception):
    """The client did not ask the model. The message is for people."""


@dataclass(frozen=True, slots=True)
class ClientOutput:
    """What a client printed, and its exit code."""

    text: str
    exit_code: int


def build_base_environment(environ: Mapping[str, str], home: str) -> dict[str, str]:
    """Returns what every client's environment has: nothing of its user's settings but the search path."""
    return {
        "PATH": environ.get("PATH", os.defpath),
        "HOME": home,
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "NO_PROXY": "127.0.0.1,localhost",
    }


def run_client(words: Sequence[str], folder: Path, environ: Mapping[str, str]) -> ClientOutput:
    """Runs the client to its end. Raises NoConversation if it cannot be started or does not end."""
    client = _start_client(words, folder, environ)
    try:
        text, _ = client.communicate(timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        raise NoConversation(f"did not come to an end within {TIMEOUT_SECONDS} seconds") from None
    finally:
        kill_group(client)
        client.communicate()
    return ClientOutput(text, client.returncode)


def require_all_results(results: list[CallResult], count: int, output: ClientOutput) -> list[CallResult]:
    """Returns the results. Raises NoConversation if some are missing."""
    if len(results) != count:
        report = shorten_text(output.text) or "it said nothing"
        raise NoConversation(f"ended with {output.exit_code} before everything was tried: {report}")
    return results


def shorten_text(text: str) -> str:
    return " ".join(text.split())[-200:]


def _start_client(words: Sequence[str], folder: Path, environ: Mapping[str, str]) -> "subprocess.Popen[str]":
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
