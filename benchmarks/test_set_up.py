"""False alarms on set-up and test commands, in the sources of 100 packages.

A package of PyPI is judged with the commands for Python, one of npm with those for JavaScript. Nothing is run.
"""

import subprocess
from collections.abc import Callable
from pathlib import Path

from set_up import JAVASCRIPT, PYTHON, judge_in, unpack_and_commit
from test_real_life import CACHE, PROJECTS, download

from toolgate.model.decision import Decision, Verdict

NPM = """
    axios@1.21.1 bcrypt@6.0.0 better-sqlite3@12.11.1 chalk@5.6.2 commander@14.0.3 cypress@15.3.0 debug@4.4.3
    dotenv@18.0.10 eslint@10.15.0 express@5.3.0 fastify@5.12.8 glob@14.0.6 got@14.6.6 husky@9.1.7 inquirer@14.2.5
    jest@30.5.2 jsdom@29.1.1 knex@3.3.0 koa@3.3.0 lodash@4.18.1 luxon@3.7.2 marked@18.2.1 mocha@12.0.3 mongoose@9.12.1
    nanoid@5.1.16 nodemon@3.1.14 ora@9.4.1 pino@10.4.0 prettier@3.10.1 prisma@7.10.1 puppeteer@24.43.1 ramda@0.32.0
    react@19.3.1 redux@5.0.1 rimraf@6.1.4 rollup@4.68.7 rxjs@7.8.2 semver@7.8.6 sequelize@6.37.8 sharp@0.35.5
    socket.io@4.8.4 svelte@5.57.3 tailwindcss@4.3.5 three@0.187.0 typescript@7.0.2 undici@7.30.2 uuid@14.0.3
"""
AIM = 1
"""Repositories in which a command may be stopped."""
KNOWN = {"tornado==6.6.1": "a script that tox starts imports every module of the project and describes all that is in it"}
"""Repositories in which a command is stopped that should not be. The list may only shrink."""


def pack(package: str) -> Path:
    """Returns the tarball of one package, which npm downloads once into the cache folder."""
    folder = CACHE / "npm" / package.replace("/", "-")
    folder.mkdir(parents=True, exist_ok=True)
    if not any(folder.glob("*.tgz")):
        subprocess.run(["npm", "pack", "--silent", package], cwd=folder, check=True, timeout=300, capture_output=True)
    return next(folder.glob("*.tgz"))


def test_hardly_any_repository_is_stopped(tmp_path: Path, figure: Callable[[str, str, str], None]) -> None:
    sources = [(name, download(name), PYTHON) for name in PROJECTS.split()]
    sources += [(name, pack(name), JAVASCRIPT) for name in NPM.split()]
    stopped: dict[str, dict[str, Decision]] = {}
    for name, archive, commands in sources:
        (tmp_path / name).mkdir()
        folder = unpack_and_commit(archive, tmp_path / name)
        found = {command: judge_in(folder, command) for command in commands}
        if stopped_commands := {command: decision for command, decision in found.items() if decision.verdict >= Verdict.ASK}:
            stopped[name] = stopped_commands
    count = sum(len(commands) for _, _, commands in sources)
    figure("repositories; commands judged in them", f"{len(sources)}; {count:,}", "")
    figure("repositories with a command that is stopped", f"{len(stopped)} ({', '.join(stopped)})", f"at most {AIM}")
    figure("commands stopped", str(sum(map(len, stopped.values()))), "")
    reasons = {
        name: {command: each.tell_user for command, each in stopped_commands.items()}
        for name, stopped_commands in stopped.items()
    }
    assert set(stopped) <= set(KNOWN), reasons
