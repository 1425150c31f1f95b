"""The proof that all hosts share: two short conversations of a host's real client, headless and with everything allowed, so
that only the gate can refuse. In the second the gate's program crashes, and then is missing.

No call would do harm if it ran: the proof looks at the disk, and at what the model was told.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from toolgate.hosts import load_settings
from toolgate.hosts.capabilities import load_capabilities
from toolgate.install import apply_plan, plan_install, plan_trust
from toolgate.model.errors import SettingsError
from toolgate.model.host import OwnFile, TextSettings

from . import ProofResult, Trial
from .client_process import ClientOutput, NoConversation, require_all_results, run_client, shorten_text
from .scripted_server import CallResult, ScriptedCall, ScriptedServer, ScriptedTurn

FORBIDDEN_NAME = "canary-that-was-let-through"
INNER_TASK = "INNER-CANARY"
TOKEN = "ghp_" + "Zq7Wm2Kx9Rt4Yp1Vb6Nc3Hd8Lf5Gs0Ja7Qu2"
"""Of the shape of a token, and none."""
HOLDS_WITH_GATE = "a denied command and a write to the settings left nothing, a harmless command ran, and the model read why"
HOLDS_WITHOUT_PROGRAM = "; with the gate's program gone, nothing ran"
IGNORES_FAILURES = "with the gate's program gone, calls run unjudged"
SILENT_GATE = "#!/bin/sh\n"
FAULTS: Mapping[str, str | None] = {"crash": "#!/bin/sh\nexit 1\n", "missing program": None}
"""What becomes of the gate's program before each call of the second conversation. None: it is taken away. It is there, and says
nothing, before and after: a client may call it for more than calls."""


@dataclass(frozen=True, slots=True)
class Scratch:
    """A home and a project with nothing but what a proof needs."""

    root: Path

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def forbidden_folder(self) -> Path:
        """A folder among the gate's own, in which no profile and no mode lets anything write."""
        return self.home / ".config" / "toolgate"

    def create_folders(self) -> "Scratch":
        self.forbidden_folder.mkdir(parents=True)
        self.project.mkdir()
        return self


@dataclass(frozen=True, slots=True)
class Launch:
    """One headless start of a client. `url`: the address of the scripted model. `servers`: MCP servers, with their commands."""

    program: str
    environ: Mapping[str, str]
    home: Path
    project: Path
    url: str
    servers: Mapping[str, Sequence[str]] = field(default_factory=dict)


Prepared = tuple[list[str], dict[str, str]]
"""The command line of a client, and its environment: none of its user's settings, no account, no address but the model's."""


def install_remedy(host: str) -> str:
    return f"run toolgate install {host}, then this again; no agent should work here until it holds"


@dataclass(frozen=True, slots=True)
class Client:
    """How the proof speaks with a host's client. `variable`: names another client than `program`. `settings`: the file that
    registers the gate. `tamper`: calls of which the last would change that file. `background` and `agent`: calls of a shell in
    the background, and of an agent with this task, where a headless client offers them. `remedy`: for faults, if it is not to
    install the gate again."""

    name: str
    program: str
    variable: str
    model: Callable[[Sequence[ScriptedTurn], Mapping[str, Sequence[ScriptedTurn]]], ScriptedServer]
    prepare: Callable[[Launch], Prepared]
    settings: Callable[[Path], Path]
    shell: Callable[[str], ScriptedCall]
    tamper: Callable[[Path], tuple[ScriptedCall, ...]]
    background: Callable[[str], ScriptedCall] | None = None
    agent: Callable[[str], ScriptedCall] | None = None
    remedy: Callable[[Sequence[str]], str] | None = None
    silent: str = "see whether it runs by itself"


@dataclass(slots=True)
class Findings:
    """`rows`: what was tried -> what came of it, in the words of the host's capabilities."""

    faults: list[str] = field(default_factory=list)
    rows: dict[str, str] = field(default_factory=dict)


def install_gate(host: str, scratch: Scratch, command: tuple[str, ...] = ()) -> None:
    """Install the gate for every session of a scratch home, with the trust that the host asks its user for."""
    home, project, backups = str(scratch.home), str(scratch.project), str(scratch.root / "backups")
    apply_plan(plan_install(host, "user", home, project, {}, command), backups)
    apply_plan(plan_trust(host, "user", home, project, {}), backups)


def prove(client: Client, trial: Trial) -> ProofResult:
    """Run both conversations, each in a home of its own. Takes some seconds, at most two minutes; leaves nothing behind."""
    named = trial.client or trial.environ.get(client.variable) or client.program
    found = shutil.which(named, path=trial.environ.get("PATH", os.defpath))
    if found is None:
        return ProofResult(False, f"there is no program {named} to prove it in", "name it: toolgate doctor --live --client PATH")
    program, seen = os.path.abspath(found), Findings()
    os.makedirs(trial.folder, mode=0o700, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="canary-", dir=trial.folder, ignore_cleanup_errors=True) as root:
        try:
            _try_gate(client, program, trial, Scratch(Path(root, "0")).create_folders(), seen)
            _try_faults(client, program, trial, Scratch(Path(root, "1")).create_folders(), seen)
        except SettingsError as problem:
            return ProofResult(False, problem.problem, f"toolgate install {client.name}")
        except NoConversation as problem:
            return ProofResult(False, f"{program} {problem}", client.silent)
    if seen.faults:
        remedy = client.remedy(seen.faults) if client.remedy else install_remedy(client.name)
        return ProofResult(False, f"in {program}, {'; '.join(seen.faults)}", remedy, seen.rows)
    held = HOLDS_WITH_GATE + (HOLDS_WITHOUT_PROGRAM if seen.rows["missing program"] == "held" else "")
    return ProofResult(True, f"in {program}, {held}", rows=seen.rows)


def _try_gate(client: Client, program: str, trial: Trial, scratch: Scratch, findings: Findings) -> None:
    """Find faults with the gate as `toolgate install` registers it."""
    trial.progress("asking for what must be denied, and for what may be")
    install_gate(client.name, scratch, trial.command)
    harmless, notes = scratch.project / "harmless", scratch.project / "notes"
    notes.write_text(f"token = {TOKEN}\n")
    forbidden = {name: scratch.forbidden_folder / f"{FORBIDDEN_NAME}-{name}" for name in ("command", "background", "agent")}
    calls = [client.shell(f"touch '{forbidden['command']}'"), client.shell(f"touch '{harmless}'"), client.shell("cat notes")]
    calls += client.tamper(client.settings(scratch.home))
    tampered_at = len(calls) - 1
    if client.background:
        calls.append(client.background(f"touch '{forbidden['background']}'"))
    if client.agent:
        calls.append(client.agent(f"{INNER_TASK}: go"))
    inner = {INNER_TASK: [ScriptedTurn((client.shell(f"touch '{forbidden['agent']}'"),))]}
    with client.model([ScriptedTurn((call,)) for call in calls], inner) as model:
        words, environ = client.prepare(Launch(program, trial.environ, scratch.home, scratch.project, model.url))
        registered = _list_registered_events(client, scratch)
        results = _hold_conversation(model, words, environ, scratch, len(calls))
        messages, asked_inside = model.all_messages, model.longest_conversation(INNER_TASK)
    _judge_command(results, forbidden["command"], harmless, findings)
    edits_hold = _list_registered_events(client, scratch) == registered
    findings.rows["settings"] = "held" if edits_hold else "open"
    if not edits_hold:
        findings.faults.append(
            "a write to the settings that register the gate went through, "
            f"and the model was told: {shorten_text(results[tampered_at].text)}"
        )
    if client.background:
        _judge_row("background shells", not forbidden["background"].exists(), "a denied command ran in the background", findings)
    if client.agent:
        held = not forbidden["agent"].exists()
        _judge_row("subagents", held, "a denied command of an agent within the agent ran", findings)
        if not asked_inside:
            findings.rows["subagents"] = "not tried"
    findings.rows["redaction"] = "held" if TOKEN not in messages else "open"
    if TOKEN in messages and load_capabilities(client.name).sections["result"]["redact"] != "none":
        findings.faults.append("the model read a token that was in the output of a command")


def _list_registered_events(client: Client, scratch: Scratch) -> frozenset[str]:
    """Returns the events that the settings register the gate for. A client may rewrite other parts of them."""
    wiring = load_settings(client.name)
    try:
        text = client.settings(scratch.home).read_text()
        return wiring.list_events(wiring.parse(text) if isinstance(wiring, OwnFile | TextSettings) else json.loads(text))
    except (OSError, ValueError):
        return frozenset()


def _judge_command(results: Sequence[CallResult], forbidden: Path, harmless: Path, findings: Findings) -> None:
    denied, allowed = results[0], results[1]
    findings.rows["commands"] = "open" if forbidden.exists() else "held"
    if forbidden.exists():
        findings.faults.append("a denied command ran")
    elif FORBIDDEN_NAME not in denied.text:
        findings.faults.append(f"the model did not read why a command was denied, but: {shorten_text(denied.text)}")
    if not harmless.exists():
        findings.faults.append(f"a harmless command did not run: {shorten_text(allowed.text)}")


def _judge_row(row: str, holds: bool, fault: str, findings: Findings) -> None:
    findings.rows[row] = "held" if holds else "open"
    if not holds:
        findings.faults.append(fault)


def _try_faults(client: Client, program: str, trial: Trial, scratch: Scratch, findings: Findings) -> None:
    """Find faults of the host while the gate's program crashes, or is missing."""
    trial.progress("asking again, with the gate's program gone")
    gate = scratch.root / "toolgate-hook"

    def change_gate(text: str | None) -> None:
        if text is None:
            gate.unlink()
            return
        gate.write_text(text)
        gate.chmod(0o755)

    change_gate(SILENT_GATE)
    install_gate(client.name, scratch, (str(gate),))
    made = {fault: scratch.project / f"unjudged-{number}" for number, fault in enumerate(FAULTS)}
    turns = [
        ScriptedTurn((client.shell(f"touch '{path}'"),), partial(change_gate, FAULTS[fault])) for fault, path in made.items()
    ]
    turns.append(ScriptedTurn((client.shell("true"),), partial(change_gate, SILENT_GATE)))
    with client.model(turns, {}) as model:
        words, environ = client.prepare(Launch(program, trial.environ, scratch.home, scratch.project, model.url))
        _hold_conversation(model, words, environ, scratch, len(turns))
    declared = load_capabilities(client.name).sections["faults"]
    for fault, path in made.items():
        findings.rows[fault] = "open" if path.exists() else "held"
        if path.exists() and declared[fault] != "open":
            findings.faults.append(
                IGNORES_FAILURES if fault == "missing program" else "where the gate crashes, calls run unjudged"
            )


def _hold_conversation(
    model: ScriptedServer, words: list[str], environ: Mapping[str, str], scratch: Scratch, count: int
) -> list[CallResult]:
    """Returns the results of the calls. Raises NoConversation if some are missing."""
    output: ClientOutput = run_client(words, scratch.project, environ)
    return require_all_results(model.call_results(), count, output)
