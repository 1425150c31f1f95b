"""Where a verb was called: what the policy asks of a call, told for a person at a terminal."""

import os
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Surroundings:
    environ: Mapping[str, str]
    home: str
    project: str


def surroundings(directory: str | None = None) -> Surroundings:
    """The project is the folder that a session started here would have."""
    home = os.environ.get("HOME") or os.path.expanduser("~")
    return Surroundings(dict(os.environ), home, os.path.abspath(directory or os.getcwd()))
