"""Shared by `toolgate replay` and `toolgate policy suggest`: the calls of the past that are read, a draft in the place of the
user's policy, and how a past call is shown."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from toolgate.history import FORMS, UnknownForm, find_files, own_folders, read_file
from toolgate.history.calls import PastCall, Unreadable
from toolgate.history.replaying import Judged
from toolgate.machine.environment import folders
from toolgate.policy import compiled, load
from toolgate.policy.compiling import Compiled
from toolgate.sessions.hushing import describe_action

from .approve import clean
from .surroundings import Surroundings, veiled


def choose_files(paths: tuple[str, ...], only: str | None, here: Surroundings) -> list[str]:
    if not paths:
        known = [only] if only else list(FORMS)
        paths = tuple(folder for host in known for folder in own_folders(host, here.home, dict(here.environ)))
        paths = tuple(folder for folder in paths if os.path.isdir(folder))
    return list(find_files(paths))


def read_with_progress(files: list[str]) -> Iterator[Iterator[PastCall | Unreadable]]:
    with click.progressbar(files, label="Judging", file=sys.stderr, hidden=not sys.stderr.isatty()) as shown:
        for path in shown:
            try:
                yield read_file(path)
            except UnknownForm:
                click.echo(f"toolgate: {path}: in no form that is known; left out", err=True)
            except OSError as problem:
                click.echo(f"toolgate: {path}: {problem.strerror or problem}; left out", err=True)


def is_wanted(call: PastCall | Unreadable, only: str | None, since: str) -> bool:
    return isinstance(call, Unreadable) or ((not only or call.host == only) and (not call.time or call.time >= since))


def place_draft(here: Surroundings, content: bytes, scratch: str) -> tuple[dict[str, str], Compiled]:
    """The variables with which a draft in `scratch`, an empty folder, replaces the user's policy, and the policy that it makes
    together with the other layers, which stay."""
    if here.environ.get("TOOLGATE_HOME"):
        environ, place = {"TOOLGATE_HOME": scratch}, Path(scratch)
        place.joinpath("organisation").symlink_to(folders(here.environ, here.home).organisation)
    else:
        environ, place = {"XDG_CONFIG_HOME": scratch, "XDG_CACHE_HOME": f"{scratch}/cache"}, Path(scratch, "toolgate")
    place.mkdir(exist_ok=True)
    (place / "policy.toml").write_bytes(content)
    return environ, compiled({**here.environ, **environ}, here.home, here.project)


class Veil:
    """Past calls as a terminal may show them: without secrets, on one line, without control characters."""

    def __init__(self, here: Surroundings) -> None:
        self._policy = load(here.environ, here.home, here.project)

    def example(self, judged: Judged) -> str:
        return self.text(describe_action(judged.action))

    def text(self, text: str) -> str:
        hiding = veiled(self._policy)
        hiding.learn(text)
        return clean(" ".join(hiding.text(text).split()))
