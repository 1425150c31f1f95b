"""A session's own places: the gate's files, and those of every host."""

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
    logs = (safety_log_path(scene.environ, hosts.load_places(name).own_folder(scene.home, {})) for name in hosts.HOSTS)
    gate = (
        *logs,
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
    settings: list[str] = []
    scripts: list[str] = []
    own_folders: list[str] = []
    for name in hosts.HOSTS:
        host = hosts.load_places(name)
        hooks = host.hook_folders(scene.home, scene.project, scene.environ)
        scripts += hooks
        own_folders.append(host.own_folder(scene.home, scene.environ))
        settings += [path for path in host.settings_files(scene.home, scene.project, scene.environ) if path not in hooks]
    state = (folders.state, folders.runtime, supervision.RUN_FOLDER, supervision.STATE_FOLDER)
    programs = () if is_embedded else installation.ENVIRONMENTS
    return SessionPlaces(
        scene.home, scene.project, gate, tuple(settings), tuple(scripts), tuple(own_folders), places, state, programs
    )
