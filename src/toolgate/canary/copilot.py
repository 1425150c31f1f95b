"""The proof for Copilot: two short conversations of the real client, headless and with everything allowed, where nothing but the
gate stands in the way. In the second the gate's program is gone, and the client has to refuse by itself.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from toolgate.hosts.copilot import NAME
from toolgate.hosts.copilot import settings as registration
from toolgate.install import apply, plan_install
from toolgate.model.errors import SettingsError

from . import Proof, Trial
from .client import NoConversation, converse, every, short
from .scripted_chat import MODEL, ScriptedChat
from .scripted_model import Result, Turn, Use

FORBIDDEN = "canary-that-was-let-through"
GONE = ("/nonexistent/toolgate-hook",)
EVERYTHING = "--allow-all-tools"
HOLDS = (
    "a denied command and a change of the file of hooks left nothing, a harmless command ran, and the model read why; with the "
    "gate's program gone, nothing ran"
)


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
    def hooks(self) -> Path:
        return self.home / ".copilot" / "hooks" / "toolgate.json"

    @property
    def forbidden(self) -> Path:
        """Among the gate's own files, where no profile and no mode lets anything be written."""
        return self.home / ".config" / "toolgate" / FORBIDDEN

    def ready(self) -> "Scratch":
        self.forbidden.parent.mkdir(parents=True)
        self.project.mkdir()
        return self


def prove(trial: Trial) -> Proof:
    """Runs the client twice. Takes some seconds, at most two minutes; leaves nothing behind."""
    client = trial.client or trial.environ.get("COPILOT_CLI_PATH") or registration.PROGRAM
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
            return Proof(False, f"{program} {problem}", "see whether it runs by itself")
    if faults:
        remedy = f"run toolgate install {NAME}, then this again; no agent should work here until it holds"
        return Proof(False, f"in {program}, {'; '.join(faults)}", remedy)
    return Proof(True, f"in {program}, {HOLDS}")


def _with_the_gate(program: str, trial: Trial, scratch: Scratch) -> Iterator[str]:
    """What is wrong where the gate is as `toolgate install` puts it."""
    trial.progress("asking for what must be denied, and for what may be")
    plan = plan_install(NAME, "user", str(scratch.home), str(scratch.project), {}, trial.command)
    apply(plan, str(scratch.root / "backups"))
    installed, harmless = scratch.hooks.read_bytes(), scratch.project / "harmless"
    denied, allowed, tampered = _talk(
        program,
        trial.environ,
        scratch,
        Use("bash", {"command": f"touch '{scratch.forbidden}'", "description": "d"}),
        Use("bash", {"command": f"touch '{harmless}'", "description": "d"}),
        Use("edit", {"path": str(scratch.hooks), "old_str": '"version": 1', "new_str": '"version": 2'}),
    )
    if scratch.forbidden.exists():
        yield "a denied command ran"
    elif not denied.refused or FORBIDDEN not in denied.text:
        yield f"the model did not read why a command was denied, but: {short(denied.text)}"
    if scratch.hooks.read_bytes() != installed:
        yield "a change of the file that registers the gate went through"
    elif not tampered.refused:
        yield f"the model was told that it had changed the file of hooks: {short(tampered.text)}"
    if not harmless.exists():
        yield f"a harmless command did not run: {short(allowed.text)}"


def _without_its_program(program: str, trial: Trial, scratch: Scratch) -> Iterator[str]:
    """What is wrong where the gate cannot even be started."""
    trial.progress("asking again, with the gate's program gone")
    scratch.hooks.parent.mkdir(parents=True)
    scratch.hooks.write_text(json.dumps(registration.register({}, GONE)))
    made = scratch.project / "unjudged"
    _talk(program, trial.environ, scratch, Use("bash", {"command": f"touch '{made}'", "description": "d"}))
    if made.exists():
        yield "with the gate's program gone, calls run unjudged"


def _talk(program: str, environ: Mapping[str, str], scratch: Scratch, *uses: Use) -> list[Result]:
    """What came back for each of the calls. Raises NoConversation where that is not all of them."""
    with ScriptedChat([Turn((use,)) for use in uses]) as model:
        words = [program, "-p", "go", EVERYTHING]
        said = converse(words, scratch.project, surroundings(environ, str(scratch.home), model.url))
        return every(model.results(), len(uses), said)


def surroundings(environ: Mapping[str, str], home: str, model: str) -> dict[str, str]:
    """All that the client gets to know: nothing of its user's settings, no account, and no address but the model's.

    It unpacks itself into a cache on its first start, which is its user's own: 230 MB are not made for every proof.
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
