"""The page of what programs load of a project's own code, from the tables in programs/tasks."""

from collections import defaultdict
from collections.abc import Sequence

from toolgate.programs.tasks import MODULES, code_files, lifecycle_scripts

INTRODUCTION = """# A project's own code

A test runner loads `conftest.py`, a bundler its configuration, `npm ci` the scripts of `package.json`: what they say
runs, although no command of the agent's names it. toolgate reads these files as the program would, and judges what they
do.

What a program always loads is read, and so is the code that its configuration or the command line names
(`"jest": {"setupFiles": ["./test/setup.js"]}`, `pytest -p plugin`, `pytest tests/test_a.py`). Of what it collects (tests,
sources), those files are read that this call or an earlier one of its session wrote. A file that is there and cannot be
read whole is asked about; of the build of a Python project, the part that takes too many steps is not followed, unless
the session wrote it.
"""
OTHERS = {
    "python_tests": "also plugins that options, `PYTEST_ADDOPTS`, `PYTEST_PLUGINS`, settings and `conftest.py` name, and the"
    " modules that `unittest` is given",
    "python_builds": "`setup.py`, a build backend of the project, and hooks of hatchling, PDM and Poetry, on an installation"
    " or a build from a folder",
    "named_scripts": "scripts by name, in `pyproject.toml`, `Pipfile`, `pixi.toml`, `composer.json` and the packages of a"
    " workspace",
    "command_files": "commands in `tox.ini`, `setup.cfg`, `tox.toml`, `Procfile`, `.pre-commit-config.yaml`, `lefthook.yml`,"
    " `devcontainer.json`, `meson.build`, `*.tf` and project files of .NET",
    "cmake_files": "commands in `CMakeLists.txt`, the files and folders it includes, and scripts run with `-P`",
    "playbooks": "the tasks of playbooks and roles: commands, scripts, and files that are removed or written; plugins and"
    " modules beside them, and inventories that are programs",
    "compose_files": "services of `compose.yaml`: each is judged as the `docker run` that it describes",
}
TASKS = {
    "npm pnpm yarn bun": "the scripts of `package.json` that the subcommand runs, below; those of selected workspaces; on an"
    " installation those of all workspaces and of dependencies in folders; `script-shell` and `node-options` of `.npmrc`,"
    " `.pnpmfile.cjs`, `preload` of `bunfig.toml`",
    "make gmake": "the recipes that the targets need, `$(shell ...)`, included files, a `SHELL` of the project",
    "just": "the recipes, imports and modules, commands in backticks, `set shell`",
    "task go-task": "the commands, variables, conditions and included files",
    "mise": "tasks in `mise.toml` and in folders of tasks",
    "deno": "tasks in `deno.json`",
}
NOT_READ = """## What is not read

- Tests and sources that were there before this session, unless the command names them.
- Installed packages: plugins of these programs, programs in `node_modules/.bin`, releases of Yarn in the project.
- Files that Ruby and PHP load with `require`.
- Tasks of lint-staged, scripts of lefthook, `-toolexec` of Go, and wrappers and aliases in `.cargo/config.toml`.
- Text that make evaluates from the output of a command.
- Bazel, Nix, Scala, Elixir, Go and Rust beyond calls with literal arguments.
"""
WRITTEN = """## What is judged when it is written

Shell start-up files, git hooks and `.husky`, git's configuration, crontabs, systemd units, autostart entries and launch
agents, ssh's configuration and `authorized_keys`, `.vscode/tasks.json` (tasks that run when the folder opens), profiles of
its terminal and settings that approve every call, start-up files of Vim, Emacs, gdb, tmux, kitty, alacritty and wezterm,
`initializeCommand` of dev containers, MCP servers that are started as programs, commands in skills, commands and agents of
coding agents, lifecycle scripts of `package.json`, `.npmrc` and `pip.conf`, local hooks of pre-commit, `conftest.py`,
`setup.py`, `sitecustomize.py`, `.pth` files, and steps of workflows on GitHub, GitLab and CircleCI that send something
while they hold secrets, or run a download while they may write.

Makefiles, tests and other scripts are judged when something runs them.
"""


def page() -> str:
    names = defaultdict(list)
    for name, row in code_files.LOADS.items():
        names[row].append(name)
    table = ["| program | always loaded | may name code to load | collected |", "|---|---|---|---|"]
    table += [
        f"| {_code(programs)} | {_code(row.files)} | {_code((*row.naming, *sorted(row.preloads)))} | {_code(row.collected)} |"
        for row, programs in names.items()
    ]
    events = defaultdict(list)
    for verb, scripts in lifecycle_scripts.EVENTS.items():
        events[scripts].append(verb)
    lifecycle = ["| subcommand | scripts |", "|---|---|"]
    lifecycle += [f"| {_code(verbs)} | {_code(scripts)} |" for scripts, verbs in events.items()]
    tasks = [f"- {_code(programs.split())}: {text}" for programs, text in TASKS.items()]
    others = [f"- {_code(MODULES[module].split())}: {text}" for module, text in OTHERS.items()]
    return "\n".join(
        [
            *(INTRODUCTION, *table, "", "Others hold commands in a format of their own, or load more than files by name:", ""),
            *(*tasks, *others, "", "## Scripts of package.json", "", *lifecycle, "", NOT_READ, WRITTEN),
        ]
    )


def _code(words: Sequence[str]) -> str:
    return " ".join(f"`{word}`" for word in words)
