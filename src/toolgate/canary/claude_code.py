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
from toolgate.install import apply, plan_install

from . import Proof, Trial
from .client import FORBIDDEN, Host, Scratch, converse, every, install_again, proved, short
from .script import Result, Turn, Use
from .scripted_model import ScriptedModel

GONE = "/nonexistent/toolgate-hook"
GUARDED = "PreToolUse"
BYPASS = "--dangerously-skip-permissions"
OLDEST = ".".join(map(str, registration.OLDEST))
HOLDS = "a denied command and a write to the settings left nothing, a harmless command ran, and the model read why;"
HOLDS_TOO = "with the gate's program gone, nothing ran"
IGNORES_FAILURES = "with the gate's program gone, calls run unjudged"


# ---- the two conversations


def settings_in(scratch: Scratch) -> Path:
    return scratch.home / ".claude" / "settings.json"


def _with_the_gate(program: str, trial: Trial, scratch: Scratch) -> Iterator[str]:
    """Yield the faults with the gate as `toolgate install` registers it."""
    trial.progress("asking for what must be denied, and for what may be")
    plan = plan_install(NAME, "user", str(scratch.home), str(scratch.project), {}, trial.command)
    apply(plan, str(scratch.root / "backups"))
    installed, harmless = settings_in(scratch).read_bytes(), scratch.project / "harmless"
    denied, allowed, _, tampered = _talk(
        program,
        trial.environ,
        scratch,
        Use("Bash", {"command": f"touch '{scratch.forbidden}'"}),
        Use("Bash", {"command": f"touch '{harmless}'"}),
        Use("Read", {"file_path": str(settings_in(scratch))}),  # the client refuses to write a file that it has not read
        Use("Write", {"file_path": str(settings_in(scratch)), "content": "{}"}),
    )
    if scratch.forbidden.exists():
        yield "a denied command ran"
    elif not denied.refused or FORBIDDEN not in denied.text:
        yield f"the model did not read why a command was denied, but: {short(denied.text)}"
    if settings_in(scratch).read_bytes() != installed:
        yield "a write to the settings that register the gate went through"
    elif not tampered.refused:
        yield f"the model was told that it had written the settings: {short(tampered.text)}"
    if not harmless.exists():
        yield f"a harmless command did not run: {short(allowed.text)}"


def _without_its_program(program: str, trial: Trial, scratch: Scratch) -> Iterator[str]:
    """Yield the faults if the gate cannot be started. Only calls are tried: other events would stop the prompt."""
    trial.progress("asking again, with the gate's program gone")
    groups = [group for (_, event), group in registration.additions((GONE,)) if event == GUARDED]
    settings_in(scratch).parent.mkdir()
    settings_in(scratch).write_text(json.dumps({"hooks": {GUARDED: groups}}))
    made = scratch.project / "unjudged"
    _talk(program, trial.environ, scratch, Use("Bash", {"command": f"touch '{made}'"}))
    if made.exists():
        yield IGNORES_FAILURES


def _talk(program: str, environ: Mapping[str, str], scratch: Scratch, *uses: Use) -> list[Result]:
    """Return the results of the calls. Raises NoConversation if some are missing."""
    (scratch.home / ".claude.json").write_text(json.dumps(introduction(str(scratch.project))))
    with ScriptedModel([Turn((use,)) for use in uses], {}) as model:
        words = [program, "-p", "go", BYPASS]
        said = converse(words, scratch.project, surroundings(environ, str(scratch.home), model.url))
        return every(model.results(), len(uses), said)


def _remedy(faults: Sequence[str]) -> str:
    return f"update Claude Code to {OLDEST} or later" if list(faults) == [IGNORES_FAILURES] else install_again(NAME)


HOST = Host(
    NAME,
    registration.PROGRAM,
    "CLAUDE_BIN",
    (_with_the_gate, _without_its_program),
    f"{HOLDS} {HOLDS_TOO}",
    _remedy,
    "see whether it runs by itself; `claude doctor` may say more",
)


def prove(trial: Trial) -> Proof:
    return proved(trial, HOST)


# ---- the client's surroundings


def surroundings(environ: Mapping[str, str], home: str, model: str) -> dict[str, str]:
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


def introduction(project: str) -> dict[str, object]:
    """Return a `.claude.json` in which the first questions have been answered."""
    return {"hasCompletedOnboarding": True, "projects": {project: {"hasTrustDialogAccepted": True}}}
