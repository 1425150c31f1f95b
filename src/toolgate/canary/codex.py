"""The proof for Codex: a short conversation of the real client, headless and with everything allowed, where only the gate
can refuse. The hooks are trusted as `toolgate install` records it; the client would skip them otherwise.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from toolgate.hosts.codex import settings as registration
from toolgate.hosts.codex.host import NAME
from toolgate.install import apply, plan_install, plan_trust

from . import Proof, Trial
from .client import FORBIDDEN, Host, Scratch, converse, every, install_again, proved, short
from .script import Result, Turn, Use
from .scripted_responses import MODEL, ScriptedResponses

EVERYTHING = ("--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
HOLDS = "a denied command and a patch of the hooks left nothing, a harmless command ran, and the model read why"


def hooks_in(scratch: Scratch) -> Path:
    return scratch.home / ".codex" / "hooks.json"


def install_trusted(home: Path, project: Path, backups: Path, command: tuple[str, ...] = ()) -> None:
    """Install the gate for every session of a home, and record that the person trusts it."""
    apply(plan_install(NAME, "user", str(home), str(project), {}, command), str(backups))
    apply(plan_trust(NAME, "user", str(home), str(project), {}), str(backups))


def _with_the_gate(program: str, trial: Trial, scratch: Scratch) -> Iterator[str]:
    """Yield the faults with the gate as `toolgate install` registers it."""
    trial.progress("asking for what must be denied, and for what may be")
    install_trusted(scratch.home, scratch.project, scratch.root / "backups", trial.command)
    installed, harmless = hooks_in(scratch).read_bytes(), scratch.project / "harmless"
    denied, allowed, tampered = _talk(
        program,
        trial.environ,
        scratch,
        Use("exec_command", {"cmd": f"touch '{scratch.forbidden}'"}),
        Use("exec_command", {"cmd": f"touch '{harmless}'"}),
        Use("apply_patch", {"text": f"*** Begin Patch\n*** Delete File: {hooks_in(scratch)}\n*** End Patch\n"}),
    )
    if scratch.forbidden.exists():
        yield "a denied command ran"
    elif not denied.refused or FORBIDDEN not in denied.text:
        yield f"the model did not read why a command was denied, but: {short(denied.text)}"
    if not hooks_in(scratch).exists() or hooks_in(scratch).read_bytes() != installed:
        yield f"a patch of the hooks went through: {short(tampered.text)}"
    if not harmless.exists():
        yield f"a harmless command did not run: {short(allowed.text)}"


def _talk(program: str, environ: Mapping[str, str], scratch: Scratch, *uses: Use) -> list[Result]:
    """Return the results of the calls. Raises NoConversation if some are missing."""
    with ScriptedResponses([Turn((use,)) for use in uses]) as model:
        words = command_line(program, model.url)
        said = converse(words, scratch.project, surroundings(environ, str(scratch.home)))
        return every(model.results(), len(uses), said)


HOST = Host(
    NAME,
    registration.PROGRAM,
    "CODEX_BIN",
    (_with_the_gate,),
    HOLDS,
    lambda _faults: install_again(NAME),
    "see whether it runs by itself",
)


def prove(trial: Trial) -> Proof:
    return proved(trial, HOST)


def command_line(program: str, model: str, name: str = MODEL, settings: Sequence[str] = ()) -> list[str]:
    """Return a headless call of the client, with the scripted model as its only provider."""
    provider = f'{{name="scripted",base_url={json.dumps(model)},wire_api="responses",request_max_retries=0,stream_max_retries=0}}'
    given = (f'model="{name}"', 'model_provider="scripted"', f"model_providers.scripted={provider}", "analytics.enabled=false")
    return [program, "exec", *EVERYTHING, *(word for each in (*given, *settings) for word in ("-c", each)), "go"]


def surroundings(environ: Mapping[str, str], home: str) -> dict[str, str]:
    """Return the client's environment: none of its user's settings, no account, and no address but the model's."""
    return {
        "PATH": environ.get("PATH", os.defpath),
        "HOME": home,
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "NO_PROXY": "127.0.0.1,localhost",
    }
