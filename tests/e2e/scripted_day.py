"""Ten tasks of twenty calls each, as an agent's day in a project of Python and JavaScript, to count what a client asks about.

`python -m e2e.scripted_day CLIENT` prints, for each setting of `answer_prompts`, how many calls the real client would have asked
about, and which. Under `-p` such a call is refused, and is repeated in a fresh project for the next setting.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from e2e.claude_session import Sandbox, bash, turn
from toolgate import stores
from toolgate.canary.scripted_server import ScriptedCall
from toolgate.consent.approvals import build_grant
from toolgate.consent.grants import Clause, Deed
from toolgate.model.store import Scope
from toolgate.sessions.approval_answers import keep_answer

LOOKING = (
    "(cd src && ls -la && head -n 20 app.py)",
    'for f in src/*.py; do echo "== $f"; wc -l < "$f"; done',
    'for f in src/app.py src/util.py; do echo "== $f"; head -n 5 "$f"; done | nl',
    "grep -rn 'def ' src | sort | uniq -c | sort -rn | head -20",
    "git status --short && git log --oneline -5 && git diff --stat",
    "find . -name '*.py' -not -path './build/*' | sort | head -50; wc -l src/*.py",
    "sed -n '1,40p' src/app.py; echo ---; sed -n '1,20p' tests/test_app.py",
    "if [ -f package.json ]; then jq -r .name package.json; fi; ls web 2>/dev/null || echo none",
    'N=$(grep -c def src/app.py); echo "functions: $N"',
    "cat README.md | tr a-z A-Z | cut -c1-40 | head -3; date +%F",
)
CHANGING = (
    "mkdir -p build/reports && touch build/reports/{n}.txt",
    "echo 'result {n}' > build/log{n}.txt && cat build/log{n}.txt",
    "cp src/app.py build/app{n}.py && diff -q src/app.py build/app{n}.py",
    "mv build/log{n}.txt build/old{n}.txt; ls build",
    "git add src/app.py && git status --short",
    "git commit -q -m 'step {n}' || true",
    "rm -f build/old{n}.txt",
)
EDITS = ("src/app.py", "tests/test_app.py")


def calls(task: int, project: Path) -> Iterator[ScriptedCall]:
    """Returns twenty calls: they look, edit, change, and one that the gate must not answer."""
    yield from (bash(command) for command in LOOKING)
    for path in EDITS:
        yield ScriptedCall("Write", {"file_path": str(project / path.replace("app", f"app{task}")), "content": f"x = {task}\n"})
    yield from (bash(command.format(n=task)) for command in CHANGING)
    yield bash(("npm install left-pad", "curl -s http://127.0.0.1:9/", "python3 src/app.py")[task % 3])


def prepare(sandbox: Sandbox) -> None:
    project = sandbox.project
    for folder in ("src", "tests", "build"):
        (project / folder).mkdir()
    for name in ("src/app.py", "src/util.py", "tests/test_app.py"):
        (project / name).write_text("def one():\n    return 1\n" * 10)
    (project / "README.md").write_text("a project\n" * 5)
    (project / "package.json").write_text('{"name": "app"}\n')
    git = ("git", "-C", str(project), "-c", "user.name=n", "-c", "user.email=n@example.org")
    subprocess.run([*git, "add", "src", "README.md", "package.json"], check=True)
    subprocess.run([*git, "commit", "-qm", "begin"], check=True)
    (sandbox.home / ".gitconfig").write_text("[user]\n\tname = n\n\temail = n@example.org\n")


def ten_grants(project: str) -> tuple[Clause, ...]:
    """Returns ten grants as `toolgate allow` writes them."""
    build = Deed("write", f"{project}/build/*")
    return (
        Clause("mkdir", ("-p",), (Deed("write", f"{project}/build/*"), Deed("write", f"{project}/build"))),
        Clause("touch", (), (Deed("write", f"{project}/build/reports/*"),)),
        Clause("echo", (), (build,)),
        Clause("cp", (), (build,)),
        Clause("mv", (), (build, Deed("delete", f"{project}/build/*"))),
        Clause("rm", ("-f",), (Deed("delete", f"{project}/build/*"),)),
        Clause("git add"),
        Clause("git commit", ("-m", "-q"), (Deed("git.commit", ""),)),
        Clause("Write", (), (Deed("write", f"{project}/src/*"),)),
        Clause("Write", (), (Deed("write", f"{project}/tests/*"),)),
    )


def asked_about(program: Path, key: str, tasks: int = 10) -> tuple[int, list[str]]:
    """Returns how many calls the client would ask about in a day, and each of them once."""
    asked_calls, number, call_count = [], 0, 0
    for task in range(tasks):
        with tempfile.TemporaryDirectory(dir=Path.cwd() / "build", ignore_cleanup_errors=True) as root:
            sandbox = Sandbox(Path(root), program).prepare()
            prepare(sandbox)
            if key:
                _put_gate(sandbox, key)
            uses = tuple(calls(task, sandbox.project))
            outcome = sandbox.talk(*(turn(use) for use in uses), mode="default", environ={"SHELL": "/bin/bash"})
            call_count += len(uses)
            for use, result in zip(uses, outcome.results, strict=True):
                if result.refused:
                    number += 1
                    asked_calls.append(str(use.input.get("command", use.tool)).replace(str(task), "N"))
    print(f"{key or 'without the gate'}: {number} of {call_count}", flush=True)
    return number, list(dict.fromkeys(asked_calls))


def _put_gate(sandbox: Sandbox, key: str) -> None:
    words = (sys.executable, "-m", "toolgate", "hook", "claude-code", "PreToolUse")
    group = {"hooks": [{"type": "command", "command": words[0], "args": list(words[1:]), "timeout": 10, "onFailure": "block"}]}
    sandbox.use({"hooks": {"PreToolUse": [group]}})
    policy = sandbox.home / ".config" / "toolgate" / "policy.toml"
    policy.parent.mkdir(parents=True)
    policy.write_text(f'answer_prompts = "{key}"\n')
    if key == "granted":
        store = stores.find_store("", str(sandbox.home / ".local" / "state" / "toolgate"))
        now = time.time()
        for n, clause in enumerate(ten_grants(str(sandbox.project))):
            answer = build_grant((clause,), now + n / 1000, now + 86400, "n", clause.program)
            assert keep_answer(store, Scope("project", str(sandbox.project)), *answer, now)
        store.close()


def main(program: str, keys: Iterable[str] = ("", "read-only", "granted")) -> None:
    found = {key: asked_about(Path(program), key) for key in keys}
    print(json.dumps({key or "none": each for key, each in found.items()}, indent=1))


if __name__ == "__main__":
    main(sys.argv[1])
