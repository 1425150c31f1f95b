"""The client of the proof for Gemini CLI: headless, with every call approved, in a folder that is trusted."""

import json

from toolgate.hosts.gemini.host import NAME
from toolgate.hosts.gemini.settings import REGISTRATION

from .client import Client, Launch, Prepared, render_servers
from .client_process import build_base_environment
from .scripted_gemini import MODEL, ScriptedGemini
from .scripted_server import ScriptedCall

SETTINGS: dict[str, object] = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
}


def _prepare(launch: Launch) -> Prepared:
    path = launch.home / ".gemini" / "settings.json"
    settings = json.loads(path.read_text()) if path.exists() else {}
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({**SETTINGS, **json.loads(render_servers(launch.servers)), **settings}))
    environ = {
        **build_base_environment(launch.environ, str(launch.home)),
        "CI": "1",
        "GEMINI_API_KEY": "no-key",
        "GOOGLE_GEMINI_BASE_URL": launch.url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }
    return [launch.program, "-m", MODEL, "--yolo", "-p", "go"], environ


def _shell(command: str, **more: object) -> ScriptedCall:
    return ScriptedCall("run_shell_command", {"command": command, "description": "d", **more})


CLIENT = Client(
    name=NAME,
    program=REGISTRATION.PROGRAM,
    variable="GEMINI_BIN",
    model=ScriptedGemini,
    prepare=_prepare,
    settings=lambda home: home / ".gemini" / "settings.json",
    shell=_shell,
    tamper=lambda settings: (_shell(f"echo '{{}}' > '{settings}'"),),  # its own tools write to the project alone
    server_prefix="mcp_stub_",
    background=lambda command: _shell(command, is_background=True),
    agent=lambda task: (ScriptedCall("invoke_agent", {"agent_name": "generalist", "prompt": task}),),
)
