"""Cost of scripts below 64 kB: real ones, the slowest by name, the worst possible, and a repeated one."""

import resource
import shutil
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from measuring import Anew, cpu, request_for
from worst_inputs import every_input

from toolgate.app import App
from toolgate.transport.warmup import freeze_memory, warm_up

Figure = Callable[..., None]
SCRIPTS = ("/usr/bin", "/usr/sbin", "/usr/lib/git-core", "/etc/init.d")
LARGEST = 65_536


def test_real_scripts(figure: Figure, project: Path) -> None:
    """Each script of this machine that is shorter than 64 KB, as if it were in the project."""
    warm_up()
    freeze_memory()
    app, times = Anew(), []
    app.handle(request_for("ls", project))
    for path in sorted(each for folder in SCRIPTS for each in Path(folder).glob("*") if _is_script(each)):
        copy = shutil.copy(path, project)
        began = time.process_time()
        app.handle(request_for(f"./{path.name}", project))
        times.append((time.process_time() - began, path.name))
        Path(copy).unlink()
    times.sort(reverse=True)
    over = sum(took > 0.1 for took, _ in times)
    figure("real shell scripts below 64 KB that take more than 100 ms of CPU", f"{over} of {len(times)}", "0")
    figure("half of them, and nine of ten, take at most", f"{_format_quantile(times, 0.5)}, {_format_quantile(times, 0.1)}")
    figure("the ten slowest", ", ".join(f"{name} {took * 1000:.0f} ms" for took, name in times[:10]))


def _format_quantile(times: list[tuple[float, str]], share: float) -> str:
    return f"{times[int(len(times) * share)][0] * 1000:.0f} ms"


def _is_script(path: Path) -> bool:
    if not path.is_file() or path.stat().st_size >= LARGEST:
        return False
    first = path.read_bytes()[:80].partition(b"\n")[0]
    return first.startswith(b"#!") and first.split()[-1].rpartition(b"/")[2] in (b"sh", b"bash", b"dash", b"-e")


def test_worst_inputs(figure: Figure, project: Path) -> None:
    app, times = Anew(), []
    app.handle(request_for("ls", project))
    for name, command, files in every_input():
        for file, content in files.items():
            (project / file).write_text(content)
        times.append((cpu(lambda command=command: app.handle(request_for(command, project))), name))  # type: ignore[misc]
        for file in files:
            (project / file).unlink()
    times.sort(reverse=True)
    over, largest = sum(took > 100 for took, _ in times), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    figure("generated texts of 60 kB, one construct each, that take more than 100 ms of CPU", f"{over} of {len(times)}", "0")
    figure("the slowest of them", ", ".join(f"{name} {took:.0f} ms" for took, name in times[:10]), "2 s")
    figure("memory of the process after all of this", f"{largest} MB", "256 MB")


def test_a_script_that_comes_again(figure: Figure, project: Path) -> None:
    app = App()
    (project / "mvnw").write_text("#!/bin/sh\n" + 'f() { if [ -n "$1" ]; then echo "$1"; fi; }\n' * 40 + "f a\n" * 40)
    (project / "mvnw").chmod(0o755)
    figures: dict[str, list[float]] = {"true": [], "./mvnw": []}
    first = cpu(lambda: app.handle(request_for("./mvnw", project)))
    for _ in range(30):
        for command, took in figures.items():
            took.append(cpu(lambda command=command: app.handle(request_for(command, project))))  # type: ignore[misc]
    again, plain = statistics.median(figures["./mvnw"]), statistics.median(figures["true"])
    figure("a script, and the same once more", f"{first:.1f} ms, {again:.2f} ms, {again / plain:.1f}x `true`", "as `true`")
