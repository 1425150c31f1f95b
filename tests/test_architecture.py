"""Checks the structure of the code: who imports whom, what the deciding half may touch, and how long a file may be."""

import ast
import configparser
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "toolgate"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
CONTRACTS: dict[str, dict[str, object]] = {each["id"]: each for each in PROJECT["tool"]["importlinter"]["contracts"]}

IMPURE = (
    "cli",
    "api",
    "transport",
    "sdk",
    "cases",
    "canary",
    "history",
    "report",
    "launching",
    "app",
    "sessions",
    "session_places",
    "designs",
    "policy",
    "install",
    "audit",
    "stores",
    "undo",
    "machine",
)
UNJUDGED = (*IMPURE, "__init__", "__main__")
DATA = ("profiles",)  # folders of data have no layer
POSIX_NAMES = {
    "os": "chown fchmod fchown fork forkpty getegid geteuid getgid getgroups getpgid getuid getxattr killpg listxattr "
    "memfd_create pread pwrite sched_getaffinity setgroups setpgid setsid setxattr uname waitpid WNOHANG "
    "O_CLOEXEC O_DIRECTORY O_NOCTTY O_NOFOLLOW O_NONBLOCK O_PATH",
    "signal": "ITIMER_REAL SIGALRM SIGCHLD SIGHUP SIGKILL SIG_BLOCK pthread_sigmask setitimer",
    "socket": "AF_UNIX SOCK_SEQPACKET SO_PEERCRED recv_fds send_fds",
}
POSIX_MODULES = ("fcntl", "grp", "posix", "pty", "pwd", "resource", "termios", "tty")
POSIX_ONLY = {  # file or folder beneath src/toolgate that may use them outside `machine` -> why it may
    **dict.fromkeys(("transport/daemon.py", "transport/worker.py", "transport/running_daemons.py"), "Windows has no daemon"),
    **dict.fromkeys(("transport/twin.py", "transport/engine.py"), "the client of the daemon, and its engine"),
    **dict.fromkeys(("transport/supervisor.py", "transport/keeper.py", "cli/tier.py"), "only Linux has a supervisor"),
    "transport/memory.py": "a limit that only Linux enforces",
    **dict.fromkeys(("transport/deadline.py", "transport/process.py"), "a timer where there is one"),
    "undo": "copies need descriptors of folders: off on Windows",
    "audit/sinks/jsonl.py": "a lock where there is one",
    "cli/redact.py": "the filter ends before its input where it can",
}
LINES = 400
LONGER = {  # file beneath src/toolgate -> why it is one thing all the same
    "transport/twin.py": "client.c once more: every import would cost at every call",
}
NAMES_THAT_SAY_NOTHING = {"utils", "util", "helpers", "helper", "common", "manager", "base", "types", "constants", "misc", "lib"}
NOT_ON_THE_HOOK = (
    "asyncio",
    "base64",
    "click",
    "logging",
    "msgspec",
    "psycopg",
    "re2",
    "rich",
    "shlex",
    "sqlglot",
    "sqlite3",
    "threading",
    "tomllib",
    "tree_sitter",
    "toolgate.rules.plan.context",
    "toolgate.prompts",
    "toolgate.sessions.plan_execution",
    "toolgate.sessions.prompting",
    "toolgate.sessions.plan_work",
    "toolgate.sessions.undo_copies",
    "toolgate.undo.vault",
    "typing_extensions",
    "unittest",
    "yaml",
)


def modules() -> Iterator[Path]:
    return (path for path in sorted(SOURCE.rglob("*.py")) if path.is_file())


def pure_modules() -> list[Path]:
    return [path for path in modules() if path.relative_to(SOURCE).parts[0].removesuffix(".py") not in UNJUDGED]


def relative(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def test_the_page_on_architecture_names_files_that_exist() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    named = set(re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.(?:py|toml|c))`", page))
    assert named
    assert [path for path in sorted(named) if not (SOURCE / path).exists() and not (ROOT / path).exists()] == []


# The contracts themselves.


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    command = [sys.executable, "-c", program, "--no-cache", "--config", "contracts.ini"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def skeleton(folder: Path, contract: Mapping[str, object], breach: Mapping[str, str]) -> None:
    """The package with every module empty, one contract, and the lines of one violation."""
    names = {relative(path) for path in modules()} | set(breach)
    names |= {f"{parent}/__init__.py" for name in names for parent in map(str, Path(name).parents) if parent != "."}
    for name in names | {"__init__.py"}:
        path = folder / "toolgate" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(breach.get(name, ""))
    config = configparser.ConfigParser()
    config["importlinter"] = {"root_package": "toolgate", "include_external_packages": "true"}
    config["importlinter:contract:only"] = {
        key: "\n" + "\n".join(value) if isinstance(value, list) else str(value).lower() if isinstance(value, bool) else str(value)
        for key, value in contract.items()
        if key != "id"
    }
    with (folder / "contracts.ini").open("w") as file:
        config.write(file)


BREACHES: dict[str, dict[str, str]] = {
    "layers": {"model/word.py": "from ..shell.syntax import tree"},
    "shell": {"shell/domain/values.py": "from ..run import loops"},
    "pure": {"shell/syntax/tree.py": "import os"},
    "hosts": {"hosts/one.py": "from . import two", "hosts/two.py": ""},
    "rules": {"rules/git/one.py": "from . import two", "rules/git/two.py": ""},
    "stores": {"stores/one.py": "from . import two", "stores/two.py": ""},
    "programs": {"programs/one.py": "from ..shell.syntax import tree"},
    "click": {"app.py": "import click"},
    "msgspec": {"app.py": "import msgspec"},
    "re2": {"judge.py": "import re2"},
    "jinja2": {"app.py": "import jinja2"},
    "opentelemetry": {"app.py": "import opentelemetry"},
    "starlette": {"report/page.py": "import starlette"},
    "databases": {"app.py": "import sqlite3"},
    "sqlglot": {"judge.py": "import sqlglot"},
    "tree-sitter": {"judge.py": "import tree_sitter"},
    "yaml": {"judge.py": "import yaml"},
}


@pytest.mark.parametrize("name", CONTRACTS)
def test_a_contract_catches_its_breach(name: str, tmp_path: Path) -> None:
    skeleton(tmp_path / "kept", CONTRACTS[name], dict.fromkeys(BREACHES[name], ""))
    skeleton(tmp_path / "broken", CONTRACTS[name], BREACHES[name])
    kept_folder, broken = lint(tmp_path / "kept"), lint(tmp_path / "broken")
    assert (kept_folder.returncode, "1 kept, 0 broken" in kept_folder.stdout) == (0, True), (
        kept_folder.stdout + kept_folder.stderr
    )
    assert (broken.returncode, "0 kept, 1 broken" in broken.stdout) == (1, True), broken.stdout + broken.stderr


def test_a_package_without_a_place_is_caught(tmp_path: Path) -> None:
    skeleton(tmp_path, CONTRACTS["layers"], {"somewhere/__init__.py": ""})
    assert "0 kept, 1 broken" in lint(tmp_path).stdout


def test_every_contract_holds() -> None:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


def test_the_purity_contract_names_every_pure_package() -> None:
    tops = {path.relative_to(SOURCE).parts[0].removesuffix(".py") for path in pure_modules()}
    assert CONTRACTS["pure"]["source_modules"] == sorted(f"toolgate.{name}" for name in tops - set(DATA))


# What import-linter cannot see.


def test_the_deciding_half_opens_prints_and_asks_nothing() -> None:
    found = {relative(path): list(impurities(ast.parse(path.read_text()))) for path in pure_modules()}
    assert {path: doors for path, doors in found.items() if doors} == {}


NETWORK = ("urllib.request", "http.client")


def impurities(tree: ast.AST) -> Iterator[str]:
    """Yields access to the outside that needs no import, or that a package offers which is otherwise pure."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="open" | "print" | "input" | "exec" | "eval" | "breakpoint" as name)):
                yield f"line {node.lineno}: {name}()"
            case ast.Import(names=names):
                yield from (
                    f"line {node.lineno}: {each.name}" for each in names if each.name in ("urllib.request", "http.client")
                )
            case ast.ImportFrom(module="urllib.request" | "http.client" as name):
                yield f"line {node.lineno}: {name}"
            case ast.Attribute(value=ast.Name(id="datetime" | "date"), attr="now" | "today" | "utcnow" as name):
                yield f"line {node.lineno}: datetime.{name}"
            case _:
                pass


@pytest.mark.parametrize("line", ["open('x')", "print(1)", "input()", "import urllib.request", "datetime.now()", "eval('1')"])
def test_an_impurity_is_seen(line: str) -> None:
    assert len(list(impurities(ast.parse(line)))) == 1


def platform_calls(tree: ast.AST) -> Iterator[str]:
    """Yields what only POSIX has: an attribute of a module, or an imported module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = node.value.id.removeprefix("_")
            if node.attr in POSIX_NAMES.get(module, "").split():
                yield f"{module}.{node.attr}"
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in POSIX_MODULES)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = POSIX_NAMES.get(node.module or "", "").split()
            yield from (alias.name for alias in node.names if alias.name in names or node.module in POSIX_MODULES)


def test_what_only_posix_has_is_called_by_machine() -> None:
    found = {relative(path): [*platform_calls(ast.parse(path.read_text()))] for path in modules()}
    callers = {file for file, calls in found.items() if calls and not file.startswith("machine/")}
    excused = {excuse: {file for file in callers if file == excuse or file.startswith(f"{excuse}/")} for excuse in POSIX_ONLY}
    assert callers - set().union(*excused.values()) == set()
    assert [excuse for excuse, files in excused.items() if not files] == []


@pytest.mark.parametrize(
    "line", ["os.getuid()", "import fcntl", "from pwd import getpwnam", "_socket.AF_UNIX", "from os import fork"]
)
def test_a_platform_call_is_seen(line: str) -> None:
    assert [*platform_calls(ast.parse(line))]


def test_a_file_is_read_in_one_sitting() -> None:
    long = {relative(path) for path in modules() if len(path.read_text().splitlines()) > LINES}
    assert long == set(LONGER), "split it, or say in LONGER why not; take off the list what is short again"


def test_a_name_says_what_it_holds() -> None:
    assert [relative(path) for path in modules() if NAMES_THAT_SAY_NOTHING & {path.stem, path.parent.name}] == []


def test_importing_toolgate_costs_nothing() -> None:
    assert (SOURCE / "__init__.py").read_text() == ""


def test_a_hook_call_imports_what_it_needs_and_no_more(tmp_path: Path) -> None:
    """Start-up is most of the cost of a call. The test is deterministic, unlike a clock."""
    payload = (
        '{"session_id":"s","transcript_path":"","cwd":"/tmp","hook_event_name":"PreToolUse","permission_mode":"default",'
        '"tool_name":"Bash","tool_input":{"command":"git status"},"tool_use_id":"t"}'
    )
    result = subprocess.run(
        [sys.executable, "-I", "-X", "utf8", "-X", "importtime", "-m", "toolgate", "hook", "claude-code", "PreToolUse"],
        input=payload,
        env={"HOME": str(tmp_path), "TOOLGATE_HOME": str(tmp_path / "gate"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    loaded = {line.rpartition("|")[2].strip() for line in result.stderr.splitlines() if line.startswith("import time:")}
    assert (result.returncode, result.stdout) == (0, ""), result.stderr
    assert "toolgate.app" in loaded
    assert sorted(loaded & set(NOT_ON_THE_HOOK)) == []
