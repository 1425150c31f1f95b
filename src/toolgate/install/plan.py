"""Plans what registering would change, as a value: to be shown, discarded, or carried out.

A plan is made from the text of the settings file: a file that is not strict JSON, or that the host would not accept, is refused
with file, line and remedy, and nothing is changed.
"""

import difflib
import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter

from toolgate.hosts import load_settings as settings_of
from toolgate.machine import files
from toolgate.machine.current_account import is_root
from toolgate.model.errors import SettingsError
from toolgate.model.host import NO_COMMANDS, Commands, HostSettings, OwnFile, Steps, TextSettings

from . import own_file, supervisor_units
from .command import own_command
from .json_text import NotJson, append_values, parse, remove_last_members
from .managed import POLICY_PATH, STARTER_POLICY, is_policy_missing, require_root_ownership

EDITED_SCOPES = ("user", "project", "local")
MANAGED_SCOPE = "managed"
"""The scope that only root edits, and only where it is named."""


@dataclass(frozen=True, slots=True)
class Change:
    """A file before and after; None where there is none. `path` is the written file, with links resolved. `mode`: the mode that
    it must have; None where that is unchanged."""

    path: str
    before: bytes | None
    after: bytes | None
    mode: int | None = None

    @property
    def diff(self) -> str:
        sides = (self.before, self.after)
        old, new = ([] if side is None else side.decode().splitlines(keepends=True) for side in sides)
        old_name, new_name = ("/dev/null" if side is None else self.path for side in sides)
        lines = difflib.unified_diff(old, new, old_name, new_name)
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


Command = tuple[str, ...]
"""A program and its arguments."""


@dataclass(frozen=True, slots=True)
class Plan:
    """`notes` are for the person who decides on it. `first` and `last`: programs that run before and after the changes."""

    host: str
    changes: tuple[Change, ...]
    notes: tuple[str, ...] = ()
    first: tuple[Command, ...] = ()
    last: tuple[Command, ...] = ()

    @property
    def diff(self) -> str:
        return "".join(change.diff for change in self.changes)


@contextmanager
def report_os_errors() -> Iterator[None]:
    """Turns an OSError into a SettingsError for people."""
    try:
        yield
    except OSError as error:
        problem = error.strerror or str(error)
        raise SettingsError(str(error.filename or "a settings file"), problem, "mend that and run the command again") from error


@report_os_errors()
def plan_install(
    host: str,
    scope: str,
    home: str,
    project: str,
    environ: Mapping[str, str],
    command: Sequence[str] = (),
    host_rules: bool | None = None,
) -> Plan:
    """Plans the gate for every event of the host, once, in the settings file of the scope. Raises SettingsError.

    `host_rules`: whether to add the host's own deny rules for credential files. None: as an earlier registration chose, or yes.
    """
    command = tuple(command) or own_command()
    path = _find_editable_path(settings_of(host), scope, home, project, environ)
    require_startable(path, command)
    plan = plan_registration(host, scope, home, project, environ, command, host_rules=host_rules)
    if scope != MANAGED_SCOPE:
        return plan
    if is_policy_missing():
        plan = replace(plan, changes=(*plan.changes, Change(POLICY_PATH, None, STARTER_POLICY.encode(), 0o644)))
    above = supervisor_units.plan_setup(command)
    changes = (*plan.changes, *_iter_file_changes(above.files))
    if changes or (above.files and not supervisor_units.is_listening()):
        require_root_ownership(path, command)
        return replace(plan, changes=changes, notes=(*plan.notes, *above.notes), first=above.first, last=above.last)
    return plan


@report_os_errors()
def plan_registration(
    host: str,
    scope: str,
    home: str,
    project: str,
    environ: Mapping[str, str],
    command: tuple[str, ...],
    by_event: Commands = NO_COMMANDS,
    host_rules: bool | None = None,
) -> Plan:
    """Plans the registration of commands that need not exist yet; `by_event`: those of single events."""
    wiring = settings_of(host)
    path = _find_editable_path(wiring, scope, home, project, environ)
    before = files.read_file(path)
    if isinstance(wiring, OwnFile):
        content = own_file.render_file(wiring, path, before, command)
        return Plan(host, () if content == before else (Change(path, before, content),))
    if isinstance(wiring, TextSettings):
        content = _edit_text(path, before, lambda text: wiring.add_entries(text, command)).encode()
        return Plan(host, () if content == before else (Change(path, before, content),))
    text = wiring.BLANK if before is None else _decode_text(path, before)
    settings = {} if before is None and not text else _parse_settings(path, text)
    _require_valid_settings(wiring, path, settings)
    notes = tuple(_collect_notes(wiring, scope, path, settings))
    wanted = wiring.build_additions(command, by_event)
    about_rules: tuple[str, ...] = ()
    if rules := wiring.permission_additions():
        keeps = _has_host_rules(wiring, settings) if host_rules is None else host_rules
        wanted = (*wanted, *(rules if keeps else ()))
        about_rules = (_describe_host_rules(path, len(rules), keeps),)
    if _is_registered(wiring, settings, wanted):
        return Plan(host, (), notes)
    after = _add_own_entries(path, _remove_own_entries(wiring, path, text), wanted)
    _verify_edit(wiring, path, text, after, command, by_event, wanted)
    return Plan(host, (Change(path, before, after.encode()),), (*notes, *about_rules))


def plan_uninstall(host: str, scopes: Sequence[str], home: str, project: str, environ: Mapping[str, str]) -> Plan:
    """Plans every settings file of the scopes without the gate's entries; a file that holds nothing else is removed.

    A file that cannot be edited (a project's may be anything) does not prevent the others: it becomes a note, or the
    SettingsError that is raised when there is nothing else to do."""
    changes: dict[str, Change] = {}
    problems: list[SettingsError] = []
    wiring = settings_of(host)
    for scope in (each for each in scopes if each in wiring.SCOPES):
        try:
            change = _plan_removal(wiring, scope, home, project, environ)
        except SettingsError as problem:
            problems.append(problem)
        else:
            if change:
                changes[change.path] = change  # in the home folder, two scopes may be one file
    if problems and not changes:
        raise problems[0]
    plan = Plan(host, tuple(changes.values()), tuple(f"left alone: {problem}" for problem in problems))
    return _add_supervisor_removal(plan) if MANAGED_SCOPE in scopes and is_root() else plan


@report_os_errors()
def _add_supervisor_removal(plan: Plan) -> Plan:
    """Removes the supervisor's marker first: from then on, every user's gate runs as that user again."""
    gone = supervisor_units.plan_removal()
    changes = tuple(Change(path, before, None) for path in gone.files if (before := files.read_file(path)) is not None)
    if not changes:
        return plan
    return replace(plan, changes=(*changes, *plan.changes), notes=(*plan.notes, *gone.notes), first=gone.first, last=gone.last)


def _iter_file_changes(contents: Mapping[str, str]) -> Iterator[Change]:
    for path, text in contents.items():
        before = files.read_file(path)
        if before != text.encode():
            yield Change(path, before, text.encode(), 0o644)


@report_os_errors()
def _plan_removal(
    wiring: HostSettings | OwnFile | TextSettings, scope: str, home: str, project: str, environ: Mapping[str, str]
) -> Change | None:
    path = _find_editable_path(wiring, scope, home, project, environ)
    before = files.read_file(path)
    if before is None:
        return None
    if isinstance(wiring, OwnFile):
        return Change(path, before, None) if own_file.is_own_file(wiring, before) else None
    if isinstance(wiring, TextSettings):
        content = _edit_text(path, before, wiring.remove_entries).encode()
        return None if content == before else Change(path, before, content or None)
    text = _decode_text(path, before)
    after = _remove_own_entries(wiring, path, text)
    says_something = after and (not wiring.BLANK or _parse_settings(path, after) != _parse_settings(path, wiring.BLANK))
    if after == text:
        return None
    if scope == MANAGED_SCOPE and not is_root():
        raise SettingsError(path, "only root takes the gate out of managed settings", "run the command with sudo")
    return Change(path, before, after.encode() if says_something else None)


@report_os_errors()
def apply_plan(plan: Plan, backups: str) -> tuple[str, ...]:
    """Carries the plan out: each file completely or not at all, with its former contents kept in the folder `backups`, whose new
    files are returned. Raises SettingsError, also when a file has changed since the plan was made, or a program fails."""
    kept = []
    _run_commands(plan.first)
    for change in plan.changes:
        with files.lock_folder(os.path.dirname(change.path)):
            if files.read_file(change.path) != change.before:
                raise SettingsError(change.path, "it has changed in the meantime", "run the command again")
            if change.before is not None:
                kept.append(_back_up(change, backups))
            if change.after is None:
                files.remove_file(change.path)
            else:
                files.write_file(change.path, change.after)
                if change.mode is not None:
                    os.chmod(change.path, change.mode)
            if files.read_file(change.path) != change.after:
                raise SettingsError(change.path, "it does not hold what was just written", f"compare it with {backups}")
    _run_commands(plan.last)
    return tuple(kept)


def _run_commands(commands: Sequence[Command]) -> None:
    for command in commands:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=120)
        if done.returncode:
            raise SettingsError(
                " ".join(command),
                done.stderr.strip() or f"it ended with {done.returncode}",
                "mend that, and run the command again",
            )


def _back_up(change: Change, backups: str) -> str:
    """Keeps the backup readable by its owner alone: settings may hold tokens."""
    content = change.before or b""
    stamp, digest = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()), hashlib.sha256(content).hexdigest()[:8]
    name = f"{change.path.strip('/').replace('/', '%')[-180:]}.{stamp}.{digest}"
    path = os.path.join(backups, name)
    files.write_file(path, content, mode=0o600)
    return path


def _find_editable_path(
    wiring: HostSettings | OwnFile | TextSettings, scope: str, home: str, project: str, environ: Mapping[str, str]
) -> str:
    known = [each for each in (*EDITED_SCOPES, MANAGED_SCOPE) if each in wiring.SCOPES]
    if scope not in known:
        raise SettingsError(f"scope {scope}", "toolgate cannot edit it yet", f"use one of {', '.join(known)}")
    path = wiring.locate_settings(scope, home, project, environ)
    return files.resolve_destination(path, within=None if scope in ("user", MANAGED_SCOPE) else project)


def require_startable(path: str, command: Sequence[str]) -> None:
    """Checks the hook command: one that cannot start would refuse every call. Raises SettingsError."""
    program = command[0]
    if not os.path.isabs(program) or not os.access(program, os.X_OK):
        raise SettingsError(path, f"the hook command {program} is no program with an absolute path", "nothing was changed")
    python = sys.executable if command == own_command() else program if {"-I", "-m"} & set(command) else ""
    if python:
        tried = subprocess.run([python, "-I", "-c", "import toolgate"], capture_output=True, check=False, timeout=60)
        if tried.returncode:
            raise SettingsError(
                path,
                f"{python} -I does not find toolgate",
                "install toolgate into a virtual environment or with pipx, and run it from there",
            )


def _require_valid_settings(wiring: HostSettings, path: str, settings: Mapping[str, object]) -> None:
    for fault in wiring.find_faults(settings):
        raise SettingsError(path, f"{fault}, so the host would ignore the whole file", "fix that first; nothing was changed")


def _collect_notes(wiring: HostSettings, scope: str, path: str, settings: Mapping[str, object]) -> list[str]:
    found = [f"{path}: {weakness}" for weakness in wiring.find_weaknesses(settings) if not weakness.startswith("hooks.")]
    found += [f"{path}: {each}; the host leaves it out" for each in wiring.find_dropped_hooks(settings)]
    if scope == "project":
        found.append(f"{path} is for everybody on the project, but names a program of this machine: consider --scope local")
    return found


Additions = tuple[tuple[Steps, object], ...]


def _has_host_rules(wiring: HostSettings, settings: Mapping[str, object]) -> bool:
    """Returns whether an earlier registration added the host's deny rules; True where there is no registration."""
    own = wiring.find_own_entries(settings)
    return not own or any(steps[0] != "hooks" for steps in own)


def _describe_host_rules(path: str, count: int, kept: bool) -> str:
    why = "a mention of a file in a prompt (`@file`) is read by the host itself, and calls no hook"
    if kept:
        return f"{path}: {count} rules under permissions.deny keep credential files from the host: {why}; --no-host-rules: none"
    return f"{path}: no rules under permissions.deny: {why}, credential files included; --host-rules adds {count}"


def _is_registered(wiring: HostSettings, settings: Mapping[str, object], additions: Additions) -> bool:
    if len(wiring.find_own_entries(settings)) != len(additions):
        return False
    for steps, value in additions:
        entry: object = settings
        for step in steps:
            entry = entry.get(step) if isinstance(entry, Mapping) else None
        if not isinstance(entry, list) or value not in entry:
            return False
    return True


def _edit_text(path: str, content: bytes | None, edit: Callable[[str], str]) -> str:
    try:
        return edit(_decode_text(path, content))
    except ValueError as problem:
        raise SettingsError(path, f"it cannot be edited ({problem})", "fix it first; nothing was changed") from None


def _decode_text(path: str, content: bytes | None) -> str:
    try:
        return (content or b"").decode()
    except UnicodeDecodeError as error:
        line = (content or b"").count(b"\n", 0, error.start) + 1
        raise SettingsError(path, "it is not UTF-8", "save it as UTF-8; nothing was changed", line) from None


def _parse_settings(path: str, text: str) -> Mapping[str, object]:
    try:
        settings = parse(text).value
    except NotJson as fault:
        raise _json_error(path, fault) from None
    if not isinstance(settings, dict):
        raise SettingsError(path, "not a JSON object", "fix that first; nothing was changed", 1)
    return settings


def _json_error(path: str, fault: NotJson) -> SettingsError:
    return SettingsError(path, fault.problem, "the host takes strict JSON only: fix that first; nothing was changed", fault.line)


def _add_own_entries(path: str, text: str, additions: Additions) -> str:
    try:
        for steps, added in groupby(additions, itemgetter(0)):
            text = append_values(text, steps, [value for _, value in added])
    except NotJson as fault:
        raise _json_error(path, fault) from None
    return text


def _remove_own_entries(wiring: HostSettings, path: str, text: str) -> str:
    while text and (places := wiring.find_own_entries(_parse_settings(path, text))):
        text = remove_last_members(text, places)
    return text


def _verify_edit(
    wiring: HostSettings, path: str, before: str, after: str, command: Sequence[str], by_event: Commands, additions: Additions
) -> None:
    """Checks that the new text has the intended settings, that the host accepts it, and that every other byte is unchanged."""
    settings = _parse_settings(path, after)
    meant = wiring.register(_parse_settings(path, before) if before else {}, command, by_event)
    same_rest = _remove_own_entries(wiring, path, after) == _remove_own_entries(wiring, path, before)
    without = [value for steps, value in wiring.permission_additions() if (steps, value) not in additions]
    if _drop_empty_lists(settings, without) != _drop_empty_lists(meant, without) or wiring.find_faults(settings) or not same_rest:
        raise SettingsError(
            path, "the edited text is not what it should be", "nothing was changed; please report this file's shape"
        )


def _drop_empty_lists(settings: Mapping[str, object], dropped_rules: Sequence[object]) -> dict[str, object]:
    """Drops the rules `dropped_rules`, and empty lists: one that held only the gate's entries may stay or go."""
    hooks, permissions = settings.get("hooks"), settings.get("permissions")
    lists = {event: groups for event, groups in hooks.items() if groups != []} if isinstance(hooks, Mapping) else hooks
    if not dropped_rules or not isinstance(permissions, Mapping):
        return {**settings, "hooks": lists, "permissions": permissions or {}}
    kept = {
        name: [each for each in rules if each not in dropped_rules] if isinstance(rules, list) else rules
        for name, rules in permissions.items()
        if rules != dropped_rules
    }
    return {**settings, "hooks": lists, "permissions": kept}
