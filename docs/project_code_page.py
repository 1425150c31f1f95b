"""The page of what programs load of a project's own code, from the tables in programs/tasks."""

from collections import defaultdict
from collections.abc import Sequence

from toolgate.programs.tasks import MODULES, code_files

INTRODUCTION = """# A project's own code

A test runner loads `conftest.py`, a bundler its configuration, `npm ci` the scripts of `package.json`: what they say
runs, although no command of the agent's names it. toolgate reads these files as the program would, and judges what they
do.

What a program always loads is read. Of what it collects (tests, sources), those files are read that the same call
wrote. A file that is there and cannot be read whole is asked about.
"""
OTHERS = {
    "named_scripts": "scripts by name, in `pyproject.toml`, `Pipfile`, `pixi.toml`, `composer.json` and the packages of a"
    " workspace",
    "command_files": "commands in `tox.ini`, `Procfile`, `.pre-commit-config.yaml`, `lefthook.yml`, `devcontainer.json`,"
    " `CMakeLists.txt`, `meson.build`, `*.tf` and project files of .NET",
    "playbooks": "the tasks of playbooks and roles: commands, and files that are removed or written",
    "compose_files": "services of `compose.yaml`: each is judged as the `docker run` that it describes",
}
NOT_READ = """## What is not read

- Tests and sources that an earlier call wrote, or that were there before, unless the command names them.
- Plugins of these programs, and what the configuration imports from other files.
- Bazel, Nix, Scala and Elixir beyond calls with literal arguments.
"""
WRITTEN = """## What is judged when it is written

Shell start-up files, git hooks and `.husky`, crontabs, systemd units, autostart entries and launch agents,
`.vscode/tasks.json` (tasks that run when the folder opens) and settings that approve every call, `initializeCommand` of
dev containers, MCP servers that are started as programs, commands in skills, commands and agents of coding agents,
lifecycle scripts of `package.json`, `conftest.py`, `setup.py`, `sitecustomize.py`, and steps of workflows that send
something while they hold secrets.
"""


def page() -> str:
    names = defaultdict(list)
    for name, row in code_files.LOADS.items():
        names[row].append(name)
    table = ["| program | always loaded | collected |", "|---|---|---|"]
    table += [f"| {_code(programs)} | {_code(row.files)} | {_code(row.collected)} |" for row, programs in names.items()]
    others = [f"- {_code(MODULES[module].split())}: {text}" for module, text in OTHERS.items()]
    return "\n".join(
        [INTRODUCTION, *table, "", "Others hold commands in a format of their own:", "", *others, "", NOT_READ, WRITTEN]
    )


def _code(words: Sequence[str]) -> str:
    return " ".join(f"`{word}`" for word in words)
