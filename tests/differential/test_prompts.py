"""Runs commands that are proven to read only: nothing changes, and no secret is printed.

They run in a namespace without a network, where only a scratch project is writable.
"""

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from toolgate.app import App
from toolgate.locate import make_zone_finder
from toolgate.machine.world import MachineWorld
from toolgate.model.action import RunShell
from toolgate.model.event import Caller, Scene
from toolgate.model.permission import ShellSetup
from toolgate.model.rule import Policy
from toolgate.prompts.proving import Asked, prove
from toolgate.session_places import find_session_places

PATH = "/usr/bin:/bin"
SECRET = "hunter2-of-the-test"
FILES = {
    "project/a.txt": "hi\nthere\n",
    "project/src/m.py": "x = 1\n",
    "project/src/-n": "odd\n",
    "project/b c.txt": "blank\n",
    "project/.env": SECRET,
    "project/deploy/id_rsa": SECRET,
    "project/deploy/notes.txt": "notes\n",
    ".ssh/id_rsa": SECRET,
    "other/file": SECRET,
}
PIECES = (
    "cat", "head -n 2", "tail -n 1", "wc -l", "nl", "sort", "sort -r", "uniq -c", "cut -c1-3", "tr a-z A-Z", "grep -n i",
    "grep -rn x", "sed -n '1,2p'", "ls -la", "ls", "stat", "du -sh", "find . -name '*.py'", "find src -type f", "echo", "echo -n",
    "printf '%s\\n'", "diff -q", "basename", "dirname", "readlink -f", "date +%F", "file", "od -c", "[ -f", "test -e", "pwd",
    "cd", "true", "git status", "md5sum", "tee", "rm", "touch", "cp a.txt", "env", "xargs cat", "bash -c", "eval",
    "find . -delete", "uniq", "sort -o a.txt", "sed -i s/h/j/", "cat <", "cat >", "echo x >", "echo x >>", "exec", "source",
    "unset", "export", "trap", "set --", "mv a.txt",
)  # fmt: skip
WORDS = (
    "a.txt", "src/m.py", "src", "src/*", "*", "*.txt", "'b c.txt'", ".", "..", "../other/file", "~/.ssh/id_rsa", ".env", ".e*",
    "deploy/*", "deploy", "/etc/hostname", "$HOME", '"$X"', "$X", "$(cat a.txt)", "$(echo a.txt)", "`ls`", "{a.txt,src/m.py}",
    "-", "--", "-n", "]", "a.txt ]", "", "", "", "2>/dev/null", "> /dev/null", "< a.txt", "<<< hi", "2>&1", "src/../a.txt",
    "\\a.txt", "'*'", "?.txt", "out",
)  # fmt: skip
JOINS = (" | ", " && ", "; ", " || ", "\n", " & ", " |& ")
FRAMES = (
    *("{}", "({})", "{{ {}; }}", "if {}; then echo y; fi", 'for f in a.txt src/m.py; do {} "$f"; done'),
    *('X=$({}); echo "$X"', "! {}"),
)


def made_up(chance: random.Random) -> str:
    commands = [
        " ".join([chance.choice(PIECES), *chance.choices(WORDS, k=chance.randrange(3))]) for _ in range(chance.randrange(1, 4))
    ]
    text = commands[0]
    for command in commands[1:]:
        text += chance.choice(JOINS) + command
    return chance.choice(FRAMES).format(text)


def snapshot(root: Path) -> dict[str, tuple[int, bytes]]:
    found = {}
    for path in sorted(root.rglob("*")):
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        found[str(path.relative_to(root))] = (path.lstat().st_mode, content)
    return found


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "project" / "out").symlink_to("../other/file")
    return tmp_path


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="no namespace to run it in")
def test_what_is_proven_to_read_alone_changes_nothing_and_prints_no_secret(home: Path) -> None:
    chance = random.Random(20261123)
    commands = list(dict.fromkeys(made_up(chance) for _ in range(2500)))
    proven = [command for command in commands if is_proven(command, home)]
    assert len(proven) > 150
    before = snapshot(home)
    printed = run_all(proven, home)
    assert [command for command, output in zip(proven, printed, strict=True) if SECRET in output] == []
    assert snapshot(home) == before


def is_proven(command: str, home: Path) -> bool:
    project = str(home / "project")
    scene = Scene(Caller("claude-code"), project, project, str(home), {"HOME": str(home), "PATH": PATH}, "u")
    world = MachineWorld()
    judgement = App(lambda: world).judge(RunShell(command), scene, Policy())
    zones_of = make_zone_finder(find_session_places(scene), world)
    setup = ShellSetup(frozenset(), (PATH,))
    prompt = Asked(RunShell(command), "Bash", judgement.effects, judgement.decision, scene, world, zones_of, (), setup)
    return bool(prove(prompt).reason)


END = "-- end of what was printed --"


def run_all(commands: list[str], home: Path) -> list[str]:
    """Returns the output of each, in order."""
    words = ["bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    words += ["--bind", str(home), str(home), "--chdir", str(home / "project"), "--clearenv"]
    words += ["--setenv", "HOME", str(home), "--setenv", "PATH", PATH, "/bin/bash", "--norc", "-c"]
    driver = f'for each; do timeout 5 /bin/bash --norc -c "$each" </dev/null 2>&1; echo; echo "{END}"; done'
    result = subprocess.run([*words, driver, "driver", *commands], capture_output=True, text=True, errors="replace", check=True)
    return result.stdout.split(END)[:-1]
