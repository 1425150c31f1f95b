"""The real clients, pinned, in the project's cache folder and ignored by git.

`REQUIRE_CLIENTS=1` makes a client that cannot be installed a failure; without it, its tests are skipped.
"""

import fcntl
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest

CACHE = Path(__file__).parents[2] / ".cache" / "clients"
CLAUDE_CODE = "2.1.328"
CLAUDE_AGENT_SDK = "0.2.184"
COPILOT = "1.0.102"
COPILOT_SDK = "1.0.27"
OPENCODE = "1.18.33"
CODEX = "0.169.0"
GEMINI = "0.61.0"
QWEN = "0.24.4"
KIMI = "2.1.0"
CLINE = "3.0.65"
KILO = "7.7.9"
NODE = "24"
NODE_COPILOT_SDK = "1.0.14"
NODE_CLAUDE_SDK = "0.3.330"
MINUTES = 60


def claude_code() -> Path:
    """Returns the program of Claude Code, installed on first use: from npm, else the one that its Python SDK bundles."""
    with _lock_cache():
        program = _from_npm() or _from_pip()
    return program or skip_or_fail("Claude Code cannot be had: neither npm nor pip could install it")


def copilot() -> Path:
    """Returns the program of Copilot's runtime, installed on first use from npm. It downloads nothing itself."""
    with _lock_cache():
        folder = CACHE / f"copilot-{COPILOT}"
        program = folder / "node_modules" / "@github" / f"copilot-linux-{_machine()}" / "copilot"
        if not program.exists():
            _npm_install(folder, f"@github/copilot@{COPILOT}")
    return program if program.exists() else skip_or_fail("Copilot cannot be had: npm could not install it")


def opencode() -> Path:
    """Returns the program of OpenCode that runs on any processor, installed on first use from npm."""
    program = f"node_modules/opencode-linux-{_oldest_processor()}/bin/opencode"
    return _install_program(CACHE / f"opencode-{OPENCODE}", f"opencode-ai@{OPENCODE}", program)


def kilo() -> Path:
    """Returns the program of Kilo, installed on first use from npm: the package for Linux, which `@kilocode/cli` starts."""
    package = f"@kilocode/cli-linux-{_oldest_processor()}"
    return _install_program(CACHE / f"kilo-{KILO}", f"{package}@{KILO}", f"node_modules/{package}/bin/kilo")


def codex() -> Path:
    """Returns the program of Codex, installed on first use from npm."""
    with _lock_cache():
        folder = CACHE / f"codex-{CODEX}"
        pattern = f"node_modules/@openai/codex-linux-{_machine()}/vendor/*/bin/codex"
        if not [*folder.glob(pattern)]:
            _npm_install(folder, f"@openai/codex@{CODEX}")
    found = [*folder.glob(pattern)]
    return found[0] if found else skip_or_fail("Codex cannot be had: npm could not install it")


def gemini() -> Path:
    return _script("gemini", f"@google/gemini-cli@{GEMINI}")


def qwen() -> Path:
    return _script("qwen", f"@qwen-code/qwen-code@{QWEN}")


def kimi() -> Path:
    return _script("kimi", f"@moonshot-ai/kimi-code@{KIMI}")


def cline() -> Path:
    return _script("cline", f"cline@{CLINE}")


def node() -> Path:
    """Returns the folder of a Node that is recent enough for every client."""
    return _install_program(CACHE / f"node-{NODE}", f"node@{NODE}", "node_modules/node/bin/node").parent


def _script(name: str, package: str) -> Path:
    """Returns the program of a client under the name that npm links, installed on first use. It runs on `node`."""
    version = package.rpartition("@")[2]
    return _install_program(CACHE / f"{name}-{version}", package, f"node_modules/.bin/{name}")


def _install_program(folder: Path, package: str, program: str) -> Path:
    with _lock_cache():
        if not (folder / program).exists():
            _npm_install(folder, package)
    return folder / program if (folder / program).exists() else skip_or_fail(f"{package} cannot be had: npm could not install it")


def node_sdks() -> Path:
    """Returns a folder with both SDKs for Node and the runtimes that they bring."""
    with _lock_cache():
        folder = CACHE / f"node-sdks-{NODE_COPILOT_SDK}-{NODE_CLAUDE_SDK}"
        modules = folder / "node_modules"
        needed = (modules / "@github/copilot-sdk", modules / "@anthropic-ai/claude-agent-sdk")
        if not all(each.exists() for each in needed):
            wanted = (f"@github/copilot-sdk@{NODE_COPILOT_SDK}", f"@anthropic-ai/claude-agent-sdk@{NODE_CLAUDE_SDK}")
            _npm_install(folder, *wanted)
    whole = all(each.exists() for each in needed)
    return folder if whole else skip_or_fail("the SDKs for Node cannot be had: npm could not install them")


def sdks() -> Path:
    """Returns a folder with both SDKs for Python and their dependencies, for the path of a program's own process."""
    with _lock_cache():
        folder = CACHE / f"sdks-{CLAUDE_AGENT_SDK}-{COPILOT_SDK}-{sys.version_info.major}.{sys.version_info.minor}"
        if not (folder / "whole").exists():
            words = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder)]
            wanted = [f"claude-agent-sdk=={CLAUDE_AGENT_SDK}", f"github-copilot-sdk=={COPILOT_SDK}"]
            if subprocess.run([*words, *wanted], capture_output=True, timeout=10 * MINUTES, check=False).returncode == 0:
                (folder / "whole").touch()
    return folder if (folder / "whole").exists() else skip_or_fail("the SDKs cannot be had: pip could not install them")


def _machine() -> str:
    return {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())


def _oldest_processor() -> str:
    """Returns the part of a package's name for a program that runs on any processor of this machine's kind."""
    return f"{_machine()}-baseline" if _machine() == "x64" else _machine()


def skip_or_fail(reason: str) -> NoReturn:
    """Ends the test that needs the client."""
    if os.environ.get("REQUIRE_CLIENTS") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def _lock_cache() -> Iterator[None]:
    """Lets one of several test processes install a client while the others wait."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / "lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def version(program: Path, environ: Mapping[str, str] | None = None) -> str:
    result = subprocess.run(
        [program, "--version"], capture_output=True, text=True, check=True, timeout=MINUTES, env=environ
    ).stdout
    return str(re.findall(r"\d+(?:\.\d+)+", result)[0])


def _from_npm() -> Path | None:
    folder = CACHE / f"claude-code-{CLAUDE_CODE}"
    program = folder / "node_modules" / ".bin" / "claude"
    if not program.exists():
        _npm_install(folder, f"@anthropic-ai/claude-code@{CLAUDE_CODE}")
    return program if program.exists() else None


def _npm_install(folder: Path, *packages: str) -> None:
    """Installs a package. Its version is written out: with an old node, a bare name silently installs an old client."""
    npm = shutil.which("npm")
    if npm:
        folder.mkdir(parents=True, exist_ok=True)
        words = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), *packages]
        subprocess.run(words, capture_output=True, timeout=5 * MINUTES, check=False)


def _from_pip() -> Path | None:
    folder = CACHE / f"claude-agent-sdk-{CLAUDE_AGENT_SDK}"
    program = folder / "claude_agent_sdk" / "_bundled" / "claude"
    if not program.exists():
        words = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder)]
        subprocess.run([*words, f"claude-agent-sdk=={CLAUDE_AGENT_SDK}"], capture_output=True, timeout=5 * MINUTES, check=False)
    return program if program.exists() else None
