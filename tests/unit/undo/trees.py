"""Random trees with a git repository in them, random commands that lose something, and snapshots of a tree."""

import os
import random
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

ENVIRON = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LC_ALL": "C.UTF-8",
}
NAMES = ("a.txt", "b.txt", "c.md", "with space", "-dash", "q'uote", "d.txt", "ünicode", "e.py", ".hidden")
FOLDERS = ("src", "src/deep", "docs", "docs/one/two", "empty")

_SHAPES = (
    "rm {file}",
    "rm -f {file} {other}",
    "rm -rf {folder}",
    "rm -rf {folder} {file}",
    "rm -rf {folder}/*",
    "rm -f *.txt",
    "cd {folder} && rm -rf *",
    "cd {folder}; rm -rf ./*; cd -; echo new > {file}",
    "find {folder} -type f -delete",
    "find . -name '*.txt' -not -path './.git/*' -delete",
    "mv -f {file} {other}",
    "mv {file} {folder}/moved && rm -rf {folder}",
    "cp -f {file} {other}",
    "echo changed > {file}",
    ": > {file}; rm {file}",
    "printf x | tee {file} {other} > /dev/null",
    "truncate -s 0 {file}",
    "dd if=/dev/zero of={file} bs=1 count=3 status=none",
    "sed -i s/a/b/ {file}",
    "ln -sf nowhere {file}",
    "rmdir {folder}/hollow; rm {file}",
    "chmod 600 {file}; rm -rf {folder}",
    "echo more >> {file}; rm -rf {folder}",
    'for f in {file} {other}; do rm -f "$f"; done',
    "bash -c 'rm -rf {folder}'",
    "echo {folder} | xargs rm -rf",
    "python3 -c \"import shutil; shutil.rmtree('{folder}')\"",
    "rm -rf ../other",
    "rm -rf ../other/{folder} {folder}",
    "rm ../other/{name}",
)
_GIT_SHAPES = (
    "git reset --hard",
    "git reset --hard HEAD~1",
    "git reset -q --hard side",
    "git clean -fd",
    "git clean -fdx",
    "git checkout -- .",
    "git checkout {tracked}",
    "git checkout HEAD~1 -- {tracked}",
    "git checkout -f side",
    "git switch -q -f side",
    "git restore {tracked}",
    "git restore --source=HEAD~1 .",
    "git stash drop",
    "git stash clear",
    "git branch -D side",
    "git stash drop && git branch -D side && git clean -fd",
    "git rm -rfq {tracked}",
    "rm -rf {folder}; git checkout -f side",
)


@dataclass(frozen=True)
class Snapshot:
    """`files`: path -> mode, and content or target; `git`: the output of git's commands."""

    files: dict[str, tuple[int, bytes]]
    git: tuple[str, ...]


def git(project: Path, *words: str) -> str:
    command = ["git", "--no-optional-locks", "-C", str(project), *words]
    result = subprocess.run(command, env=ENVIRON, capture_output=True, text=True, check=False)
    return result.stdout


def plant(chance: random.Random, home: Path, project: Path) -> None:
    """Creates files, folders and links in the project and beside it; in the project a repository with two branches, a stash."""
    _fill(chance, project)
    _fill(chance, home / "other")
    (project / ".gitignore").write_text("*.log\nnode_modules/\n")
    git(project, "init", "-q", "-b", "main")
    _commit(project)
    _change(chance, project)
    _commit(project)
    git(project, "checkout", "-q", "-b", "side")
    _change(chance, project)
    _commit(project)
    git(project, "checkout", "-q", "main")
    _change(chance, project)
    git(project, "stash", "-q")
    _change(chance, project)
    if chance.random() < 0.5:
        git(project, "add", "--", *chance.sample(_list_tracked(project), 1))
    for name in ("untracked", "debug.log"):
        (project / name).write_text(f"{name} {chance.random()}")
    (project / "fresh" / "hollow").mkdir(parents=True)
    (project / "fresh" / "file").write_text("f")


def _fill(chance: random.Random, top: Path) -> None:
    for folder in ("", *FOLDERS):
        (top / folder / ("hollow" if folder and chance.random() < 0.5 else "")).mkdir(parents=True, exist_ok=True)
        for name in chance.sample(NAMES, 4):
            path = top / folder / name
            path.write_bytes(chance.randbytes(chance.choice((0, 3, 5_000))))
            path.chmod(chance.choice((0o644, 0o755, 0o600)))
    (top / "link").symlink_to("src")
    (top / "docs" / "dangling").symlink_to("../nowhere")
    os.link(_files(top)[0], top / "docs" / "second-name")


def _change(chance: random.Random, project: Path) -> None:
    for path in chance.sample([path for path in _files(project) if not path.is_symlink()], 3):
        path.write_text(f"changed {chance.random()}")
    (project / f"added-{chance.randrange(100)}.py").write_text("added")


def _commit(project: Path) -> None:
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "state")


def _files(top: Path) -> list[Path]:
    return sorted(
        Path(folder) / name for folder, folders, names in os.walk(top) for name in names if ".git" not in Path(folder).parts
    )


def _list_tracked(project: Path) -> list[str]:
    return [name for name in git(project, "ls-files", "-z").split("\0") if name]


def command(chance: random.Random, project: Path) -> str:
    files = [str(path.relative_to(project)) for path in _files(project)]
    shape = chance.choice(_SHAPES if chance.random() < 0.6 else _GIT_SHAPES)
    if shape.startswith(": >"):  # what another name of the file shows then is not told from the name that goes (docs/undo.md)
        files = [each for each in files if (project / each).lstat().st_nlink == 1]
    file, other = (_quote(each) for each in chance.sample(files, 2))
    folder = chance.choice(("src", "docs", "src/deep", "fresh"))
    name, tracked = _quote(chance.choice(NAMES)), _quote(chance.choice(_list_tracked(project)))
    return shape.format(file=file, other=other, folder=folder, name=name, tracked=tracked)


def _quote(name: str) -> str:
    return "'" + ("./" + name if name.startswith("-") else name).replace("'", "'\\''") + "'"


def run(text: str, project: Path) -> None:
    subprocess.run(["bash", "-c", text], cwd=project, env=ENVIRON, capture_output=True, check=False)


def snapshot(home: Path, project: Path) -> Snapshot:
    found: dict[str, tuple[int, bytes]] = {}
    for top in (project, home / "other"):
        for folder, folders, names in os.walk(top):
            folders[:] = [each for each in folders if each != ".git"]
            for name in (*folders, *names):
                found[f"{folder}/{name}"] = _read_file(f"{folder}/{name}")
    queries = (
        "status --porcelain",
        "for-each-ref",
        "stash list",
        "ls-files -s",
        "reflog",
        "symbolic-ref -q HEAD",
        "rev-parse HEAD",
    )
    return Snapshot(found, tuple(git(project, *words.split()) for words in queries))


def _read_file(path: str) -> tuple[int, bytes]:
    status = os.lstat(path)
    if stat.S_ISLNK(status.st_mode):
        return 0, os.fsencode(os.readlink(path))
    if stat.S_ISDIR(status.st_mode):
        return stat.S_IMODE(status.st_mode), b"folder"
    return stat.S_IMODE(status.st_mode), Path(path).read_bytes()
