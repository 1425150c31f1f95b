"""Reads the files of Python's standard library. None may break the reader, and few may be too large for it."""

import os
import random
import sysconfig
import time
from pathlib import Path

from differential.python_execution import Surroundings, code_of
from toolgate.languages import python
from toolgate.model.effect import Opaque

COUNT = 500 if os.environ.get("FUZZ_COUNT") else 80
LONGEST = 64 * 1024


def test_files_of_the_standard_library_are_read() -> None:
    root = Path(sysconfig.get_path("stdlib"))
    files = [file for file in sorted(root.rglob("*.py")) if "site-packages" not in file.parts and "test" not in file.parts]
    random.Random(int(os.environ.get("FUZZ_SEED", "1"))).shuffle(files)
    texts = [(file, file.read_text("utf-8", "surrogateescape")) for file in files]
    chosen = [(file, text) for file, text in texts if len(text) <= LONGEST][:COUNT]
    opaque, took = [], []
    for file, text in chosen:
        began = time.process_time()
        found = list(python.read(code_of(text, file=str(file)), text, Surroundings()))
        took.append(time.process_time() - began)
        opaque += [file.name] if any(isinstance(each, Opaque) and each.is_unread for each in found) else []
    took.sort()
    middle, slowest = took[len(took) // 2] * 1e3, took[-len(took) // 100 - 1] * 1e3
    print(
        f"Python's own library: {len(chosen)} files up to 64 KB, {len(opaque)} too much ({', '.join(opaque)});"
        f" CPU time {middle:.1f} ms in the middle, {slowest:.0f} ms for the slowest hundredth"
    )
    assert len(opaque) <= max(1, len(chosen) * 0.05)
