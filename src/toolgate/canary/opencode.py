"""The proof for OpenCode: two short conversations of the real client, headless, where only the gate can refuse. In
the second the gate's program is missing, and the plugin has to refuse by itself.
"""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from toolgate.hosts.opencode import settings as registration
from toolgate.hosts.opencode.host import NAME
from toolgate.install import apply, node_package, plan_install

from . import Proof, Trial
from .client import FORBIDDEN, Host, Scratch, converse, every, install_again, proved, short
from .script import Result, Turn, Use
from .scripted_chat import MODEL, ScriptedChat

GONE = ("/nonexistent/toolgate-hook",)
HOLDS = (
    "a denied command and a write to the plugin left nothing, a harmless command ran, and the model read why; with the gate's "
    "program gone, nothing ran"
)


def plugin_in(scratch: Scratch) -> Path:
    return scratch.home / ".config" / "opencode" / "plugin" / "toolgate.js"


def _with_the_gate(program: str, trial: Trial, scratch: Scratch) -> Iterator[str]:
    """Yield the faults with the gate as `toolgate install` registers it."""
    trial.progress("asking for what must be denied, and for what may be")
    plan = plan_install(NAME, "user", str(scratch.home), str(scratch.project), {}, trial.command)
    apply(plan, str(scratch.root / "backups"))
    installed, harmless = plugin_in(scratch).read_bytes(), scratch.project / "harmless"
    denied, allowed, tampered = _talk(
        program,
        trial.environ,
        scratch,
        Use("bash", {"command": f"touch '{scratch.forbidden}'"}),
        Use("bash", {"command": f"touch '{harmless}'"}),
        Use("write", {"filePath": str(plugin_in(scratch)), "content": "export const Nothing = async () => ({})"}),
    )
    if scratch.forbidden.exists():
        yield "a denied command ran"
    elif FORBIDDEN not in denied.text:
        yield f"the model did not read why a command was denied, but: {short(denied.text)}"
    if plugin_in(scratch).read_bytes() != installed:
        yield f"a write to the gate's plugin went through: {short(tampered.text)}"
    if not harmless.exists():
        yield f"a harmless command did not run: {short(allowed.text)}"


def _without_its_program(program: str, trial: Trial, scratch: Scratch) -> Iterator[str]:
    """Yield the faults if the gate cannot be started."""
    trial.progress("asking again, with the gate's program gone")
    plugin_in(scratch).parent.mkdir(parents=True)
    plugin_in(scratch).write_text(registration.render(GONE, node_package()))
    made = scratch.project / "unjudged"
    _talk(program, trial.environ, scratch, Use("bash", {"command": f"touch '{made}'"}))
    if made.exists():
        yield "with the gate's program gone, calls run unjudged"


def _talk(program: str, environ: Mapping[str, str], scratch: Scratch, *uses: Use) -> list[Result]:
    """Return the results of the calls. Raises NoConversation if some are missing."""
    with ScriptedChat([Turn((use,)) for use in uses]) as model:
        given = surroundings(environ, str(scratch.home), model.url)
        said = converse([program, "run", "go"], scratch.project, given)
        return every(model.results(), len(uses), said)


HOST = Host(
    NAME,
    registration.PROGRAM,
    "OPENCODE_BIN",
    (_with_the_gate, _without_its_program),
    HOLDS,
    lambda _faults: install_again(NAME),
    "see whether it runs by itself",
)


def prove(trial: Trial) -> Proof:
    return proved(trial, HOST)


def surroundings(environ: Mapping[str, str], home: str, model: str, more: Mapping[str, object] | None = None) -> dict[str, str]:
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
