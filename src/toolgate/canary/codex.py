"""The client of the proof for Codex: headless and with everything allowed. The hooks are trusted as `toolgate install` records
it; the client would skip them otherwise."""

import json
from collections.abc import Mapping, Sequence

from toolgate.hosts.codex.host import NAME
from toolgate.hosts.codex.settings import REGISTRATION

from .client_process import build_base_environment
from .host_proof import Client, Launch, Prepared
from .scripted_responses import MODEL, ScriptedResponses
from .scripted_server import ScriptedCall

BYPASS_OPTIONS = ("--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")


def _prepare(launch: Launch) -> Prepared:
    return build_command_line(launch.program, launch.url), build_environment(launch.environ, str(launch.home))


CLIENT = Client(
    name=NAME,
    program=REGISTRATION.PROGRAM,
    variable="CODEX_BIN",
    model=ScriptedResponses,
    prepare=_prepare,
    settings=lambda home: home / ".codex" / "hooks.json",
    shell=lambda command: ScriptedCall("exec_command", {"cmd": command}),
    tamper=lambda settings: (
        ScriptedCall("apply_patch", {"text": f"*** Begin Patch\n*** Delete File: {settings}\n*** End Patch\n"}),
    ),
)


def build_command_line(program: str, model: str, name: str = MODEL, settings: Sequence[str] = ()) -> list[str]:
    """Returns a headless call of the client, with the scripted model as its only provider."""
    provider = f'{{name="scripted",base_url={json.dumps(model)},wire_api="responses",request_max_retries=0,stream_max_retries=0}}'
    given = (f'model="{name}"', 'model_provider="scripted"', f"model_providers.scripted={provider}", "analytics.enabled=false")
    return [program, "exec", *BYPASS_OPTIONS, *(word for each in (*given, *settings) for word in ("-c", each)), "go"]


def build_environment(environ: Mapping[str, str], home: str) -> dict[str, str]:
    """Returns the client's environment: none of its user's settings, no account, and no address but the model's."""
    return build_base_environment(environ, home)
