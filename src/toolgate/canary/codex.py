"""The proof for Codex: a short conversation of the real client, headless and with everything allowed, where only the gate
can refuse. The hooks are trusted as `toolgate install` records it; the client would skip them otherwise.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from toolgate.hosts.codex import settings as registration
from toolgate.hosts.codex.host import NAME
from toolgate.install import apply_plan, plan_install, plan_trust

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
from .scripted_responses import MODEL, ScriptedResponses
from .scripted_server import CallResult, ScriptedCall, ScriptedTurn

BYPASS_OPTIONS = ("--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
HOLDS_WITH_GATE = "a denied command and a patch of the hooks left nothing, a harmless command ran, and the model read why"


def hooks_path(scratch: Scratch) -> Path:
    return scratch.home / ".codex" / "hooks.json"


def install_with_trust(home: Path, project: Path, backups: Path, command: tuple[str, ...] = ()) -> None:
    """Install the gate for every session of a home, and record that the person trusts it."""
    apply_plan(plan_install(NAME, "user", str(home), str(project), {}, command), str(backups))
    apply_plan(plan_trust(NAME, "user", str(home), str(project), {}), str(backups))


def _faults_with_gate(program: str, trial: Trial, scratch: Scratch) -> Iterator[str]:
    """Yield the faults with the gate as `toolgate install` registers it."""
    trial.progress("asking for what must be denied, and for what may be")
    install_with_trust(scratch.home, scratch.project, scratch.root / "backups", trial.command)
    installed, harmless = hooks_path(scratch).read_bytes(), scratch.project / "harmless"
    denied, allowed, tampered = _run_conversation(
        program,
        trial.environ,
        scratch,
        ScriptedCall("exec_command", {"cmd": f"touch '{scratch.forbidden_file}'"}),
        ScriptedCall("exec_command", {"cmd": f"touch '{harmless}'"}),
        ScriptedCall("apply_patch", {"text": f"*** Begin Patch\n*** Delete File: {hooks_path(scratch)}\n*** End Patch\n"}),
    )
    if scratch.forbidden_file.exists():
        yield "a denied command ran"
    elif not denied.refused or FORBIDDEN_NAME not in denied.text:
        yield f"the model did not read why a command was denied, but: {shorten_text(denied.text)}"
    if not hooks_path(scratch).exists() or hooks_path(scratch).read_bytes() != installed:
        yield f"a patch of the hooks went through: {shorten_text(tampered.text)}"
    if not harmless.exists():
        yield f"a harmless command did not run: {shorten_text(allowed.text)}"


def _run_conversation(program: str, environ: Mapping[str, str], scratch: Scratch, *uses: ScriptedCall) -> list[CallResult]:
    """Return the results of the calls. Raises NoConversation if some are missing."""
    with ScriptedResponses([ScriptedTurn((use,)) for use in uses]) as model:
        words = build_command_line(program, model.url)
        said = run_client(words, scratch.project, build_environment(environ, str(scratch.home)))
        return require_all_results(model.call_results(), len(uses), said)


HOST = HostTrial(
    NAME,
    registration.PROGRAM,
    "CODEX_BIN",
    (_faults_with_gate,),
    HOLDS_WITH_GATE,
    lambda _faults: install_remedy(NAME),
    "see whether it runs by itself",
)


def prove(trial: Trial) -> ProofResult:
    return prove_host(trial, HOST)


def build_command_line(program: str, model: str, name: str = MODEL, settings: Sequence[str] = ()) -> list[str]:
    """Return a headless call of the client, with the scripted model as its only provider."""
    provider = f'{{name="scripted",base_url={json.dumps(model)},wire_api="responses",request_max_retries=0,stream_max_retries=0}}'
    given = (f'model="{name}"', 'model_provider="scripted"', f"model_providers.scripted={provider}", "analytics.enabled=false")
    return [program, "exec", *BYPASS_OPTIONS, *(word for each in (*given, *settings) for word in ("-c", each)), "go"]


def build_environment(environ: Mapping[str, str], home: str) -> dict[str, str]:
    """Return the client's environment: none of its user's settings, no account, and no address but the model's."""
    return {
        "PATH": environ.get("PATH", os.defpath),
        "HOME": home,
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "NO_PROXY": "127.0.0.1,localhost",
    }
