"""Renders the settings of a campaign: what an unattended session may touch and run, instead of switching every permission off."""

import os
from collections.abc import Iterable
from typing import Any

from toolgate.hosts.claude_code.unattended import build_unattended_settings, list_allowed_programs
from toolgate.machine.simulated_world import SimulatedWorld
from toolgate.model.action import RunShell
from toolgate.model.effect import Run
from toolgate.model.event import Caller, Scene
from toolgate.understand import understand

EXPERIMENT_PROGRAMS = (
    *("ls", "cat", "head", "tail", "wc", "grep", "find", "rg", "git", "python", "python3", "pip", "pytest"),
    *("go", "cargo", "node", "npm", "make"),
)
"""The design's list of programs that an experiment may run."""
RUN_ANY_CODE = frozenset(
    [
        *("find", "git", "python", "python3", "pip", "pytest", "go", "cargo", "node", "npm", "make"),
        *("sh", "bash", "env", "xargs", "rg"),
    ]
)
"""Allowing one of these is allowing any program: by code in an argument, a configuration, a hook, or a file that the agent may
write."""


def render_settings(
    work_dir: str,
    repo_path: str | None = None,
    plan: Iterable[str] = (),
    extra_bin_allowlist: Iterable[str] = (),
    stop_hook_path: str | None = None,
    pre_tool_use_hook_path: str | None = None,
) -> dict[str, Any]:
    """Returns a whole `settings.json`. `plan`: the commands of the plan. Raises ValueError for a path that is not absolute, and
    for an invalid program name."""
    folders = [_require_absolute(path) for path in (work_dir, repo_path) if path]
    names = {
        *EXPERIMENT_PROGRAMS,
        *map(_require_name, extra_bin_allowlist),
        *(name for line in plan for name in list_programs(line)),
    }
    return build_unattended_settings(folders, names, _optional_path(stop_hook_path), _optional_path(pre_tool_use_hook_path))


def list_programs(command: str) -> tuple[str, ...]:
    """Returns the programs that a command of the plan runs: each by its own name, and as the command writes it."""
    scene = Scene(Caller("settings"), "/", "/", "/", {}, "")
    found: dict[str, None] = {}
    for effect in understand(RunShell(command), scene, SimulatedWorld()).all:
        word = effect.argv[0].text if isinstance(effect, Run) and effect.argv else None
        for name in ((word or "").rpartition("/")[2], word or ""):
            if _is_program_name(name):
                found[name] = None
    return tuple(found)


def find_unbounded_programs(rendered: dict[str, Any]) -> tuple[str, ...]:
    """Returns the allowed programs that can run any other."""
    return tuple(name for name in list_allowed_programs(rendered) if name.rpartition("/")[2] in RUN_ANY_CODE)


def _require_absolute(path: str) -> str:
    if not os.path.isabs(path):
        raise ValueError(f"{path} is no absolute path")
    return os.path.normpath(path)


def _require_name(name: str) -> str:
    if not _is_program_name(name):
        raise ValueError(f"{name!r} is no program's name")
    return name


def _is_program_name(name: str) -> bool:
    """Returns whether the name has no special meaning in a rule of the client's."""
    return bool(name) and name.isprintable() and not set(name) & set(" ()*:,\\\"'") and name.strip("./") != ""


def _optional_path(path: str | None) -> str:
    return "" if path is None else _require_absolute(path)
