"""Other guards of agents, as their own installers register them: one from npm, one from PyPI."""

import shutil
import subprocess
import sys
from pathlib import Path

CACHE = Path(__file__).parents[1] / ".cache" / "peers"
SAFETY_NET = "2.4.5"
NAH = "0.11.0"


def safety_net() -> tuple[str, ...]:
    """Returns the hook of cc-safety-net for coding command lines, installed from npm."""
    folder = CACHE / f"cc-safety-net-{SAFETY_NET}"
    program = folder / "node_modules" / ".bin" / "cc-safety-net"
    npm = shutil.which("npm")
    if not program.exists() and npm:
        folder.mkdir(parents=True, exist_ok=True)
        words = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), f"cc-safety-net@{SAFETY_NET}"]
        subprocess.run(words, check=True, capture_output=True)
    return (str(program), "hook", "--coding-cli")


def nah() -> tuple[str, ...]:
    """Returns the hook of nah, installed from PyPI, as its `install` registers it."""
    folder = CACHE / f"nah-{NAH}"
    if not (folder / "bin" / "nah").exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        words = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", f"nah=={NAH}"]
        subprocess.run(words, check=True, capture_output=True)
    return (str(folder / "bin" / "nah"), "_claude-hook")


def measure_folders(guard: str) -> float:
    """Returns the megabytes that a guard's installation adds to its language's own."""
    places = {
        "cc-safety-net": (CACHE / f"cc-safety-net-{SAFETY_NET}" / "node_modules",),
        "nah": tuple((CACHE / f"nah-{NAH}" / "lib").glob("python3*/site-packages/nah*")),
    }
    files = (file for place in places[guard] for file in place.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
    return sum(file.stat().st_size for file in files) / 1e6
