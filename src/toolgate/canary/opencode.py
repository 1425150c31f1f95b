"""The proof for OpenCode: two short conversations of the real client, headless, where only the gate can refuse. In
the second the gate's program is missing, and the plugin has to refuse by itself.
"""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from toolgate.hosts.opencode import settings as registration
from toolgate.hosts.opencode.host import NAME
from toolgate.install import apply_plan, find_node_package, plan_install

from . import ProofResult, Trial
from .client_process import (
    FORBIDDEN_NAME,
    HostTrial,
    Scratch,
    install_remedy,
    prove_host,
    require_all_results,
    run_client,
    shorten_text,
)
from .scripted_chat import MODEL, ScriptedChat
from .scripted_server import CallResult, ScriptedCall, ScriptedTurn

MISSING_PROGRAM = ("/nonexistent/toolgate-hook",)
HOLDS_WITH_GATE = (
    "a denied command and a write to the plugin left nothing, a harmless command ran, and the model read why; with the gate's "
    "program gone, nothing ran"
)


def plugin_path(scratch: Scratch) -> Path:
    return scratch.home / ".config" / "opencode" / "plugin" / "toolgate.js"


def _faults_with_gate(program: str, trial: Trial, scratch: Scratch) -> Iterator[str]:
    """Yield the faults with the gate as `toolgate install` registers it."""
    trial.progress("asking for what must be denied, and for what may be")
    plan = plan_install(NAME, "user", str(scratch.home), str(scratch.project), {}, trial.command)
    apply_plan(plan, str(scratch.root / "backups"))
    installed, harmless = plugin_path(scratch).read_bytes(), scratch.project / "harmless"
    denied, allowed, tampered = _run_conversation(
        program,
        trial.environ,
        scratch,
        ScriptedCall("bash", {"command": f"touch '{scratch.forbidden_file}'"}),
        ScriptedCall("bash", {"command": f"touch '{harmless}'"}),
        ScriptedCall("write", {"filePath": str(plugin_path(scratch)), "content": "export const Nothing = async () => ({})"}),
    )
    if scratch.forbidden_file.exists():
        yield "a denied command ran"
    elif FORBIDDEN_NAME not in denied.text:
        yield f"the model did not read why a command was denied, but: {shorten_text(denied.text)}"
    if plugin_path(scratch).read_bytes() != installed:
        yield f"a write to the gate's plugin went through: {shorten_text(tampered.text)}"
    if not harmless.exists():
        yield f"a harmless command did not run: {shorten_text(allowed.text)}"


def _faults_without_program(program: str, trial: Trial, scratch: Scratch) -> Iterator[str]:
    """Yield the faults if the gate cannot be started."""
    trial.progress("asking again, with the gate's program gone")
    plugin_path(scratch).parent.mkdir(parents=True)
    plugin_path(scratch).write_text(registration.render(MISSING_PROGRAM, find_node_package()))
    made = scratch.project / "unjudged"
    _run_conversation(program, trial.environ, scratch, ScriptedCall("bash", {"command": f"touch '{made}'"}))
    if made.exists():
        yield "with the gate's program gone, calls run unjudged"


def _run_conversation(program: str, environ: Mapping[str, str], scratch: Scratch, *uses: ScriptedCall) -> list[CallResult]:
    """Return the results of the calls. Raises NoConversation if some are missing."""
    with ScriptedChat([ScriptedTurn((use,)) for use in uses]) as model:
        given = build_environment(environ, str(scratch.home), model.url)
        said = run_client([program, "run", "go"], scratch.project, given)
        return require_all_results(model.call_results(), len(uses), said)


HOST = HostTrial(
    NAME,
    registration.PROGRAM,
    "OPENCODE_BIN",
    (_faults_with_gate, _faults_without_program),
    HOLDS_WITH_GATE,
    lambda _faults: install_remedy(NAME),
    "see whether it runs by itself",
)


def prove(trial: Trial) -> ProofResult:
    return prove_host(trial, HOST)


def build_environment(
    environ: Mapping[str, str], home: str, model: str, more: Mapping[str, object] | None = None
) -> dict[str, str]:
    """Return the client's environment: none of its user's settings, no account, and no address but the model's. `more`:
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
        "PATH": environ.get("PATH", os.defpath),
        "HOME": home,
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "CI": "1",
        "OPENCODE_CONFIG_CONTENT": json.dumps(settings),
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "NO_PROXY": "127.0.0.1,localhost",
    }
