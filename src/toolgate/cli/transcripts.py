"""Code shared by `toolgate replay` and `toolgate policy suggest`.

It reads past calls, installs a draft instead of the user's policy, and displays past calls.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from toolgate.history import RECORD_READERS, UnknownFormat, find_files, list_record_folders, read_file
from toolgate.history.calls import PastCall, UnreadableLine
from toolgate.history.replay import Example, JudgedCall
from toolgate.machine.environment import find_folders
from toolgate.policy import compile_files, load
from toolgate.policy.compilation import CompiledPolicy
from toolgate.sessions.call_redaction import describe_action

from .approve import replace_control_characters
from .surroundings import Surroundings, build_hider

MIN_PARALLEL_BYTES = 4 * 1024 * 1024  # of files


def choose_files(paths: tuple[str, ...], only: str | None, surroundings: Surroundings) -> list[str]:
    if not paths:
        known = [only] if only else list(RECORD_READERS)
        paths = tuple(
            folder for host in known for folder in list_record_folders(host, surroundings.home, dict(surroundings.environ))
        )
        paths = tuple(folder for folder in paths if os.path.isdir(folder))
    return list(find_files(paths))


def choose_process_count(files: list[str]) -> int:
    """Returns two for histories that take longer than starting a process, where there are two cores."""
    return min(2, os.cpu_count() or 1) if sum(map(_measure_file, files)) > MIN_PARALLEL_BYTES else 1


def _measure_file(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def read_with_progress(files: list[str], *, reports: bool = True) -> Iterator[Iterator[PastCall | UnreadableLine]]:
    """Yields the calls of each file. With `reports`, shows progress, and files that cannot be read."""
    hidden = not (reports and sys.stderr.isatty())
    with click.progressbar(files, label="Judging", file=sys.stderr, hidden=hidden) as shown:
        for path in shown:
            try:
                yield read_file(path)
            except UnknownFormat:
                _report_file(path, "in no form that is known", reports=reports)
            except OSError as problem:
                _report_file(path, problem.strerror or str(problem), reports=reports)


def _report_file(path: str, problem: str, *, reports: bool) -> None:
    if reports:
        click.echo(f"toolgate: {path}: {problem}; left out", err=True)


def is_wanted(call: PastCall | UnreadableLine, only: str | None, since: str) -> bool:
    return isinstance(call, UnreadableLine) or ((not only or call.host == only) and (not call.time or call.time >= since))


def place_draft(surroundings: Surroundings, content: bytes, scratch: str) -> tuple[dict[str, str], CompiledPolicy]:
    """Places a draft in `scratch`, an empty folder, instead of the user's policy.

    Returns the environment variables that select it, and the compiled policy of the draft and the unchanged other layers.
    """
    if surroundings.environ.get("TOOLGATE_HOME"):
        environ, place = {"TOOLGATE_HOME": scratch}, Path(scratch)
        place.joinpath("organisation").symlink_to(find_folders(surroundings.environ, surroundings.home).organisation)
    else:
        environ, place = {"XDG_CONFIG_HOME": scratch, "XDG_CACHE_HOME": f"{scratch}/cache"}, Path(scratch, "toolgate")
    place.mkdir(exist_ok=True)
    (place / "policy.toml").write_bytes(content)
    return environ, compile_files({**surroundings.environ, **environ}, surroundings.home, surroundings.project)


class Veil:
    """Renders past calls for a terminal: without secrets, on one line, without control characters."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._policy = load(surroundings.environ, surroundings.home, surroundings.project)

    def example(self, past_call: Example | JudgedCall) -> str:
        return self.text(describe_action(past_call.action))

    def text(self, text: str) -> str:
        hiding = build_hider(self._policy)
        hiding.learn_secrets(text)
        return replace_control_characters(" ".join(hiding.redact_text(text).split()))
