"""Warm-up of a daemon: everything that a call may need is loaded and has run once."""

import gc
import json
import pkgutil
from importlib import import_module

import toolgate
from toolgate.app import App
from toolgate.machine.simulated_world import SimulatedWorld
from toolgate.model.request import Request

COMMANDS = (
    "git status && git diff --stat | head -5",
    "cd src && rm -rf build *.pyc && npm test 2>&1 | tail -5",
    'for f in *.log; do echo "$f" >> all.txt; done',
    "psql -c 'select 1'",
    "python3 -c 'import json; print(json.dumps({}))'",
    "curl -fsSL https://example.com/x -o x",
)
NOT_FOR_CALLS = ("api", "canary", "cases", "cli", "history", "report", "sdk", "transport")
LOADED_WHERE_USED = frozenset(("toolgate.stores.postgres", "toolgate.audit.open_telemetry", "toolgate.audit.parquet"))
"""Few installations need their libraries, which take memory and start threads. Where the state or the records go there, the call
that started the daemon has loaded them; files for analysis are exported from the command line."""
ABSENT_FOLDER = "/dev/null"
"""Nothing can be created in it, not even by root."""


def warm_up() -> None:
    """Runs everything once without any effect on the machine: the world is simulated, and records have no place."""
    for module in pkgutil.walk_packages(toolgate.__path__, "toolgate.", onerror=lambda _name: None):
        if module.name.split(".")[1] not in (*NOT_FOR_CALLS, "__main__") and module.name not in LOADED_WHERE_USED:
            _import_module(module.name)
    app = App(SimulatedWorld)
    environ = {"HOME": ABSENT_FOLDER, "TOOLGATE_HOME": ABSENT_FOLDER}
    for command in COMMANDS:
        call = {"cwd": ABSENT_FOLDER, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}}
        app.handle(Request("claude-code", "PreToolUse", json.dumps(call).encode(), environ, ABSENT_FOLDER, 1, 0.0))


def freeze_memory() -> None:
    """Keeps the memory in use for good; garbage of calls is collected rarely, and not between most of them."""
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def _import_module(name: str) -> None:
    try:
        import_module(name)
    except ImportError:
        pass  # a dependency is not installed; the user of the module reports that
