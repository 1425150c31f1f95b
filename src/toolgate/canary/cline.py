"""The client of the proof for Cline: headless, with every call approved, and without the daemon that it would leave behind."""

import json

from toolgate.hosts.cline.host import NAME
from toolgate.hosts.cline.settings import REGISTRATION

from .client import Client, Launch, Prepared, render_servers
from .client_process import build_base_environment
from .scripted_chat import MODEL, ScriptedChat
from .scripted_server import ScriptedCall

PROVIDER = "openai-compatible"


def _prepare(launch: Launch) -> Prepared:
    folder = launch.home / ".cline" / "data" / "settings"
    folder.mkdir(parents=True, exist_ok=True)
    settings = {"provider": PROVIDER, "apiKey": "no-key", "model": MODEL, "baseUrl": launch.url}
    provider = {"settings": settings, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}
    document = {"version": 1, "lastUsedProvider": PROVIDER, "modes": {}, "providers": {PROVIDER: provider}}
    (folder / "providers.json").write_text(json.dumps(document))
    (folder / "cline_mcp_settings.json").write_text(render_servers(launch.servers, disabled=False, autoApprove=[]))
    environ = {
        **build_base_environment(launch.environ, str(launch.home)),
        "CI": "1",
        "CLINE_SESSION_BACKEND_MODE": "local",
        "CLINE_TELEMETRY_DISABLED": "1",
        "CLINE_NO_AUTO_UPDATE": "1",
        "NODE_NO_WARNINGS": "1",
    }
    return [launch.program, "--retries", "50", "-P", PROVIDER, "-m", MODEL, "-k", "no-key", "please go now"], environ


CLIENT = Client(
    name=NAME,
    program=REGISTRATION.PROGRAM,
    variable="CLINE_BIN",
    model=ScriptedChat,
    prepare=_prepare,
    settings=lambda home: home / ".cline" / "plugins" / "toolgate.js",
    shell=lambda command: ScriptedCall("run_commands", {"commands": [command]}),
    tamper=lambda settings: (ScriptedCall("editor", {"path": str(settings), "new_text": "export default {};"}),),
    server_prefix="stub__",
    agent=lambda task: (ScriptedCall("spawn_agent", {"systemPrompt": "s", "task": task}),),
)
