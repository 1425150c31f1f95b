"""False alarms on command lines from real projects (docs/real-life.md).

The projects are source distributions of these versions, which pip brings once into the cache folder.
"""

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from real_life import Line, judge_line, lines, rightly_stopped, unpack

from toolgate.model.decision import Verdict

PROJECTS = """
    aiohttp==3.14.5 alembic==1.20.1 ansible_core==2.19.14 anyio==4.16.0 attrs==26.1.0 black==26.10.1 build==1.6.1
    cattrs==26.2.1 celery==5.7.0 click==8.5.1 coverage==7.17.3 django==5.2.19 fabric==3.2.3 fastapi==0.165.0 flake8==7.5.0
    flask==3.1.3 gunicorn==27.0.1 hatchling==1.33.0 httpx==0.28.1 ipython==9.18.1 jinja2==3.1.6 jupyterlab_server==2.28.1
    luigi==3.8.1 mkdocs==1.6.1 multidict==7.2.1 nbconvert==7.17.2 nox==2026.10.20 paramiko==5.1.0 pelican==4.12.0
    pip==26.3 pre_commit==4.7.0 pydantic==2.14.3 pytest==9.2.0 pytest_xdist==3.8.0 redis==8.1.0 requests==2.34.2
    rich==15.0.0 scikit_build==0.19.1 scrapy==2.19.0 setuptools==84.2.1 sphinx==9.0.4 starlette==1.10.0 structlog==26.1.0
    supervisor==4.3.0 tornado==6.6.1 trio==0.35.0 twine==7.0.0 twisted==26.10.0 typer==0.29.2 urllib3==2.8.0
    uvicorn==0.54.0 werkzeug==3.1.9 wheel==0.48.0
"""
CACHE = Path(__file__).parents[1] / ".cache" / "real-life"
MOST = 0.01


def download(project: str) -> Path:
    """Returns the source distribution of one project."""
    archive = CACHE / f"{project.replace('==', '-')}.tar.gz"
    if not archive.exists():
        words = (
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--disable-pip-version-check",
            "--no-deps",
            "--no-binary",
            ":all:",
        )
        subprocess.run([*words, "-d", str(CACHE), project], check=True, timeout=300)
    return archive


@pytest.fixture(scope="module")
def project_lines(tmp_path_factory: pytest.TempPathFactory) -> list[Line]:
    with ThreadPoolExecutor(2) as pool:
        archives = list(pool.map(download, PROJECTS.split()))
    each = ((archive.name.removesuffix(".tar.gz"), archive) for archive in archives)
    return [line for name, archive in each for line in lines(name, unpack(archive, tmp_path_factory.mktemp("project")))]


def test_hardly_any_line_is_stopped_that_should_not_be(
    project_lines: list[Line], figure: Callable[[str, str, str], None]
) -> None:
    labels = rightly_stopped()
    stopped = {line: decision for line in project_lines if (decision := judge_line(line)).verdict >= Verdict.ASK}
    false = {line: decision for line, decision in stopped.items() if line.label not in labels}
    kinds = Counter(line.source for line in project_lines)
    right = Counter(labels[line.label] for line in stopped if line.label in labels)
    counted = f"{', '.join(f'{n} {kind}' for kind, n in sorted(kinds.items()))}; {len(PROJECTS.split())} projects"
    figure("lines, a target of a Makefile as one", f"{len(project_lines)}: {counted}", "")
    figure("rightly stopped", f"{sum(right.values())}: {', '.join(f'{rule} {n}' for rule, n in sorted(right.items()))}", "")
    figure("stopped, and should not be", f"{len(false)} ({len(false) / len(project_lines):.2%})", f"{MOST:.0%}")
    assert len(false) <= MOST * len(project_lines), {line.text: decision.tell_user for line, decision in false.items()}


def test_every_label_is_of_a_line_that_is_there_and_stopped(project_lines: list[Line]) -> None:
    there = {line.label: line for line in project_lines}
    for label in rightly_stopped():
        assert judge_line(there[label]).verdict >= Verdict.ASK, label
