"""Set-up and test commands of ordinary repositories, judged in packages' sources as if they were the repositories."""

import subprocess
from pathlib import Path

from real_life import HOME, unpack

from toolgate.app import App
from toolgate.model.action import RunShell
from toolgate.model.decision import Decision
from toolgate.model.event import Caller, Scene
from toolgate.model.rule import Policy

PYTHON = (
    "python -m venv .venv && . .venv/bin/activate && pip install -e .",
    *("pip install -e .", "pip install -e '.[test]'", "pip install -r requirements.txt", "pip wheel .", "python -m build"),
    *("pytest", "python -m pytest -x -q", "python -m unittest", "tox", "tox -e py", "nox", "hatch run test"),
    *("make", "make test", "make lint", "uv sync", "uv pip install -e .", "pdm install", "poetry install"),
    *("pre-commit run --all-files", "sphinx-build docs docs/_build", "mypy .", "ruff check ."),
)
JAVASCRIPT = (
    *("npm install", "npm ci", "npm test", "npm start", "npm run build", "npm run lint", "npm run -ws test", "npm pack"),
    *("yarn", "yarn install", "yarn test", "yarn build", "pnpm install", "pnpm test", "pnpm build", "bun install", "bun test"),
    *("npx jest", "npx vitest run", "npx mocha", "npx eslint .", "npx prettier --check .", "npx tsc", "make test"),
)


def unpack_and_commit(archive: Path, into: Path) -> Path:
    """Unpack a package's source into a repository that holds all of it."""
    folder = unpack(archive, into)
    author = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for words in (("init", "-q"), ("add", "-A", "-f"), (*author, "commit", "-qm", "source")):
        subprocess.run(("git", *words), cwd=folder, check=True, capture_output=True)
    return folder


def judge_in(folder: Path, command: str) -> Decision:
    scene = Scene(Caller("claude-code", ""), str(folder), str(folder), HOME, {"HOME": HOME}, "developer")
    return App().judge(RunShell(command), scene, Policy()).decision
