"""A session's own places: the gate's files, and those of every host."""

from functools import lru_cache
from typing import NamedTuple

from . import hosts
from .locate import SessionPlaces
from .machine import installation, supervision
from .machine.environment import find_folders, safety_log_path
from .model.event import Scene
from .model.place import WORKPLACES, Workplaces


def find_session_places(
    scene: Scene, places: Workplaces = WORKPLACES, kept_files: tuple[str, ...] = (), *, is_embedded: bool = False
) -> SessionPlaces:
    """Returns this session's places, those of the gate and all hosts included. `kept_files`: files that the user may change in
    this session. `is_embedded`: the gate runs in a user's program, whose environment is not the gate's."""
    folders = find_folders(scene.environ, scene.home)
    host_files = _find_host_files(scene.home, scene.project, frozenset(scene.environ.items()))
    gate = (
        *host_files.logs,
        *(
            folders.organisation,
            folders.config,
            folders.state,
            folders.cache,
            folders.runtime,
            f"{scene.project.rstrip('/')}/.toolgate",
        ),
        *installation.INSTALLED_PATHS,
        *supervision.SUPERVISION_PATHS,
        *(
            f"{folder}/policy.toml" for folder in (folders.organisation, folders.config)
        ),  # protected under a hard link's name, too
        *kept_files,
    )
    state = (folders.state, folders.runtime, supervision.RUN_FOLDER, supervision.STATE_FOLDER)
    programs = () if is_embedded else installation.ENVIRONMENTS
    return SessionPlaces(
        scene.home,
        scene.project,
        gate,
        host_files.settings,
        host_files.scripts,
        host_files.own_folders,
        places,
        state,
        programs,
    )


class _HostFiles(NamedTuple):
    """The files of all hosts: where the gate's log is written beside them, their settings, the folders of scripts that they run,
    and their own folders."""

    logs: tuple[str, ...]
    settings: tuple[str, ...]
    scripts: tuple[str, ...]
    own_folders: tuple[str, ...]


@lru_cache(8)
def _find_host_files(home: str, project: str, variables: frozenset[tuple[str, str]]) -> _HostFiles:
    """`variables`: the environment. The calls of a session have the same."""
    environ = dict(variables)
    logs: list[str] = []
    settings: list[str] = []
    scripts: list[str] = []
    own_folders: list[str] = []
    for name in hosts.HOSTS:
        host = hosts.load_places(name)
        hooks = host.hook_folders(home, project, environ)
        logs.append(safety_log_path(environ, host.own_folder(home, {})))
        scripts += hooks
        own_folders.append(host.own_folder(home, environ))
        settings += [path for path in host.settings_files(home, project, environ) if path not in hooks]
    return _HostFiles(tuple(logs), tuple(settings), tuple(scripts), tuple(own_folders))
