"""Runs a host's client for a proof, and ends it with all the processes it started."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from toolgate.model.errors import SettingsError

from . import ProofResult, Trial
from .scripted_server import CallResult

TIMEOUT_SECONDS = 60
"""For one conversation, which takes about three seconds."""


class NoConversation(Exception):
    """The client did not ask the model. The message is for people."""


FORBIDDEN_NAME = "canary-that-was-let-through"


@dataclass(frozen=True, slots=True)
class Scratch:
    """A home and a project with nothing but what a proof needs."""

    root: Path

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def forbidden_file(self) -> Path:
        """A path among the gate's own files, which no profile and no mode lets anything write."""
        return self.home / ".config" / "toolgate" / FORBIDDEN_NAME

    def create_folders(self) -> "Scratch":
        self.forbidden_file.parent.mkdir(parents=True)
        self.project.mkdir()
        return self


Conversation = Callable[[str, Trial, Scratch], Iterator[str]]
"""One conversation of a program; it yields the faults."""


@dataclass(frozen=True, slots=True)
class HostTrial:
    """The host of a proof. `program`: the default client, and `variable` names another one. `remedy`: for faults."""

    name: str
    program: str
    variable: str
    conversations: tuple[Conversation, ...]
    holds: str
    remedy: Callable[[Sequence[str]], str]
    silent: str


def prove_host(trial: Trial, host: HostTrial) -> ProofResult:
    """Run every conversation in a home of its own. Takes some seconds, at most two minutes; leaves nothing behind."""
    client = trial.client or trial.environ.get(host.variable) or host.program
    found = shutil.which(client, path=trial.environ.get("PATH", os.defpath))
    if found is None:
        return ProofResult(False, f"there is no program {client} to prove it in", "name it: toolgate doctor --live --client PATH")
    program = os.path.abspath(found)
    os.makedirs(trial.folder, mode=0o700, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="canary-", dir=trial.folder, ignore_cleanup_errors=True) as root:
        faults: list[str] = []
        try:
            for number, conversation in enumerate(host.conversations):
                faults += conversation(program, trial, Scratch(Path(root, str(number))).create_folders())
        except SettingsError as problem:
            return ProofResult(False, problem.problem, f"toolgate install {host.name}")
        except NoConversation as problem:
            return ProofResult(False, f"{program} {problem}", host.silent)
    if faults:
        return ProofResult(False, f"in {program}, {'; '.join(faults)}", host.remedy(faults))
    return ProofResult(True, f"in {program}, {host.holds}")


def install_remedy(host: str) -> str:
    return f"run toolgate install {host}, then this again; no agent should work here until it holds"


@dataclass(frozen=True, slots=True)
class ClientOutput:
    """What a client printed, and its exit code."""

    text: str
    exit_code: int


def run_client(words: Sequence[str], folder: Path, environ: Mapping[str, str]) -> ClientOutput:
    """Run the client to its end. Raises NoConversation if it cannot be started or does not end."""
    client = _start_client(words, folder, environ)
    try:
        text, _ = client.communicate(timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        raise NoConversation(f"did not come to an end within {TIMEOUT_SECONDS} seconds") from None
    finally:
        _kill_client(client)
    return ClientOutput(text, client.returncode)


def require_all_results(results: list[CallResult], wanted: int, said: ClientOutput) -> list[CallResult]:
    """Return the results. Raises NoConversation if some are missing."""
    if len(results) != wanted:
        told = shorten_text(said.text) or "it said nothing"
        raise NoConversation(f"ended with {said.exit_code} before everything was tried: {told}")
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


def _kill_client(client: "subprocess.Popen[str]") -> None:
    """Kill the client and every process it started."""
    if sys.platform == "win32":
        client.kill()
    else:
        with suppress(ProcessLookupError):
            os.killpg(client.pid, signal.SIGKILL)
    client.communicate()
