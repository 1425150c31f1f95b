"""Registers the gate in a project's own settings before an agent starts there: for fleets of headless sessions.

The script is verified by its digest, and restored at every launch. A first launch fails closed; one that resumes a session may go
on with the existing files, if they are what would be deployed.
"""

import hashlib
import os
import stat
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from toolgate.audit.sinks import safety_hook
from toolgate.hosts import host as host_of
from toolgate.install import Change, Plan, apply, in_words, must_start, own_command, plan_registration
from toolgate.install.wiring import Problem, switched_off
from toolgate.machine import files
from toolgate.machine.environment import folders, safety_log
from toolgate.model.errors import SettingsError, ToolgateError
from toolgate.policy.find import SCRIPT_MODE

from .chosen import choose
from .shim import OF_THE_PROJECT, Script

HOST, PROFILE = "claude-code", "failover"
SCRIPT = Script("deploy", HOST, "PreToolUse", PROFILE, OF_THE_PROJECT)
HOOK = ".claude/hooks/claude-safety-hook.sh"
AGAIN = "toolgate deploy puts it back"


@dataclass(frozen=True, slots=True)
class Place:
    """A project, as a path without links, and the surroundings of the caller."""

    project: str
    home: str
    environ: Mapping[str, str]

    @property
    def hook(self) -> str:
        return f"{self.project}/{HOOK}"

    @property
    def script(self) -> bytes:
        return SCRIPT.text(self.project, own_command()).encode()

    @property
    def log(self) -> str:
        return safety_log(self.environ, host_of(HOST).own_folder(self.home, {}))


@dataclass(frozen=True, slots=True)
class Deployment:
    """What was done in a project: the paths that changed, what its owner should know, and the digest of the script. `problem`:
    why nothing could be done where the existing files are valid."""

    project: str
    changed: tuple[str, ...]
    notes: tuple[str, ...]
    digest: str
    problem: str = ""


def place(path: str, environ: Mapping[str, str] | None = None) -> Place:
    """Raises SettingsError for a path that is no folder."""
    environ = dict(os.environ) if environ is None else environ
    project = os.path.realpath(path)
    if not os.path.isdir(project):
        raise SettingsError(path, "there is no such folder", "name the project that the agent will start in")
    return Place(project, environ.get("HOME") or os.path.expanduser("~"), environ)


def ensure_deployed(path: str, strict: bool = True, environ: Mapping[str, str] | None = None) -> Deployment:
    """Registers the gate in the project at `path`, and verifies it. Call it before the agent is started there, every time.

    `strict`: every obstacle raises SettingsError, or another ToolgateError: do not start the agent. Not strict (a resumed
    session): it is logged, and raised only if the existing files are not what would be deployed."""
    where = place(path, environ)
    try:
        done = _deployed(where)
        _note(where, "DEPLOYED", where.project)
        return done
    except ToolgateError as problem:
        _note(where, "DEPLOY-FAILED", str(problem))
        if strict or check_deployment(where):
            raise
        return Deployment(where.project, (), (), _digest(where.script), str(problem))


def plan_deployment(where: Place) -> Plan:
    """Plans what deploying would change. Raises SettingsError."""
    hook = _own_place(where)
    before = _read(hook)
    plan = _registration(where)
    change = Change(hook, before, where.script, SCRIPT_MODE)
    changes = (change, *plan.changes) if any(_of_the_script(where)) else plan.changes
    return replace(plan, changes=changes, notes=tuple(note for note in plan.notes if "--scope local" not in note))


def check_deployment(where: Place) -> list[Problem]:
    """Returns every difference between the existing files and those that would be deployed, and everything that disables them.
    Empty: in place."""
    problems = [Problem(where.hook, what, AGAIN) for what in _of_the_script(where)]
    try:
        plan = _registration(where)
        problems += [Problem(change.path, "it does not register the safety hook as it should", AGAIN) for change in plan.changes]
    except SettingsError as problem:
        problems.append(Problem(problem.file, problem.problem, problem.remedy))
    return [*problems, *switched_off(HOST, where.home, where.project, where.environ)]


def _registration(where: Place) -> Plan:
    """The script is called before every call. All other events call the client itself, which checks whether the script is
    unchanged; the script could not check itself."""
    script = {SCRIPT.event: (where.hook,)}
    return plan_registration(HOST, "project", where.home, where.project, where.environ, own_command(), script)


def _deployed(where: Place) -> Deployment:
    command = own_command()
    must_start(where.hook, command)
    with in_words(), files.locked(where.project):
        if os.path.islink(_own_place(where)):
            files.remove(_own_place(where))
        plan = plan_deployment(where)
        state = folders(where.environ, where.home).state
        apply(plan, f"{state}/backups")
        told = choose(where.project, PROFILE, {HOOK: where.script}, where.home, where.environ)
        notes = (*plan.notes, *([told] if told else ()))
        problems = check_deployment(where)
    if problems:
        first = problems[0]
        raise SettingsError(first.where, first.what, first.remedy)
    return Deployment(where.project, tuple(change.path for change in plan.changes), notes, _digest(where.script))


def _own_place(where: Place) -> str:
    """Returns the path that is really written. A link at that path is replaced; one above it must not lead out of the project."""
    folder = files.destination(os.path.dirname(where.hook), within=where.project)
    return f"{folder}/{os.path.basename(where.hook)}"


def _of_the_script(where: Place) -> Iterator[str]:
    try:
        hook = _own_place(where)
        status = os.lstat(hook)
        if not stat.S_ISREG(status.st_mode):
            yield "it is no regular file"
        elif hashlib.sha256(files.read(hook) or b"").hexdigest() != _digest(where.script):
            yield "it is not what was deployed"
        elif stat.S_IMODE(status.st_mode) != SCRIPT_MODE:
            yield f"its mode is not {SCRIPT_MODE:o}"
        elif hasattr(os, "geteuid") and status.st_uid not in (0, os.geteuid()):
            yield "it belongs to another user"
    except FileNotFoundError:
        yield "it is not there"
    except (OSError, SettingsError) as problem:
        yield f"it cannot be read ({problem})"


def _read(path: str) -> bytes | None:
    """Returns the content that `apply_plan` compares with: a link counts as no file."""
    return None if os.path.islink(path) else files.read(path)


def _digest(script: bytes) -> str:
    return hashlib.sha256(script).hexdigest()


def _note(where: Place, word: str, about: str) -> None:
    safety_hook.append(where.log, safety_hook.note(word, about, time.time()))
