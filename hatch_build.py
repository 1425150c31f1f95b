"""Builds the native client into the wheel, where there is a C compiler.

The wheel then carries a program and is for one platform, but for every Python: py3-none-<platform>. Without a compiler it is a
wheel for any platform, and the client is the one in Python. REQUIRE_NATIVE=1 makes a missing client an error, TOOLGATE_PURE=1
leaves it out.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parent
SOURCE = ROOT / "src" / "toolgate" / "transport" / "client.c"
STRICT = ("-O2", "-Wall", "-Wextra", "-Werror", "-std=gnu11", "-s")
COMPILERS = ("cc", "gcc", "clang")
BARE = (
    *("-DBARE", "-static", "-nostdlib", "-ffreestanding", "-fno-stack-protector", "-fno-pie", "-no-pie"),
    *("-U_FORTIFY_SOURCE", "-fno-asynchronous-unwind-tables", "-Wno-unused-command-line-argument"),
)
"""Without a C library: Linux on x86-64 and aarch64."""
LIBRARY = (("-static",), ())


class ClientBuild(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        sys.path.insert(0, str(ROOT / "src"))
        from toolgate.machine import build

        folder = Path(tempfile.mkdtemp(prefix="toolgate-"))
        name = build.CHECKOUT
        if version == "standard":
            name = build.digest_sources(build.PACKAGE)
            (folder / "BUILD").write_text(name)
            build_data["force_include"][str(folder / "BUILD")] = "toolgate/transport/BUILD"
        client = None if os.environ.get("TOOLGATE_PURE") == "1" else compiled(folder / "toolgate-hook", name)
        if client:
            build_data["shared_scripts"][str(client)] = "toolgate-hook"
            build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
            build_data["pure_python"] = False
        elif os.environ.get("REQUIRE_NATIVE") == "1":
            raise SystemExit("REQUIRE_NATIVE=1, but the native client could not be built: is there a C compiler?")


def compiled(target: Path, build: str, *more: str, ways: Iterable[tuple[str, ...]] = (BARE, *LIBRARY)) -> Path | None:
    """The client, built in the first of these ways that works; None where nothing here compiles it. It is run once: a program
    that was built for another machine is none."""
    for compiler in filter(None, (os.environ.get("CC"), *COMPILERS)):
        if shutil.which(compiler.split()[0]) is None:
            continue
        for way in ways:
            words = [*compiler.split(), *STRICT, *way, f'-DBUILD="{build}"', *more, "-o", str(target), str(SOURCE)]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            if done.returncode == 0 and _says(target) == build:
                return target
    return None


def _says(client: Path) -> str:
    try:
        return subprocess.run([client, "--build"], capture_output=True, text=True, check=False, timeout=20).stdout.strip()
    except OSError:
        return ""
