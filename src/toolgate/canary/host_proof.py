"""The proof that all hosts share: two short conversations of a host's real client, headless and with everything allowed, so
that only the gate can refuse. In the second the gate's program crashes, hangs, and then is missing.

No call would do harm if it ran: the proof looks at the disk, and at what the model was told.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from toolgate.hosts import load_settings
from toolgate.hosts.capabilities import load_capabilities
from toolgate.install import apply_plan, plan_install, plan_trust
from toolgate.model.errors import SettingsError
from toolgate.model.host import OwnFile, TextSettings

from . import ProofResult, Trial
from .client import STUB_SERVER, Client, Launch, Scratch, install_remedy
from .client_process import ClientOutput, NoConversation, require_all_results, run_client, shorten_text
from .scripted_server import CallResult, ScriptedCall, ScriptedServer, ScriptedTurn

FORBIDDEN_NAME = "canary-that-was-let-through"
INNER_TASK = "INNER-CANARY"
NOTES_MARK = "token = "
LINGER = "sleep 0.5"
"""Ends a command whose output must be seen: a client that reads a terminal may lose what is printed just before the end."""
TOKEN = "ghp_" + "Zq7Wm2Kx9Rt4Yp1Vb6Nc3Hd8Lf5Gs0Ja7Qu2"
"""Of the shape of a token, and none."""
HOLDS_WITH_GATE = "a denied command and a write to the settings left nothing, a harmless command ran, and the model read why"
HOLDS_WITHOUT_PROGRAM = "; with the gate's program gone, nothing ran"
IGNORES_FAILURES = "with the gate's program gone, calls run unjudged"
SILENT_GATE = "#!/bin/sh\n"
FAULTS: Mapping[str, str | None] = {
    "crash": "#!/bin/sh\nexit 1\n",
    "hang": "#!/bin/sh\nexec sleep 60\n",
    "missing program": None,
}
"""What becomes of the gate's program before each call of the second conversation. None: it is taken away. It is there, and says
nothing, before and after: a client may call it for more than calls."""
FAULT_STATEMENTS: Mapping[str, str] = {
    "crash": "where the gate crashes, calls run unjudged",
    "hang": "where the gate hangs, calls run unjudged",
    "missing program": IGNORES_FAILURES,
}


@dataclass(frozen=True, slots=True)
class Attempt:
    """A call that must not create `trace`. `row`: what it proves, in the words of the host's capabilities; `fault`: what is to be
    said if it runs."""

    row: str
    call: ScriptedCall
    trace: Path
    fault: str


@dataclass(slots=True)
class Findings:
    """`rows`: what was tried -> what came of it, in the words of the host's capabilities."""

    faults: list[str] = field(default_factory=list)
    rows: dict[str, str] = field(default_factory=dict)


def install_gate(host: str, scratch: Scratch, command: tuple[str, ...] = ()) -> None:
    """Installs the gate for every session of a scratch home, with the trust that the host asks its user for."""
    home, project, backups = str(scratch.home), str(scratch.project), str(scratch.root / "backups")
    apply_plan(plan_install(host, "user", home, project, {}, command), backups)
    apply_plan(plan_trust(host, "user", home, project, {}), backups)


def prove(client: Client, trial: Trial) -> ProofResult:
    """Runs both conversations, each in a home of its own. Takes some seconds, at most two minutes; leaves nothing behind."""
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
    """Finds faults with the gate as `toolgate install` registers it."""
    trial.progress("asking for what must be denied, and for what may be")
    install_gate(client.name, scratch, trial.command)
    harmless, notes = scratch.project / "harmless", scratch.project / "notes"
    notes.write_text(f"{NOTES_MARK}{TOKEN}\n")
    inner = Attempt(
        "subagents",
        client.shell(f"touch '{_forbidden_file(scratch, 'agent')}'"),
        _forbidden_file(scratch, "agent"),
        "a denied command of an agent within the agent ran",
    )
    attempts = _list_attempts(client, scratch)
    tampering = client.tamper(client.settings(scratch.home))
    calls = [
        *(attempt.call for attempt in attempts),
        client.shell(f"touch '{harmless}'"),
        client.shell(f"cat notes; {LINGER}"),
        client.call_server("peek", path=str(notes)),
        *tampering,
        *(client.agent(f"{INNER_TASK}: go") if client.agent else ()),
    ]
    with client.model([ScriptedTurn((call,)) for call in calls], {INNER_TASK: [ScriptedTurn((inner.call,))]}) as model:
        words, environ = client.prepare(Launch(program, trial.environ, scratch.home, scratch.project, model.url, STUB_SERVER))
        registered = _list_registered_events(client, scratch)
        results = _hold_conversation(model, words, environ, scratch, len(calls))
        messages, inner_results = model.all_messages, model.call_results(INNER_TASK)
    for attempt, result in zip(attempts, results, strict=False):
        _judge_attempt(attempt, result, findings)
    ran, printed, peeked, *tampered = results[len(attempts) :]
    if findings.rows["commands"] == "not tried":
        findings.faults.append(f"the model did not read why a command was denied, but: {shorten_text(results[0].text)}")
    if not harmless.exists():
        findings.faults.append(f"a harmless command did not run: {shorten_text(ran.text)}")
    if NOTES_MARK not in peeked.text and findings.rows["MCP"] == "held":
        findings.rows["MCP"] = "not tried"
    _judge_settings(_list_registered_events(client, scratch) == registered, tampered[len(tampering) - 1], findings)
    if client.agent:
        _judge_attempt(inner, inner_results[0] if inner_results else None, findings)
    has_answer = NOTES_MARK in printed.text
    findings.rows["redaction"] = "open" if TOKEN in messages else "held" if has_answer else "not tried"
    if TOKEN in messages and load_capabilities(client.name).sections["result"]["redact"] != "none":
        findings.faults.append("the model read a token that was in the output of a command")


def _forbidden_file(scratch: Scratch, name: str) -> Path:
    return scratch.forbidden_folder / f"{FORBIDDEN_NAME}-{name}"


def _list_attempts(client: Client, scratch: Scratch) -> list[Attempt]:
    """Returns what the gate must stop in the conversation itself."""
    command, behind, served = (_forbidden_file(scratch, name) for name in ("command", "background", "server"))
    startup = scratch.home / ".bashrc"
    attempts = [
        Attempt("commands", client.shell(f"touch '{command}'"), command, "a denied command ran"),
        Attempt("questions", client.shell(f"touch '{startup}'"), startup, "a command that needs a question ran without one"),
        Attempt(
            "MCP", client.call_server("write_file", path=str(served), content=""), served, "a denied call of an MCP tool ran"
        ),
    ]
    if client.background:
        call = client.background(f"touch '{behind}'")
        attempts.append(Attempt("background shells", call, behind, "a denied command ran in the background"))
    return attempts


def _judge_attempt(attempt: Attempt, result: CallResult | None, findings: Findings) -> None:
    """A call that left nothing was tried only if the model read that it was refused: the client may not have made it at all."""
    if attempt.trace.exists():
        findings.rows[attempt.row] = "open"
        findings.faults.append(attempt.fault)
    else:
        refused = result is not None and (FORBIDDEN_NAME in result.text or attempt.row == "questions")
        findings.rows[attempt.row] = "held" if refused else "not tried"


def _judge_settings(unchanged: bool, tampered: CallResult, findings: Findings) -> None:
    findings.rows["settings"] = "held" if unchanged else "open"
    if not unchanged:
        findings.faults.append(
            f"a write to the settings that register the gate went through, and the model was told: {shorten_text(tampered.text)}"
        )


def _list_registered_events(client: Client, scratch: Scratch) -> frozenset[str]:
    """Returns the events that the settings register the gate for. A client may rewrite other parts of them."""
    wiring = load_settings(client.name)
    try:
        text = client.settings(scratch.home).read_text()
        return wiring.list_events(wiring.parse(text) if isinstance(wiring, OwnFile | TextSettings) else json.loads(text))
    except (OSError, ValueError):
        return frozenset()


def _try_faults(client: Client, program: str, trial: Trial, scratch: Scratch, findings: Findings) -> None:
    """Finds faults of the host while the gate's program crashes, or is missing."""
    trial.progress("asking again, with a gate that crashes, hangs and is missing")
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
            findings.faults.append(FAULT_STATEMENTS[fault])


def _hold_conversation(
    model: ScriptedServer, words: list[str], environ: Mapping[str, str], scratch: Scratch, count: int
) -> list[CallResult]:
    """Returns the results of the calls. Raises NoConversation if some are missing."""
    output: ClientOutput = run_client(words, scratch.project, environ)
    return require_all_results(model.call_results(), count, output)
