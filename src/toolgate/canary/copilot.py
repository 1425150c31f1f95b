"""The client of the proof for Copilot: headless and with everything allowed."""

from collections.abc import Mapping

from toolgate.hosts.copilot import settings as registration
from toolgate.hosts.copilot.host import NAME

from .client import Client, Launch, Prepared, render_servers
from .client_process import build_base_environment
from .scripted_chat import MODEL, ScriptedChat
from .scripted_server import ScriptedCall

BYPASS_OPTION = "--allow-all-tools"


def _prepare(launch: Launch) -> Prepared:
    servers = render_servers(launch.servers, type="local", tools=["*"])
    words = [launch.program, "-p", "go", BYPASS_OPTION, "--additional-mcp-config", servers]
    return words, build_environment(launch.environ, str(launch.home), launch.url)


CLIENT = Client(
    name=NAME,
    program=registration.PROGRAM,
    variable="COPILOT_CLI_PATH",
    model=ScriptedChat,
    prepare=_prepare,
    settings=lambda home: home / ".copilot" / "hooks" / "toolgate.json",
    shell=lambda command: ScriptedCall("bash", {"command": command, "description": "d"}),
    tamper=lambda settings: (
        ScriptedCall("edit", {"path": str(settings), "old_str": '"version": 1', "new_str": '"version": 2'}),
    ),
    server_prefix="stub-",
    background=lambda command: ScriptedCall("bash", {"command": command, "description": "d", "mode": "async"}),
    agent=lambda task: (ScriptedCall("task", {"agent_type": "task", "description": "d", "prompt": task, "name": "inner"}),),
)


def build_environment(environ: Mapping[str, str], home: str, model: str) -> dict[str, str]:
    """Returns the client's environment: none of its user's settings, no account, and no address but the model's.

    On its first start the client unpacks itself into a cache. The user's own cache is used, to not write 230 MB for every
    proof.
    """
    cache = environ.get("COPILOT_CACHE_HOME") or environ.get("XDG_CACHE_HOME") or f"{environ.get('HOME', home)}/.cache"
    return {
        **build_base_environment(environ, home),
        "COPILOT_HOME": f"{home}/.copilot",
        "XDG_CONFIG_HOME": f"{home}/.config",
        "XDG_STATE_HOME": f"{home}/.local/state",
        "XDG_CACHE_HOME": f"{home}/.cache",
        "COPILOT_CACHE_HOME": cache,
        "CI": "1",
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_PROVIDER_BASE_URL": model,
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_API_KEY": "no-key",
        "COPILOT_MODEL": MODEL,
    }
