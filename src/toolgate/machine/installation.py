"""The installation of the running gate: the environment that was registered with a host when `toolgate install` ran from it."""

import os
import sys

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_PROGRAMS = os.path.dirname(os.path.abspath(sys.executable))
PACKAGES_FOLDER = os.path.dirname(_PACKAGE)
"""The folder from which Python imports the gate's own package."""

_ENVIRONMENT = os.path.dirname(_PROGRAMS)  # not sys.prefix: without `site` that is the base installation's

INSTALLED_PATHS: tuple[str, ...] = (
    _PACKAGE,
    f"{_PROGRAMS}/toolgate",
    f"{_PROGRAMS}/toolgate-hook",
    f"{_ENVIRONMENT}/pyvenv.cfg",
    *((PACKAGES_FOLDER,) if PACKAGES_FOLDER.endswith("/site-packages") else ()),  # Python may import anything there into the gate
)
"""Paths that belong to the gate wherever it is installed, also among the packages of the system's Python."""

ENVIRONMENTS: tuple[str, ...] = (_ENVIRONMENT,) if os.path.exists(f"{_ENVIRONMENT}/pyvenv.cfg") else ()
"""The virtual environment of the gate alone: every program in it belongs to the gate. Empty if the gate shares
the system's Python."""
