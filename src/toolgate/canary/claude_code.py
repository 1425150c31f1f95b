"""The client of the proof for Claude Code: headless and in bypass mode. With the gate's program gone the client has to refuse by
itself (`onFailure`)."""

import json
from collections.abc import Mapping, Sequence

from toolgate.hosts.claude_code import settings as registration
from toolgate.hosts.claude_code.host import NAME

from .client import Client, Launch, Prepared, install_remedy, render_servers
from .client_process import build_base_environment
from .host_proof import IGNORES_FAILURES
from .scripted_model import ScriptedModel
from .scripted_server import ScriptedCall

BYPASS_OPTION = "--dangerously-skip-permissions"
OLDEST_VERSION = ".".join(map(str, registration.OLDEST))


def _prepare(launch: Launch) -> Prepared:
    (launch.home / ".claude.json").write_text(json.dumps(onboarding_settings(str(launch.project))))
    words = [launch.program, "-p", "go", BYPASS_OPTION, "--mcp-config", render_servers(launch.servers)]
    return words, build_environment(launch.environ, str(launch.home), launch.url)


def _remedy_for(faults: Sequence[str]) -> str:
    is_old = bool(faults) and all(fault.endswith("calls run unjudged") for fault in faults) and IGNORES_FAILURES in faults
    return f"update Claude Code to {OLDEST_VERSION} or later" if is_old else install_remedy(NAME)


CLIENT = Client(
    name=NAME,
    program=registration.PROGRAM,
    variable="CLAUDE_BIN",
    model=ScriptedModel,
    prepare=_prepare,
    settings=lambda home: home / ".claude" / "settings.json",
    shell=lambda command: ScriptedCall("Bash", {"command": command}),
    tamper=lambda settings: (  # the client refuses to write a file that it has not read
        ScriptedCall("Read", {"file_path": str(settings)}),
        ScriptedCall("Write", {"file_path": str(settings), "content": "{}"}),
    ),
    server_prefix="mcp__stub__",
    background=lambda command: ScriptedCall("Bash", {"command": command, "run_in_background": True}),
    agent=lambda task: (ScriptedCall("Agent", {"description": "d", "prompt": task, "subagent_type": "general-purpose"}),),
    remedy=_remedy_for,
    silent="see whether it runs by itself; `claude doctor` may say more",
)


def build_environment(environ: Mapping[str, str], home: str, model: str) -> dict[str, str]:
    """Returns the client's environment: none of its user's settings, no account, and no address but the model's."""
    return {
        **build_base_environment(environ, home),
        "IS_SANDBOX": "1",  # required for root to skip permissions
        "ANTHROPIC_BASE_URL": model,
        "ANTHROPIC_API_KEY": "no-key",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_TELEMETRY": "1",
    }


def onboarding_settings(project: str) -> dict[str, object]:
    """Returns a `.claude.json` in which the first questions have been answered."""
    return {"hasCompletedOnboarding": True, "projects": {project: {"hasTrustDialogAccepted": True}}}
