"""How a proof starts the real client of a host, and the names of the calls that this client offers its model."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from . import tool_server
from .scripted_server import ScriptedCall, ScriptedServer, ScriptedTurn

STUB_SERVER: Mapping[str, tuple[str, ...]] = {"stub": (sys.executable, "-I", tool_server.__file__)}
"""The MCP server of a proof, by name, with its command."""


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
    def forbidden_folder(self) -> Path:
        """A folder among the gate's own, in which no profile and no mode lets anything write."""
        return self.home / ".config" / "toolgate"

    def create_folders(self) -> "Scratch":
        self.forbidden_folder.mkdir(parents=True)
        self.project.mkdir()
        return self


@dataclass(frozen=True, slots=True)
class Launch:
    """One headless start of a client. `url`: the address of the scripted model. `servers`: MCP servers, with their commands."""

    program: str
    environ: Mapping[str, str]
    home: Path
    project: Path
    url: str
    servers: Mapping[str, Sequence[str]] = field(default_factory=dict)


Prepared = tuple[list[str], dict[str, str]]
"""The command line of a client, and its environment: none of its user's settings, no account, no address but the model's."""


def render_servers(servers: Mapping[str, Sequence[str]], **fields: object) -> str:
    """Returns MCP servers in the form that most clients share. `fields`: further fields of each server."""
    described = {name: {"command": words[0], "args": [*words[1:]], **fields} for name, words in servers.items()}
    return json.dumps({"mcpServers": described})


def install_remedy(host: str) -> str:
    return f"run toolgate install {host}, then this again; no agent should work here until it holds"


@dataclass(frozen=True, slots=True)
class Client:
    """How a proof speaks with a host's client. `variable`: names another client than `program`. `settings`: the file that
    registers the gate. `tamper`: calls of which the last would change that file. `server_prefix`: precedes the name of a tool of
    the proof's MCP server. `background`: a call of a shell in the background; `agent`: calls that start an agent with this task
    and wait for it. A headless client may offer neither. `remedy`: for faults, if it is not to install the gate again."""

    name: str
    program: str
    variable: str
    model: Callable[[Sequence[ScriptedTurn], Mapping[str, Sequence[ScriptedTurn]]], ScriptedServer]
    prepare: Callable[[Launch], Prepared]
    settings: Callable[[Path], Path]
    shell: Callable[[str], ScriptedCall]
    tamper: Callable[[Path], tuple[ScriptedCall, ...]]
    server_prefix: str
    background: Callable[[str], ScriptedCall] | None = None
    agent: Callable[[str], tuple[ScriptedCall, ...]] | None = None
    remedy: Callable[[Sequence[str]], str] | None = None
    silent: str = "see whether it runs by itself"

    def call_server(self, tool: str, **fields: object) -> ScriptedCall:
        return ScriptedCall(f"{self.server_prefix}{tool}", fields)
