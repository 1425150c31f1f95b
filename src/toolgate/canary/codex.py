"""The client of the proof for Codex: headless and with everything allowed. The hooks are trusted as `toolgate install` records
it; the client would skip them otherwise."""

import json
from collections.abc import Mapping, Sequence

from toolgate.hosts.codex.host import NAME
from toolgate.hosts.codex.settings import REGISTRATION

from .client import Client, Launch, Prepared
from .client_process import build_base_environment
from .scripted_responses import MODEL, ScriptedResponses
from .scripted_server import ScriptedCall

AGENT_MODEL = "gpt-5.1-codex"
"""A model of the client's own list that starts agents of its own. It patches files from a shell."""
BYPASS_OPTIONS = ("--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")


def _prepare(launch: Launch) -> Prepared:
    settings = render_server_settings(launch.servers)
    words = build_command_line(launch.program, launch.url, AGENT_MODEL, settings)
    return words, build_environment(launch.environ, str(launch.home))


def _shell(command: str, **fields: object) -> ScriptedCall:
    return ScriptedCall("exec_command", {"cmd": command, **fields})


CLIENT = Client(
    name=NAME,
    program=REGISTRATION.PROGRAM,
    variable="CODEX_BIN",
    model=ScriptedResponses,
    prepare=_prepare,
    settings=lambda home: home / ".codex" / "hooks.json",
    shell=_shell,
    tamper=lambda settings: (_shell(f"apply_patch <<'E'\n*** Begin Patch\n*** Delete File: {settings}\n*** End Patch\nE\n"),),
    server_prefix="mcp__stub.",
    background=lambda command: _shell(command, yield_time_ms=300),
    agent=lambda task: (ScriptedCall("multi_agent_v1.spawn_agent", {"message": task}), _shell("sleep 4")),  # it runs beside
)


def build_command_line(program: str, model: str, name: str = MODEL, settings: Sequence[str] = ()) -> list[str]:
    """Returns a headless call of the client, with the scripted model as its only provider."""
    provider = f'{{name="scripted",base_url={json.dumps(model)},wire_api="responses",request_max_retries=0,stream_max_retries=0}}'
    given = (f'model="{name}"', 'model_provider="scripted"', f"model_providers.scripted={provider}", "analytics.enabled=false")
    return [program, "exec", *BYPASS_OPTIONS, *(word for each in (*given, *settings) for word in ("-c", each)), "go"]


def render_server_settings(servers: Mapping[str, Sequence[str]]) -> list[str]:
    """Returns a setting for each MCP server."""
    return [
        f"mcp_servers.{name}={{command={json.dumps(words[0])},args={json.dumps([*words[1:]])}}}"
        for name, words in servers.items()
    ]


def build_environment(environ: Mapping[str, str], home: str) -> dict[str, str]:
    """Returns the client's environment: none of its user's settings, no account, and no address but the model's."""
    return build_base_environment(environ, home)
