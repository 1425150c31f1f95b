"""The proof for Claude Code: two short conversations of the real client, headless and in bypass mode, where nothing but the
gate stands in the way.

In the first the model asks for what must not be and for what may be. In the second the gate's program is gone, and the client
has to refuse by itself (`onFailure`). Nothing that is asked for would hurt if it ran: that it ran is what is looked for.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from toolgate.hosts.claude_code import NAME
from toolgate.hosts.claude_code import settings as registration
from toolgate.install import apply, plan_install
from toolgate.model.errors import SettingsError

from . import Proof, Trial
from .client import NoConversation, converse, every, short
from .scripted_model import Result, ScriptedModel, Turn, Use

FORBIDDEN = "canary-that-was-let-through"
GONE = "/nonexistent/toolgate-hook"
GUARDED = "PreToolUse"
BYPASS = "--dangerously-skip-permissions"
OLDEST = ".".join(map(str, registration.OLDEST))
HOLDS = "a denied command and a write to the settings left nothing, a harmless command ran, and the model read why;"
HOLDS_TOO = "with the gate's program gone, nothing ran"
IGNORES_FAILURES = "with the gate's program gone, calls run unjudged"


@dataclass(frozen=True, slots=True)
class Scratch:
    """A home and a project that hold nothing but what the proof needs."""

    root: Path

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def settings(self) -> Path:
        return self.home / ".claude" / "settings.json"

    @property
    def forbidden(self) -> Path:
        """Among the gate's own files, where no profile and no mode lets anything be written."""
        return self.home / ".config" / "toolgate" / FORBIDDEN

    def ready(self) -> "Scratch":
        self.forbidden.parent.mkdir(parents=True)
        self.project.mkdir()
        (self.home / ".claude.json").write_text(json.dumps(introduction(str(self.project))))
        return self


def prove(trial: Trial) -> Proof:
    """Runs the client twice. Takes some seconds, at most two minutes; leaves nothing behind."""
    client = trial.client or trial.environ.get("CLAUDE_BIN") or registration.PROGRAM
    found = shutil.which(client, path=trial.environ.get("PATH", os.defpath))
    if found is None:
        return Proof(False, f"there is no program {client} to prove it in", "name it: toolgate doctor --live --client PATH")
    program = os.path.abspath(found)
    os.makedirs(trial.folder, mode=0o700, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="canary-", dir=trial.folder, ignore_cleanup_errors=True) as root:
        try:
            faults = [*_with_the_gate(program, trial, Scratch(Path(root, "whole")).ready())]
            faults += _without_its_program(program, trial, Scratch(Path(root, "gone")).ready())
        except SettingsError as problem:
            return Proof(False, problem.problem, f"toolgate install {NAME}")
        except NoConversation as problem:
            return Proof(False, f"{program} {problem}", "see whether it runs by itself; `claude doctor` may say more")
    if faults:
        return Proof(False, f"in {program}, {'; '.join(faults)}", _remedy(faults))
    return Proof(True, f"in {program}, {HOLDS} {HOLDS_TOO}")


def _remedy(faults: Sequence[str]) -> str:
    if faults == [IGNORES_FAILURES]:
        return f"update Claude Code to {OLDEST} or later"
    return f"run toolgate install {NAME}, then this again; no agent should work here until it holds"


# ---- the two conversations


def _with_the_gate(program: str, trial: Trial, scratch: Scratch) -> Iterator[str]:
    """What is wrong where the gate is as `toolgate install` puts it."""
    trial.progress("asking for what must be denied, and for what may be")
    plan = plan_install(NAME, "user", str(scratch.home), str(scratch.project), {}, trial.command)
    apply(plan, str(scratch.root / "backups"))
    installed, harmless = scratch.settings.read_bytes(), scratch.project / "harmless"
    denied, allowed, _, tampered = _talk(
        program,
        trial.environ,
        scratch,
        Use("Bash", {"command": f"touch '{scratch.forbidden}'"}),
        Use("Bash", {"command": f"touch '{harmless}'"}),
        Use("Read", {"file_path": str(scratch.settings)}),  # the client writes to no file that it has not read
        Use("Write", {"file_path": str(scratch.settings), "content": "{}"}),
    )
    if scratch.forbidden.exists():
        yield "a denied command ran"
    elif not denied.refused or FORBIDDEN not in denied.text:
        yield f"the model did not read why a command was denied, but: {short(denied.text)}"
    if scratch.settings.read_bytes() != installed:
        yield "a write to the settings that register the gate went through"
    elif not tampered.refused:
        yield f"the model was told that it had written the settings: {short(tampered.text)}"
    if not harmless.exists():
        yield f"a harmless command did not run: {short(allowed.text)}"


def _without_its_program(program: str, trial: Trial, scratch: Scratch) -> Iterator[str]:
    """What is wrong where the gate cannot even be started. Only for calls: of the other events, one would stop the prompt."""
    trial.progress("asking again, with the gate's program gone")
    groups = [group for (_, event), group in registration.additions((GONE,)) if event == GUARDED]
    scratch.settings.parent.mkdir()
    scratch.settings.write_text(json.dumps({"hooks": {GUARDED: groups}}))
    made = scratch.project / "unjudged"
    _talk(program, trial.environ, scratch, Use("Bash", {"command": f"touch '{made}'"}))
    if made.exists():
        yield IGNORES_FAILURES


def _talk(program: str, environ: Mapping[str, str], scratch: Scratch, *uses: Use) -> list[Result]:
    """What came back for each of the calls. Raises NoConversation where that is not all of them."""
    with ScriptedModel([Turn((use,)) for use in uses], {}) as model:
        words = [program, "-p", "go", BYPASS]
        said = converse(words, scratch.project, surroundings(environ, str(scratch.home), model.url))
        return every(model.results(), len(uses), said)


# ---- the client's surroundings


def surroundings(environ: Mapping[str, str], home: str, model: str) -> dict[str, str]:
    """All that the client gets to know: nothing of its user's settings, no account, and no address but the model's."""
    return {
        "PATH": environ.get("PATH", os.defpath),
        "HOME": home,
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "IS_SANDBOX": "1",  # root may skip permissions only where that is said
        "ANTHROPIC_BASE_URL": model,
        "ANTHROPIC_API_KEY": "no-key",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_TELEMETRY": "1",
    }


def introduction(project: str) -> dict[str, object]:
    """What `.claude.json` says in a home where the first questions have been answered."""
    return {"hasCompletedOnboarding": True, "projects": {project: {"hasTrustDialogAccepted": True}}}
