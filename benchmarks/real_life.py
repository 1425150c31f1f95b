"""Command lines of real projects: where they are, and the judgement of each in its project (docs/real-life.md)."""

import json
import re
import shlex
import tarfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from toolgate.app import App
from toolgate.model.action import RunShell
from toolgate.model.decision import Decision
from toolgate.model.event import Caller, Scene
from toolgate.model.rule import Policy

LABELS = Path(__file__).with_suffix(".toml")
EXPRESSION = re.compile(r"\$\{\{.*?\}\}")
HOME = "/home/developer"


@dataclass(frozen=True, slots=True)
class Line:
    """`source`: the kind of file. `folder`: the project; `inside`: the directory in which the line is judged."""

    source: str
    project: str
    folder: Path
    inside: Path
    text: str

    @property
    def label(self) -> tuple[str, str, str]:
        return self.project, str(self.inside.relative_to(self.folder)), self.text

    @property
    def command(self) -> str:
        return f"docker run --rm image sh -c {shlex.quote(self.text)}" if self.source == "Dockerfile" else self.text


def lines(project: str, folder: Path) -> Iterator[Line]:
    """Returns all lines of one project, each once."""
    seen: set[tuple[str, str]] = set()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and (kind := _kind(path)) is not None:
            inside = path.parent if kind == "Makefile" else folder
            for text in _READERS[kind](path.read_text(encoding="utf-8", errors="replace")):
                if text.strip() and (str(inside), text) not in seen:
                    seen.add((str(inside), text))
                    yield Line(kind, project, folder, inside, text)


def _kind(path: Path) -> str | None:
    if path.suffix in (".yml", ".yaml") and ".github" in path.parts:
        return "workflow"
    if path.name in ("Makefile", "GNUmakefile") or path.suffix == ".mk":
        return "Makefile"
    if path.name == "Dockerfile" or path.name.startswith("Dockerfile."):
        return "Dockerfile"
    return "package.json" if path.name == "package.json" else None


def _workflow(text: str) -> Iterator[str]:
    """A step's lines are one call: what an earlier one sets, a later one uses."""
    try:
        document = yaml.load(text, yaml.BaseLoader)
    except yaml.YAMLError:
        return
    yield from (EXPRESSION.sub("value", step) for step in _iter_run_steps(document))


def _iter_run_steps(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("run"), str) and str(node.get("shell", "bash")).startswith(("bash", "sh")):
            yield node["run"]
        for value in node.values():
            yield from _iter_run_steps(value)
    elif isinstance(node, list):
        for value in node:
            yield from _iter_run_steps(value)


def _makefile(text: str) -> Iterator[str]:
    """A target stands for its recipes: only make knows what its variables hold. Targets by a pattern are made by others."""
    for match in re.finditer(r"^([A-Za-z0-9_][\w.-]*(?: +[\w.-]+)*)\s*::?(?!=)", text, re.MULTILINE):
        yield from (f"make {target}" for target in match[1].split())


def _dockerfile(text: str) -> Iterator[str]:
    joined = re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ")
    for match in re.finditer(r"^\s*RUN\s+(?:--\S+\s+)*(?!\[|<<)(.+)$", joined, re.MULTILINE | re.IGNORECASE):
        yield match[1].strip()


def _package(text: str) -> Iterator[str]:
    try:
        scripts = json.loads(text).get("scripts", {})
    except (ValueError, AttributeError):
        return
    if isinstance(scripts, dict):
        yield from (script for script in scripts.values() if isinstance(script, str))


_READERS = {"workflow": _workflow, "Makefile": _makefile, "Dockerfile": _dockerfile, "package.json": _package}


def judge_line(line: Line) -> Decision:
    scene = Scene(Caller("claude-code", ""), str(line.inside), str(line.folder), HOME, {"HOME": HOME}, "developer")
    return App().judge(RunShell(line.command), scene, Policy()).decision


def rightly_stopped() -> dict[tuple[str, str, str], str]:
    """What tells a line from all others -> the labelling rule by which it is stopped."""
    rows = tomllib.loads(LABELS.read_text(encoding="utf-8"))["stopped"]
    return {(row["project"], row["inside"], row["text"]): row["rule"] for row in rows}


def unpack(archive: Path, folder_for_it: Path) -> Path:
    """The one folder in a source distribution, which is a repository as its project is."""
    with tarfile.open(archive) as tar:
        tar.extractall(folder_for_it, filter="data")
    folder = next(path for path in folder_for_it.iterdir() if path.is_dir())
    (folder / ".git" / "refs").mkdir(parents=True, exist_ok=True)
    (folder / ".git" / "objects").mkdir(exist_ok=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    return folder
