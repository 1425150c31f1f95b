"""Cost of a hook call as a whole process, including the interpreter's start and all imports."""

import os
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measuring import BARE, HOOK, ONE, child_cpu, interleave, ratio, request_for


def test_cold_hook(benchmark: Any, project: Path, figure: Callable[..., None]) -> None:
    request = request_for(ONE, project)
    environ = {**request.environ, "PATH": os.environ["PATH"]}
    figures = interleave(
        15,
        hook=lambda: child_cpu(HOOK, request.payload, environ),
        bare=lambda: child_cpu(BARE, b"", environ),
    )
    times = ratio(figures, "hook", "bare")
    hook, bare = statistics.median(figures["hook"]), statistics.median(figures["bare"])
    figure(
        "a hook call as a whole process, cold",
        f"{hook:.0f} ms, {times:.1f}x `python3 -I -S -c pass` ({bare:.0f} ms)",
        "12x; gate 15x",
    )
    assert times <= 15
    benchmark.pedantic(child_cpu, (HOOK, request.payload, environ), rounds=2)
