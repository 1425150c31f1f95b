"""The proof for Claude Code: two short conversations of the real client, headless and in bypass mode, where only the
gate can refuse.

In the first the model asks for forbidden and for harmless calls. In the second the gate's program is missing, and the client
has to refuse by itself (`onFailure`). No call would do harm if it ran: the proof only looks whether it ran.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from toolgate.hosts.claude_code import settings as registration
from toolgate.hosts.claude_code.host import NAME
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
from .scripted_model import ScriptedModel
from .scripted_server import CallResult, ScriptedCall, ScriptedTurn

MISSING_PROGRAM = "/nonexistent/toolgate-hook"
GUARDED_EVENT = "PreToolUse"
BYPASS_OPTION = "--dangerously-skip-permissions"
OLDEST_VERSION = ".".join(map(str, registration.OLDEST))
HOLDS_WITH_GATE = "a denied command and a write to the settings left nothing, a harmless command ran, and the model read why;"
HOLDS_WITHOUT_PROGRAM = "with the gate's program gone, nothing ran"
IGNORES_FAILURES = "with the gate's program gone, calls run unjudged"


# ---- the two conversations


def settings_path(scratch: Scratch) -> Path:
    return scratch.home / ".claude" / "settings.json"


def _faults_with_gate(program: str, trial: Trial, scratch: Scratch) -> Iterator[str]:
    """Yield the faults with the gate as `toolgate install` registers it."""
    trial.progress("asking for what must be denied, and for what may be")
    plan = plan_install(NAME, "user", str(scratch.home), str(scratch.project), {}, trial.command)
    apply_plan(plan, str(scratch.root / "backups"))
    installed, harmless = settings_path(scratch).read_bytes(), scratch.project / "harmless"
    denied, allowed, _, tampered = _run_conversation(
        program,
        trial.environ,
        scratch,
        ScriptedCall("Bash", {"command": f"touch '{scratch.forbidden_file}'"}),
        ScriptedCall("Bash", {"command": f"touch '{harmless}'"}),
        ScriptedCall(
            "Read", {"file_path": str(settings_path(scratch))}
        ),  # the client refuses to write a file that it has not read
        ScriptedCall("Write", {"file_path": str(settings_path(scratch)), "content": "{}"}),
    )
    if scratch.forbidden_file.exists():
        yield "a denied command ran"
    elif not denied.refused or FORBIDDEN_NAME not in denied.text:
        yield f"the model did not read why a command was denied, but: {shorten_text(denied.text)}"
    if settings_path(scratch).read_bytes() != installed:
        yield "a write to the settings that register the gate went through"
    elif not tampered.refused:
        yield f"the model was told that it had written the settings: {shorten_text(tampered.text)}"
    if not harmless.exists():
        yield f"a harmless command did not run: {shorten_text(allowed.text)}"


def _faults_without_program(program: str, trial: Trial, scratch: Scratch) -> Iterator[str]:
    """Yield the faults if the gate cannot be started. Only calls are tried: other events would stop the prompt."""
    trial.progress("asking again, with the gate's program gone")
    groups = [group for (_, event), group in registration.build_additions((MISSING_PROGRAM,)) if event == GUARDED_EVENT]
    settings_path(scratch).parent.mkdir()
    settings_path(scratch).write_text(json.dumps({"hooks": {GUARDED_EVENT: groups}}))
    made = scratch.project / "unjudged"
    _run_conversation(program, trial.environ, scratch, ScriptedCall("Bash", {"command": f"touch '{made}'"}))
    if made.exists():
        yield IGNORES_FAILURES


def _run_conversation(program: str, environ: Mapping[str, str], scratch: Scratch, *uses: ScriptedCall) -> list[CallResult]:
    """Return the results of the calls. Raises NoConversation if some are missing."""
    (scratch.home / ".claude.json").write_text(json.dumps(onboarding_settings(str(scratch.project))))
    with ScriptedModel([ScriptedTurn((use,)) for use in uses], {}) as model:
        words = [program, "-p", "go", BYPASS_OPTION]
        said = run_client(words, scratch.project, build_environment(environ, str(scratch.home), model.url))
        return require_all_results(model.call_results(), len(uses), said)


def _remedy_for(faults: Sequence[str]) -> str:
    return f"update Claude Code to {OLDEST_VERSION} or later" if list(faults) == [IGNORES_FAILURES] else install_remedy(NAME)


HOST = HostTrial(
    NAME,
    registration.PROGRAM,
    "CLAUDE_BIN",
    (_faults_with_gate, _faults_without_program),
    f"{HOLDS_WITH_GATE} {HOLDS_WITHOUT_PROGRAM}",
    _remedy_for,
    "see whether it runs by itself; `claude doctor` may say more",
)


def prove(trial: Trial) -> ProofResult:
    return prove_host(trial, HOST)


# ---- the client's surroundings


def build_environment(environ: Mapping[str, str], home: str, model: str) -> dict[str, str]:
    """Return the client's environment: none of its user's settings, no account, and no address but the model's."""
    return {
        "PATH": environ.get("PATH", os.defpath),
        "HOME": home,
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "IS_SANDBOX": "1",  # required for root to skip permissions
        "ANTHROPIC_BASE_URL": model,
        "ANTHROPIC_API_KEY": "no-key",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_TELEMETRY": "1",
    }


def onboarding_settings(project: str) -> dict[str, object]:
    """Return a `.claude.json` in which the first questions have been answered."""
    return {"hasCompletedOnboarding": True, "projects": {project: {"hasTrustDialogAccepted": True}}}
