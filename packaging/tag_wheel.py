"""Retags a wheel with the native client for manylinux and musllinux: `tag_wheel.py WHEEL FOLDER`.

A program that needs no library at all runs on every Linux of its processor. One that does is left to auditwheel.
"""

import platform
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from elftools.elf.elffile import ELFFile

OLDEST_MANYLINUX, OLDEST_MUSLLINUX = "2_17", "1_1"


def is_static(wheel: Path) -> bool:
    """Returns whether the client in a wheel needs no dynamic linker."""
    archive = zipfile.ZipFile(wheel)
    (name,) = (each for each in archive.namelist() if each.endswith(".data/scripts/toolgate-hook"))
    with tempfile.TemporaryFile() as file:
        file.write(archive.read(name))
        return not any(segment["p_type"] == "PT_INTERP" for segment in ELFFile(file).iter_segments())


def main(wheel: Path, folder: Path) -> int:
    machine = platform.machine()
    if is_static(wheel):
        tags = f"manylinux_{OLDEST_MANYLINUX}_{machine}.musllinux_{OLDEST_MUSLLINUX}_{machine}"
        words = [sys.executable, "-m", "wheel", "tags", "--platform-tag", tags, "--remove", str(wheel)]
        name = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()[-1]
        (wheel.parent / name).rename(folder / name)
        return 0
    repair = [sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", str(folder), str(wheel)]
    return subprocess.run(repair, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
