"""Folders of toolgate, from the caller's environment and never from the process's own."""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from toolgate import designs

ORGANISATION = "/etc/toolgate"

# Every variable of ours, with its effect. The documentation lists them from here.
VARIABLES = {
    "TOOLGATE_AGENT": "the name of the session's agent, in a team of agents",
    "TOOLGATE_READS": "the private files of a team that the session's agent was handed: globs, separated by `:`",
    "TOOLGATE_WRITES": "the files that the session's agent may write, in a team of agents: globs, separated by `:`",
    "TOOLGATE_PHASE": "where a team stands: init-phase-1 (nothing is written yet), init-phase-2, team-mode",
    "TOOLGATE_ROLE": "the role of the session's agent in its team: coordinator, reviewer, scribe, agent",
    "TOOLGATE_HOME": "moves policy, state and cache beneath one folder; the organisation's policy in /etc stays where it is",
    "TOOLGATE_STORE_URL": "where state is kept: `postgresql://...`, `sqlite:/file`; by default a file in the state folder",
    **designs.VARIABLES,
    "TOOLGATE_PROFILE": "a profile whose verdicts join the policy's, the stricter of both; in a repository for which "
    "`toolgate settings init` was run, the campaign's profile replaces the user's",
}


class Folders(NamedTuple):
    """Absolute paths. `organisation` and `config` contain a policy.toml each; all but `organisation` belong to the user."""

    organisation: str
    config: str
    state: str
    cache: str
    runtime: str


def find_folders(environ: Mapping[str, str], home: str) -> Folders:
    """Returns the folders. `TOOLGATE_HOME` moves all of them into one folder: for tests, and for portable use."""
    return _build_folders(home, *map(environ.get, _FOLDER_VARIABLES))


_FOLDER_VARIABLES = ("TOOLGATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR")


@lru_cache(64)
def _build_folders(
    home: str, moved: str | None, cache: str | None, config: str | None, state: str | None, runtime: str | None
) -> Folders:
    if moved is not None and moved.startswith("/"):
        moved = moved.rstrip("/")
        return Folders(f"{moved}/organisation", moved, f"{moved}/state", f"{moved}/cache", f"{moved}/run")
    own_cache = _xdg_folder(cache) or f"{home}/.cache/toolgate"
    return Folders(
        organisation=ORGANISATION,
        config=_xdg_folder(config) or f"{home}/.config/toolgate",
        state=_xdg_folder(state) or f"{home}/.local/state/toolgate",
        cache=own_cache,
        runtime=_xdg_folder(runtime) or f"{own_cache}/run",
    )


SAFETY_LOG, SAFETY_LOG_VARIABLE = "safety-hook.log", "CLAUDE_SAFETY_HOOK_LOG"


def safety_log_path(environ: Mapping[str, str], folder: str) -> str:
    """Returns the path of the fleet design's log: from the environment, or in `folder`: the host's own in the home
    folder, whichever account CLAUDE_CONFIG_DIR names. There is one per user."""
    named = environ.get(SAFETY_LOG_VARIABLE, "")
    return named if named.startswith("/") else f"{folder}/{SAFETY_LOG}"


def _xdg_folder(folder: str | None) -> str:
    """Returns our folder in a folder of the XDG specification, which requires relative paths to be ignored."""
    return f"{folder.rstrip('/')}/toolgate" if folder is not None and folder.startswith("/") else ""
