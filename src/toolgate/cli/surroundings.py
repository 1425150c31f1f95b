"""The environment, home and project of a verb's call, and the options that change them."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import click

from toolgate import stores
from toolgate.machine import supervision
from toolgate.machine.environment import find_folders
from toolgate.model.rule import Policy
from toolgate.model.store import Store
from toolgate.policy import load, profiles
from toolgate.redaction.redactor import Redactor
from toolgate.sessions import choose_store_url

DIRECTORY = click.option(
    "--cwd", "directory", type=click.Path(exists=True, file_okay=False), help="The project's folder.  [default: here]"
)
PROFILE = click.option(
    "--profile",
    type=click.Choice(profiles.list_names()),
    default=None,
    metavar="NAME",
    help=f"Use this profile instead of the policy's: {', '.join(profiles.list_general_names())}, or the profile of a design.",
)
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@dataclass(frozen=True, slots=True)
class Surroundings:
    environ: Mapping[str, str]
    home: str
    project: str


def read_surroundings(directory: str | None = None) -> Surroundings:
    """Returns the surroundings of this process; the project is the folder that a session started here would have."""
    home = os.environ.get("HOME") or os.path.expanduser("~")
    return Surroundings(dict(os.environ), home, os.path.abspath(directory or os.getcwd()))


def build_hider(policy: Policy) -> Redactor:
    """Returns what hides secrets in a verb's output; its marks are valid for this process alone."""
    from toolgate.redaction.settings import build_redactor

    return build_redactor(policy, _process_key)


@cache
def _process_key() -> bytes:
    return os.urandom(32)


def open_user_store(surroundings: Surroundings) -> Store:
    """Opens the store that hooks of this user write to; with sudo, of the user who called it. Raises StoreError."""
    return stores.find_store(find_store_url(surroundings), find_folders(surroundings.environ, surroundings.home).state)


def find_store_url(surroundings: Surroundings) -> str:
    """Returns the store's URL; empty where it is the file in the user's state folder. Where there is a supervisor, it is the
    supervisor's, unless the organisation names another."""
    policy = load(surroundings.environ, surroundings.home, surroundings.project)
    if not policy.store_is_fixed and supervision.is_supervised() and (user := supervision.supervised_user(surroundings.environ)):
        return supervision.store_url(user)
    return choose_store_url(policy, surroundings.environ)
