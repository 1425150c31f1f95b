"""Where a session's own places are: the gate's files, and those of every host."""

import sys

from . import hosts
from .locate import Grounds
from .machine import supervision
from .machine.environment import folders, safety_log
from .model.event import Scene
from .model.place import WORKPLACES, Workplaces

PACKAGE = __file__.rpartition("/")[0]
_PROGRAMS = sys.executable.rpartition("/")[0]
_BESIDE = PACKAGE.rpartition("/")[0]
INSTALLED = (
    PACKAGE,
    f"{_PROGRAMS}/toolgate",
    f"{_PROGRAMS}/toolgate-hook",
    f"{sys.prefix}/pyvenv.cfg",
    *supervision.PLACES,
    *((_BESIDE,) if _BESIDE.endswith("/site-packages") else ()),  # what Python reads by itself, the gate's too
)


def grounds(scene: Scene, places: Workplaces = WORKPLACES, kept: tuple[str, ...] = ()) -> Grounds:
    """Where this session's places are, the gate's own and all hosts' among them. `kept`: files that are the user's to change in
    this session."""
    own = folders(scene.environ, scene.home)
    logs = (safety_log(scene.environ, hosts.places(name).own_folder(scene.home, scene.environ)) for name in hosts.HOSTS)
    gate = (
        *logs,
        *(own.organisation, own.config, own.state, own.cache, own.runtime, f"{scene.project.rstrip('/')}/.toolgate"),
        *INSTALLED,
        *(f"{folder}/policy.toml" for folder in (own.organisation, own.config)),  # known by a hard link's name too
        *kept,
    )
    settings: list[str] = []
    scripts: list[str] = []
    own_folders: list[str] = []
    for name in hosts.HOSTS:
        host = hosts.places(name)
        hooks = host.hook_folders(scene.home, scene.project, scene.environ)
        scripts += hooks
        own_folders.append(host.own_folder(scene.home, scene.environ))
        settings += [path for path in host.settings_files(scene.home, scene.project, scene.environ) if path not in hooks]
    return Grounds(scene.home, scene.project, gate, tuple(settings), tuple(scripts), tuple(own_folders), places)
