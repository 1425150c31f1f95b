"""The proof for Copilot: two short conversations of the real client, headless and with everything allowed, where only the
gate can refuse. In the second the gate's program is missing, and the client has to refuse by itself.
"""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from toolgate.hosts.copilot import settings as registration
from toolgate.hosts.copilot.host import NAME
from toolgate.install import apply_plan, plan_install

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
BYPASS_OPTION = "--allow-all-tools"
HOLDS_WITH_GATE = (
    "a denied command and a change of the file of hooks left nothing, a harmless command ran, and the model read why; with the "
    "gate's program gone, nothing ran"
)


def hooks_path(scratch: Scratch) -> Path:
    return scratch.home / ".copilot" / "hooks" / "toolgate.json"


def _faults_with_gate(program: str, trial: Trial, scratch: Scratch) -> Iterator[str]:
    """Yield the faults with the gate as `toolgate install` registers it."""
    trial.progress("asking for what must be denied, and for what may be")
    plan = plan_install(NAME, "user", str(scratch.home), str(scratch.project), {}, trial.command)
    apply_plan(plan, str(scratch.root / "backups"))
    installed, harmless = hooks_path(scratch).read_bytes(), scratch.project / "harmless"
    denied, allowed, tampered = _run_conversation(
        program,
        trial.environ,
        scratch,
        ScriptedCall("bash", {"command": f"touch '{scratch.forbidden_file}'", "description": "d"}),
        ScriptedCall("bash", {"command": f"touch '{harmless}'", "description": "d"}),
        ScriptedCall("edit", {"path": str(hooks_path(scratch)), "old_str": '"version": 1', "new_str": '"version": 2'}),
    )
    if scratch.forbidden_file.exists():
        yield "a denied command ran"
    elif not denied.refused or FORBIDDEN_NAME not in denied.text:
        yield f"the model did not read why a command was denied, but: {shorten_text(denied.text)}"
    if hooks_path(scratch).read_bytes() != installed:
        yield "a change of the file that registers the gate went through"
    elif not tampered.refused:
        yield f"the model was told that it had changed the file of hooks: {shorten_text(tampered.text)}"
    if not harmless.exists():
        yield f"a harmless command did not run: {shorten_text(allowed.text)}"


def _faults_without_program(program: str, trial: Trial, scratch: Scratch) -> Iterator[str]:
    """Yield the faults if the gate cannot be started."""
    trial.progress("asking again, with the gate's program gone")
    hooks_path(scratch).parent.mkdir(parents=True)
    hooks_path(scratch).write_text(json.dumps(registration.register({}, MISSING_PROGRAM)))
    made = scratch.project / "unjudged"
    _run_conversation(program, trial.environ, scratch, ScriptedCall("bash", {"command": f"touch '{made}'", "description": "d"}))
    if made.exists():
        yield "with the gate's program gone, calls run unjudged"


def _run_conversation(program: str, environ: Mapping[str, str], scratch: Scratch, *uses: ScriptedCall) -> list[CallResult]:
    """Return the results of the calls. Raises NoConversation if some are missing."""
    with ScriptedChat([ScriptedTurn((use,)) for use in uses]) as model:
        words = [program, "-p", "go", BYPASS_OPTION]
        said = run_client(words, scratch.project, build_environment(environ, str(scratch.home), model.url))
        return require_all_results(model.call_results(), len(uses), said)


HOST = HostTrial(
    NAME,
    registration.PROGRAM,
    "COPILOT_CLI_PATH",
    (_faults_with_gate, _faults_without_program),
    HOLDS_WITH_GATE,
    lambda _faults: install_remedy(NAME),
    "see whether it runs by itself",
)


def prove(trial: Trial) -> ProofResult:
    return prove_host(trial, HOST)


def build_environment(environ: Mapping[str, str], home: str, model: str) -> dict[str, str]:
    """Return the client's environment: none of its user's settings, no account, and no address but the model's.

    On its first start the client unpacks itself into a cache. The user's own cache is used, to not write 230 MB for every
    proof.
    """
    cache = environ.get("COPILOT_CACHE_HOME") or environ.get("XDG_CACHE_HOME") or f"{environ.get('HOME', home)}/.cache"
    return {
        "PATH": environ.get("PATH", os.defpath),
        "HOME": home,
        "COPILOT_HOME": f"{home}/.copilot",
        "XDG_CONFIG_HOME": f"{home}/.config",
        "XDG_STATE_HOME": f"{home}/.local/state",
        "XDG_CACHE_HOME": f"{home}/.cache",
        "COPILOT_CACHE_HOME": cache,
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "CI": "1",
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_PROVIDER_BASE_URL": model,
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_API_KEY": "no-key",
        "COPILOT_MODEL": MODEL,
        "NO_PROXY": "127.0.0.1,localhost",
    }
