"""A home and a project for a host's real client, and the results of a conversation with it."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from toolgate.canary.scripted_server import CallResult


@dataclass(frozen=True)
class Outcome:
    exit_code: int
    results: list[CallResult]
    heard: str
    output: str


@dataclass(frozen=True)
class ClientSandbox:
    """`program`: the client. `create_folders` creates the folders."""

    root: Path
    program: Path

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def project(self) -> Path:
        return self.root / "project"

    def create_folders(self) -> None:
        self.home.mkdir()
        self.project.mkdir()
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)

    def policy(self, text: str) -> None:
        path = self.home / ".config" / "toolgate" / "policy.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
