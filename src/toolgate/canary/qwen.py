"""The client of the proof for Qwen Code: headless, with every call approved."""

import json

from toolgate.hosts.qwen.host import NAME
from toolgate.hosts.qwen.settings import REGISTRATION

from .client import Client, Launch, Prepared, render_servers
from .client_process import build_base_environment
from .scripted_chat import MODEL, ScriptedChat
from .scripted_server import ScriptedCall

SETTINGS: dict[str, object] = {
    "security": {"auth": {"selectedType": "openai"}},
    "general": {"disableAutoUpdate": True},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
}


def _prepare(launch: Launch) -> Prepared:
    path = launch.home / ".qwen" / "settings.json"
    settings = json.loads(path.read_text()) if path.exists() else {}
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({**SETTINGS, **json.loads(render_servers(launch.servers)), **settings}))
    environ = {
        **build_base_environment(launch.environ, str(launch.home)),
        "CI": "1",
        "OPENAI_API_KEY": "no-key",
        "OPENAI_BASE_URL": launch.url,
        "OPENAI_MODEL": MODEL,
    }
    return [launch.program, "--yolo", "-p", "go"], environ


def _shell(command: str, *, background: bool = False) -> ScriptedCall:
    return ScriptedCall("run_shell_command", {"command": command, "description": "d", "is_background": background})


CLIENT = Client(
    name=NAME,
    program=REGISTRATION.PROGRAM,
    variable="QWEN_BIN",
    model=ScriptedChat,
    prepare=_prepare,
    settings=lambda home: home / ".qwen" / "settings.json",
    shell=_shell,
    tamper=lambda settings: (ScriptedCall("write_file", {"file_path": str(settings), "content": "{}"}),),
    server_prefix="mcp__stub__",
    background=lambda command: _shell(command, background=True),
    agent=lambda task: (ScriptedCall("agent", {"description": "d", "prompt": task, "subagent_type": "general-purpose"}),),
)
