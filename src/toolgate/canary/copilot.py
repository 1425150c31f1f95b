"""The proof for Copilot: two short conversations of the real client, headless and with everything allowed, where only the
gate can refuse. In the second the gate's program is missing, and the client has to refuse by itself.
"""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from toolgate.hosts.copilot import settings as registration
from toolgate.hosts.copilot.host import NAME
from toolgate.install import apply, plan_install

from . import Proof, Trial
from .client import FORBIDDEN, Host, Scratch, converse, every, install_again, proved, short
from .script import Result, Turn, Use
from .scripted_chat import MODEL, ScriptedChat

GONE = ("/nonexistent/toolgate-hook",)
EVERYTHING = "--allow-all-tools"
HOLDS = (
    "a denied command and a change of the file of hooks left nothing, a harmless command ran, and the model read why; with the "
    "gate's program gone, nothing ran"
)


def hooks_in(scratch: Scratch) -> Path:
    return scratch.home / ".copilot" / "hooks" / "toolgate.json"


def _with_the_gate(program: str, trial: Trial, scratch: Scratch) -> Iterator[str]:
    """Yield the faults with the gate as `toolgate install` registers it."""
    trial.progress("asking for what must be denied, and for what may be")
    plan = plan_install(NAME, "user", str(scratch.home), str(scratch.project), {}, trial.command)
    apply(plan, str(scratch.root / "backups"))
    installed, harmless = hooks_in(scratch).read_bytes(), scratch.project / "harmless"
    denied, allowed, tampered = _talk(
        program,
        trial.environ,
        scratch,
        Use("bash", {"command": f"touch '{scratch.forbidden}'", "description": "d"}),
        Use("bash", {"command": f"touch '{harmless}'", "description": "d"}),
        Use("edit", {"path": str(hooks_in(scratch)), "old_str": '"version": 1', "new_str": '"version": 2'}),
    )
    if scratch.forbidden.exists():
        yield "a denied command ran"
    elif not denied.refused or FORBIDDEN not in denied.text:
        yield f"the model did not read why a command was denied, but: {short(denied.text)}"
    if hooks_in(scratch).read_bytes() != installed:
        yield "a change of the file that registers the gate went through"
    elif not tampered.refused:
        yield f"the model was told that it had changed the file of hooks: {short(tampered.text)}"
    if not harmless.exists():
        yield f"a harmless command did not run: {short(allowed.text)}"


def _without_its_program(program: str, trial: Trial, scratch: Scratch) -> Iterator[str]:
    """Yield the faults if the gate cannot be started."""
    trial.progress("asking again, with the gate's program gone")
    hooks_in(scratch).parent.mkdir(parents=True)
    hooks_in(scratch).write_text(json.dumps(registration.register({}, GONE)))
    made = scratch.project / "unjudged"
    _talk(program, trial.environ, scratch, Use("bash", {"command": f"touch '{made}'", "description": "d"}))
    if made.exists():
        yield "with the gate's program gone, calls run unjudged"


def _talk(program: str, environ: Mapping[str, str], scratch: Scratch, *uses: Use) -> list[Result]:
    """Return the results of the calls. Raises NoConversation if some are missing."""
    with ScriptedChat([Turn((use,)) for use in uses]) as model:
        words = [program, "-p", "go", EVERYTHING]
        said = converse(words, scratch.project, surroundings(environ, str(scratch.home), model.url))
        return every(model.results(), len(uses), said)


HOST = Host(
    NAME,
    registration.PROGRAM,
    "COPILOT_CLI_PATH",
    (_with_the_gate, _without_its_program),
    HOLDS,
    lambda _faults: install_again(NAME),
    "see whether it runs by itself",
)


def prove(trial: Trial) -> Proof:
    return proved(trial, HOST)


def surroundings(environ: Mapping[str, str], home: str, model: str) -> dict[str, str]:
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
