"""The client of the proof for OpenCode: headless. With the gate's program gone the plugin has to refuse by itself."""

import json
from collections.abc import Mapping

from toolgate.hosts.opencode.host import NAME
from toolgate.hosts.opencode.settings import REGISTRATION

from .client import Client, Launch, Prepared
from .client_process import build_base_environment
from .scripted_chat import MODEL, ScriptedChat
from .scripted_server import ScriptedCall


def _prepare(launch: Launch) -> Prepared:
    servers = {name: {"type": "local", "command": [*words], "enabled": True} for name, words in launch.servers.items()}
    environ = build_environment(launch.environ, str(launch.home), launch.url, {"mcp": servers})
    return [launch.program, "run", "go"], environ


CLIENT = Client(
    name=NAME,
    program=REGISTRATION.PROGRAM,
    variable="OPENCODE_BIN",
    model=ScriptedChat,
    prepare=_prepare,
    settings=lambda home: home / ".config" / "opencode" / "plugin" / "toolgate.js",
    shell=lambda command: ScriptedCall("bash", {"command": command}),
    tamper=lambda settings: (
        ScriptedCall("write", {"filePath": str(settings), "content": "export const Nothing = async () => ({})"}),
    ),
    server_prefix="stub_",
    agent=lambda task: (ScriptedCall("task", {"description": "d", "prompt": task, "subagent_type": "general"}),),
)


def build_environment(
    environ: Mapping[str, str], home: str, model: str, more: Mapping[str, object] | None = None
) -> dict[str, str]:
    """Returns the client's environment: none of its user's settings, no account, and no address but the model's. `more`:
    further settings of the client."""
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "scripted",
        "options": {"baseURL": model, "apiKey": "no-key"},
        "models": {MODEL: {"name": MODEL}},
    }
    settings = {
        "autoupdate": False,
        "share": "disabled",
        "model": f"scripted/{MODEL}",
        "small_model": f"scripted/{MODEL}",
        "provider": {"scripted": provider},
        **(more or {}),
    }
    return {
        **build_base_environment(environ, home),
        "CI": "1",
        "OPENCODE_CONFIG_CONTENT": json.dumps(settings),
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
    }
