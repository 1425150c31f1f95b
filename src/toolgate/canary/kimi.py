"""The client of the proof for Kimi Code: headless, with every call approved."""

from toolgate.hosts.kimi.host import NAME
from toolgate.hosts.kimi.settings import PROGRAM

from .client import Client, Launch, Prepared, render_servers
from .client_process import build_base_environment
from .scripted_chat import MODEL, ScriptedChat
from .scripted_server import ScriptedCall

CONFIGURATION = """\
default_model = "{model}"
telemetry = false

[providers.scripted]
type = "openai"
base_url = "{url}"
api_key = "no-key"

[models.{model}]
provider = "scripted"
model = "{model}"
max_context_size = 200000

"""


def _prepare(launch: Launch) -> Prepared:
    folder = launch.home / ".kimi-code"
    folder.mkdir(exist_ok=True)
    path = folder / "config.toml"
    hooks = "[[hooks]]" + path.read_text().partition("[[hooks]]")[2] if path.exists() else ""
    path.write_text(CONFIGURATION.format(model=MODEL, url=launch.url) + hooks)
    (folder / "mcp.json").write_text(render_servers(launch.servers))
    environ = {
        **build_base_environment(launch.environ, str(launch.home)),
        "CI": "1",
        "KIMI_DISABLE_TELEMETRY": "1",
        "KIMI_CODE_NO_AUTO_UPDATE": "1",
    }
    return [launch.program, "-p", "go"], environ


CLIENT = Client(
    name=NAME,
    program=PROGRAM,
    variable="KIMI_BIN",
    model=ScriptedChat,
    prepare=_prepare,
    settings=lambda home: home / ".kimi-code" / "config.toml",
    shell=lambda command: ScriptedCall("Bash", {"command": command}),
    tamper=lambda settings: (ScriptedCall("Write", {"path": str(settings), "content": ""}),),
    server_prefix="mcp__stub__",
    background=lambda command: ScriptedCall("Bash", {"command": command, "run_in_background": True, "description": "d"}),
    agent=lambda task: (ScriptedCall("Agent", {"description": "d", "prompt": task, "subagent_type": "coder"}),),
)
