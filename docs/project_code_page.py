"""Writes the page on what programs load of a project's own code, from the tables in programs/tasks."""

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
read whole is asked about.

What such a file does to databases and services is its author's responsibility, with one exception: code that a test runner
loads, and that opens a database of another machine itself (by an address in the code, in `.env` or in a variable), is asked about
where it empties that database. Tests that replace parts of libraries or settings are not.
"""
OTHERS = {
    "python_tests": "also plugins that options, `PYTEST_ADDOPTS`, `PYTEST_PLUGINS`, settings and `conftest.py` name, and the"
    " modules that `unittest` is given",
    "python_builds": "`setup.py`, a build backend of the project, and hooks of hatchling, PDM and Poetry, on an installation"
    " or a build from a folder",
    "named_scripts": "scripts by name, in `pyproject.toml`, `Pipfile`, `pixi.toml`, `composer.json` and the packages of a"
    " workspace",
    "command_files": "commands in `tox.ini`, `setup.cfg`, `tox.toml`, `dodo.py`, `Procfile`, `.pre-commit-config.yaml`,"
    " `lefthook.yml` (with its scripts), `devcontainer.json`, `meson.build`, `*.tf` and project files of .NET",
    "build_tools": "wrappers, runners, linkers and aliases in `.cargo/config.toml`; `//go:generate` in the folders that `go"
    " generate` names, or in 500 folders below; programs of the exec plugin of Maven, and `exec` and `delete` of antrun;"
    " `session.run` with literal words; tasks of lint-staged in JSON",
    "cmake_files": "commands in `CMakeLists.txt`, the files and folders it includes, and scripts run with `-P`",
    "playbooks": "the tasks of playbooks and roles: commands, scripts, and files that are removed or written; plugins and"
    " modules beside them, and inventories that are programs",
    "compose_files": "services of `compose.yaml`: each is judged as the `docker run` that it describes",
}
TASKS = {
    "npm pnpm yarn bun": "the scripts of `package.json` that the subcommand runs, below; those of selected workspaces; on an"
    " installation those of all workspaces and of dependencies in folders; `script-shell` and `node-options` of `.npmrc`,"
    " `.pnpmfile.cjs`, `preload` of `bunfig.toml`",
    "make gmake": "the recipes that the targets need, `$(shell ...)`, `$(eval ...)`, included files, a `SHELL` of the project",
    "just": "the recipes, imports and modules, commands in backticks, `set shell`",
    "task go-task": "the commands, variables, conditions and included files",
    "mise": "tasks in `mise.toml` and in folders of tasks",
    "deno": "tasks in `deno.json`",
}
NOT_READ = """## What is not read

- Tests and sources that were there before this session, unless the command names them.
- Installed packages: plugins of these programs, programs in `node_modules/.bin`, releases of Yarn in the project.
- Files that Ruby and PHP load with `require`.
- `-toolexec` of Go, build scripts of other names and of members of a workspace, loaders of webpack, and PostCSS
  settings of Vite if another configuration is named.
- Text that make evaluates from the output of a command.
- Bazel, Nix, Scala and Elixir beyond calls with literal arguments. Java, Kotlin, C#, Rust and R are read by literal
  arguments too, in the branches that the command line of the program leaves.
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


COMPARED = """## Compared with the real programs

`tests/differential/runner_projects.toml` holds projects in which every place where a runner's documentation says that code
runs is marked. The command runs for real, and the marks that were left are compared with the verdicts where one of the
marked lines deletes the user's folder. npm, node, make, python, pip, pytest and unittest are compared in every test run;
`TOOLGATE_RUNNERS=all` compares every runner that is installed.

On 2026-11-24, 37 other runners ran 201 commands: 591 marked lines ran, 73 of them were not stopped. 29 of the 73 are of cargo
and Go, whose sources are read in part, and 9 are tests of an earlier session. The versions:
ansible-core 2.19.14, ava 7.0.0, Babel 7.29.13, bun 1.4.5, Bundler 2.3.15, cargo 1.95.0, CMake 3.25.1, Composer 2.5.5,
ESLint 10.15.0, Go 1.19, go-task 3.54.0, Grunt 1.6.3, gulp 5.0.1, hatch 1.18.2, invoke 2.2.1, Jasmine 7.0.0, Jest 30.5.2,
just 1.59.0, lefthook 2.2.2, Mocha 12.0.3, nox 2026.10.20, pdm 2.29.3, PHPUnit 9.6.7, pnpm 12.21.0, poethepoet 0.49.0,
pre-commit 4.7.0, Prettier 3.10.1, rake 13.0.6, Rollup 4.68.7, RSpec 3.12.0, Stylelint 17.16.0, tox 4.67.15, tsx 4.23.15,
Vite 8.3.8, Vitest 4.1.12, webpack 5.112.2, Yarn 1.22.22.
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
            *(*tasks, *others, "", "## Scripts of package.json", "", *lifecycle, "", NOT_READ, WRITTEN, COMPARED),
        ]
    )


def _code(words: Sequence[str]) -> str:
    return " ".join(f"`{word}`" for word in words)
