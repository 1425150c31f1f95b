"""Registers the gate in a project's own settings before an agent starts there: for fleets of headless sessions.

The script is verified by its digest, and restored at every launch. A first launch fails closed; one that resumes a session may go
on with the existing files, if they are what would be deployed.
"""

import hashlib
import os
import stat
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from toolgate.designs import FLEET_PROFILE
from toolgate.designs.safety_hook import log as safety_hook
from toolgate.hosts import load_host as host_of
from toolgate.install import Change, Plan, apply_plan, own_command, plan_registration, report_os_errors, require_startable
from toolgate.install.wiring import Problem, find_disabled_hooks
from toolgate.launching.folder_profiles import record_profile
from toolgate.launching.shim import PROJECT_LINES, Script
from toolgate.machine import files
from toolgate.machine.current_account import effective_user
from toolgate.machine.environment import find_folders, safety_log_path
from toolgate.model.errors import SettingsError, ToolgateError
from toolgate.policy.discovery import SCRIPT_MODE

HOST, PROFILE = "claude-code", FLEET_PROFILE
HOOK_SCRIPT = Script("deploy", HOST, "PreToolUse", PROFILE, PROJECT_LINES)
HOOK_PATH = ".claude/hooks/claude-safety-hook.sh"
REDEPLOY_REMEDY = "toolgate deploy puts it back"


@dataclass(frozen=True, slots=True)
class DeploymentTarget:
    """A project, as a path without links, and the surroundings of the caller."""

    project: str
    home: str
    environ: Mapping[str, str]

    @property
    def hook_path(self) -> str:
        return f"{self.project}/{HOOK_PATH}"

    @property
    def script_content(self) -> bytes:
        return HOOK_SCRIPT.render(self.project, own_command()).encode()

    @property
    def log_path(self) -> str:
        return safety_log_path(self.environ, host_of(HOST).own_folder(self.home, {}))


@dataclass(frozen=True, slots=True)
class Deployment:
    """What was done in a project: the paths that changed, what its owner should know, and the digest of the script. `problem`:
    why nothing could be done where the existing files are valid."""

    project: str
    changed: tuple[str, ...]
    notes: tuple[str, ...]
    digest: str
    problem: str = ""


def resolve_target(path: str, environ: Mapping[str, str] | None = None) -> DeploymentTarget:
    """Raises SettingsError for a path that is no folder."""
    environ = dict(os.environ) if environ is None else environ
    project = os.path.realpath(path)
    if not os.path.isdir(project):
        raise SettingsError(path, "there is no such folder", "name the project that the agent will start in")
    return DeploymentTarget(project, environ.get("HOME") or os.path.expanduser("~"), environ)


def ensure_deployed(path: str, strict: bool = True, environ: Mapping[str, str] | None = None) -> Deployment:
    """Registers the gate in the project at `path`, and verifies it. Call it before the agent is started there, every time.

    `strict`: every obstacle raises SettingsError, or another ToolgateError: do not start the agent. Not strict (a resumed
    session): it is logged, and raised only if the existing files are not what would be deployed."""
    where = resolve_target(path, environ)
    try:
        done = _deploy(where)
        _log_note(where, "DEPLOYED", where.project)
        return done
    except ToolgateError as problem:
        _log_note(where, "DEPLOY-FAILED", str(problem))
        if strict or check_deployment(where):
            raise
        return Deployment(where.project, (), (), _digest_script(where.script_content), str(problem))


def plan_deployment(target: DeploymentTarget) -> Plan:
    """Plans what deploying would change. Raises SettingsError."""
    hook = _resolve_hook_path(target)
    before = _read_unlinked(hook)
    plan = _plan_registration(target)
    change = Change(hook, before, target.script_content, SCRIPT_MODE)
    changes = (change, *plan.changes) if any(_iter_script_problems(target)) else plan.changes
    return replace(plan, changes=changes, notes=tuple(note for note in plan.notes if "--scope local" not in note))


def check_deployment(target: DeploymentTarget) -> list[Problem]:
    """Returns every difference between the existing files and those that would be deployed, and everything that disables them.
    Empty: in place."""
    problems = [Problem(target.hook_path, what, REDEPLOY_REMEDY) for what in _iter_script_problems(target)]
    try:
        plan = _plan_registration(target)
        problems += [
            Problem(change.path, "it does not register the safety hook as it should", REDEPLOY_REMEDY) for change in plan.changes
        ]
    except SettingsError as problem:
        problems.append(Problem(problem.file, problem.problem, problem.remedy))
    return [*problems, *find_disabled_hooks(HOST, target.home, target.project, target.environ)]


def _plan_registration(target: DeploymentTarget) -> Plan:
    """The script is called before every call. All other events call the client itself, which checks whether the script is
    unchanged; the script could not check itself."""
    script = {HOOK_SCRIPT.event: (target.hook_path,)}
    return plan_registration(HOST, "project", target.home, target.project, target.environ, own_command(), script)


def _deploy(target: DeploymentTarget) -> Deployment:
    command = own_command()
    require_startable(target.hook_path, command)
    with report_os_errors(), files.lock_folder(target.project):
        if os.path.islink(_resolve_hook_path(target)):
            files.remove_file(_resolve_hook_path(target))
        plan = plan_deployment(target)
        state = find_folders(target.environ, target.home).state
        apply_plan(plan, f"{state}/backups")
        problem = record_profile(target.project, PROFILE, {HOOK_PATH: target.script_content}, target.home, target.environ)
        notes = (*plan.notes, *([problem] if problem else ()))
        problems = check_deployment(target)
    if problems:
        first = problems[0]
        raise SettingsError(first.where, first.what, first.remedy)
    return Deployment(target.project, tuple(change.path for change in plan.changes), notes, _digest_script(target.script_content))


def _resolve_hook_path(target: DeploymentTarget) -> str:
    """Returns the path that is really written. A link at that path is replaced; one above it must not lead out of the project."""
    folder = files.resolve_destination(os.path.dirname(target.hook_path), within=target.project)
    return f"{folder}/{os.path.basename(target.hook_path)}"


def _iter_script_problems(target: DeploymentTarget) -> Iterator[str]:
    try:
        hook = _resolve_hook_path(target)
        status = os.lstat(hook)
        if not stat.S_ISREG(status.st_mode):
            yield "it is no regular file"
        elif hashlib.sha256(files.read_file(hook) or b"").hexdigest() != _digest_script(target.script_content):
            yield "it is not what was deployed"
        elif stat.S_IMODE(status.st_mode) != SCRIPT_MODE:
            yield f"its mode is not {SCRIPT_MODE:o}"
        elif sys.platform != "win32" and status.st_uid not in (0, effective_user()):
            yield "it belongs to another user"
    except FileNotFoundError:
        yield "it is not there"
    except (OSError, SettingsError) as problem:
        yield f"it cannot be read ({problem})"


def _read_unlinked(path: str) -> bytes | None:
    """Returns the content that `apply_plan` compares with: a link counts as no file."""
    return None if os.path.islink(path) else files.read_file(path)


def _digest_script(script: bytes) -> str:
    return hashlib.sha256(script).hexdigest()


def _log_note(target: DeploymentTarget, word: str, about: str) -> None:
    safety_hook.append_line(target.log_path, safety_hook.render_note(word, about, time.time()))
