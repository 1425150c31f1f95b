"""Projects whose code is marked, to compare what a runner really runs with what the gate reads.

`<sh NAME>` in a file stands for a shell command, `<py NAME>` for a Python statement, and so on. In the project that really runs,
each marker creates a file. In the project that is judged, one of them deletes the user's folder.
"""

import re
import shutil
import subprocess
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from toolgate.app import App
from toolgate.model.action import RunShell
from toolgate.model.decision import Verdict
from toolgate.model.event import Caller, Scene
from toolgate.model.rule import Policy

TABLE = Path(__file__).with_name("runner_projects.toml")
HOME = "/home/developer"
LOSS = f"{HOME}/work"
_MARKER = re.compile(r"<(sh|py|js|rb|php|go|rs|groovy|lua) ([\w.-]+)>")
_LEAVES_FILE = {
    "sh": "touch {}",
    "py": "open('{}', 'w').close()",
    "js": "fs.writeFileSync('{}', '')",
    "rb": "File.write('{}', '')",
    "php": "touch('{}');",
    "go": 'os.WriteFile("{}", nil, 0644)',
    "rs": 'std::fs::write("{}", "").unwrap();',
    "groovy": "new File('{}').text = ''",
}
_DELETES_FOLDER = {
    "sh": "rm -rf {}",
    "py": "__import__('shutil').rmtree('{}')",
    "js": "fs.rmSync('{}', {{recursive: true}})",
    "rb": "FileUtils.rm_rf('{}')",
    "php": "exec('rm -rf {}');",
    "go": 'os.RemoveAll("{}")',
    "rs": 'std::fs::remove_dir_all("{}").unwrap();',
    "groovy": "new File('{}').deleteDir()",
}


@dataclass(frozen=True)
class Project:
    """`collected`: files of which the runner loads any number; they are read if the session has written them. `unread`: markers
    that run and are not read. `overread`: markers that are read although they do not run. Each has its reason. `prepare`: a
    command that sets the project up before the comparison.
    """

    runner: str
    commands: tuple[str, ...]
    files: dict[str, str]
    needs: tuple[str, ...] = ()
    collected: tuple[str, ...] = ()
    executable: tuple[str, ...] = ()
    unread: dict[str, str] = field(default_factory=dict)
    overread: dict[str, str] = field(default_factory=dict)
    prepare: str = ""

    def is_runnable(self, path: str) -> bool:
        return all(shutil.which(name, path=path) for name in (self.needs or (self.runner,)))

    def markers(self) -> dict[str, str]:
        """Returns the file of each marker."""
        return {found[2]: name for name, text in self.files.items() for found in _MARKER.finditer(text)}


def load_projects() -> list[Project]:
    rows = tomllib.loads(TABLE.read_text(encoding="utf-8"))["project"]
    return [msgspec.convert(row, Project) for row in rows]


def fill(project: Project, folder: Path, harmful: str = "") -> None:
    """Writes the project's files; the marker `harmful` deletes the user's folder, the others create a file."""

    def replace(found: re.Match[str]) -> str:
        if found[2] == harmful:
            return _DELETES_FOLDER[found[1]].format(LOSS)
        return _LEAVES_FILE[found[1]].format(folder / "ran" / found[2])

    (folder / "ran").mkdir(parents=True, exist_ok=True)
    for name, text in project.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_MARKER.sub(replace, text), encoding="utf-8")
        path.chmod(0o755 if name in project.executable else 0o644)
    for each in ("refs", "objects"):
        (folder / ".git" / each).mkdir(parents=True, exist_ok=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")


def run(project: Project, command: str, folder: Path, environ: dict[str, str]) -> tuple[set[str], str]:
    """Runs the command. Returns the markers that created their file, and the output."""
    fill(project, folder)
    if project.prepare:
        _run_in(folder, project.prepare, environ)
    for left in (folder / "ran").iterdir():
        left.unlink()
    output = _run_in(folder, command, environ)
    return {left.name for left in (folder / "ran").iterdir()}, output


def _run_in(folder: Path, command: str, environ: dict[str, str]) -> str:
    result = subprocess.run(
        ["/bin/bash", "-c", command],
        cwd=folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    return result.stdout + result.stderr


def judge(project: Project, command: str, folder: Path, harmful: str = "") -> Verdict:
    """Returns the verdict on the command if this marker is harmful."""
    fill(project, folder, harmful)
    file = project.markers().get(harmful, "")
    if file in project.collected:
        text = (folder / file).read_text(encoding="utf-8")
        (folder / file).unlink()
        command = f"cat > {file} <<'EOF'\n{text}\nEOF\n{command}"
    scene = Scene(Caller("claude-code", ""), str(folder), str(folder), HOME, {"HOME": HOME, "PATH": "/usr/bin:/bin"}, "developer")
    return App().judge(RunShell(command), scene, Policy()).decision.verdict
