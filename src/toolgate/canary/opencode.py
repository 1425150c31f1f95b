"""The client of the proof for OpenCode: headless. With the gate's program gone the plugin has to refuse by itself."""

import json
from collections.abc import Mapping
from pathlib import Path

from toolgate.hosts.formats.plugin_file import PluginRegistration
from toolgate.hosts.opencode.settings import REGISTRATION

from .client import Client, Launch, Prepared
from .client_process import build_base_environment
from .scripted_chat import MODEL, ScriptedChat
from .scripted_server import ScriptedCall


def build_client(name: str, registration: PluginRegistration, *flags: str) -> Client:
    """Returns OpenCode's client, or one that is built from it. `flags`: those of its verb `run`."""
    prefix = name.upper()

    def prepare(launch: Launch) -> Prepared:
        servers = {server: {"type": "local", "command": [*words], "enabled": True} for server, words in launch.servers.items()}
        environ = build_environment(prefix, launch.environ, str(launch.home), launch.url, {"mcp": servers})
        return [launch.program, "run", *flags, "go"], environ

    return Client(
        name=name,
        program=registration.PROGRAM,
        variable=f"{prefix}_BIN",
        model=ScriptedChat,
        prepare=prepare,
        settings=lambda home: Path(registration.locate_settings("user", str(home), "", {})),
        shell=lambda command: ScriptedCall("bash", {"command": command}),
        tamper=lambda settings: (
            ScriptedCall("write", {"filePath": str(settings), "content": "export const Nothing = async () => ({})"}),
        ),
        server_prefix="stub_",
        agent=lambda task: (ScriptedCall("task", {"description": "d", "prompt": task, "subagent_type": "general"}),),
    )


def build_environment(
    prefix: str, environ: Mapping[str, str], home: str, model: str, more: Mapping[str, object] | None = None
) -> dict[str, str]:
    """Returns the client's environment: none of its user's settings, no account, and no address but the model's. `prefix`: that
    of the client's variables; `more`: further settings of the client."""
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "scripted",
        "options": {"baseURL": model, "apiKey": "no-key"},
        "models": {MODEL: {"name": MODEL}},
    }
    settings = {
        "autoupdate": False,
        "share": "disabled",
        "snapshot": False,
        "model": f"scripted/{MODEL}",
        "small_model": f"scripted/{MODEL}",
        "provider": {"scripted": provider},
        **(more or {}),
    }
    return {
        **build_base_environment(environ, home),
        "CI": "1",
        f"{prefix}_CONFIG_CONTENT": json.dumps(settings),
        f"{prefix}_DISABLE_AUTOUPDATE": "1",
        f"{prefix}_DISABLE_DEFAULT_PLUGINS": "1",
        f"{prefix}_DISABLE_LSP_DOWNLOAD": "1",
        f"{prefix}_DISABLE_MODELS_FETCH": "1",
    }


CLIENT = build_client("opencode", REGISTRATION)
