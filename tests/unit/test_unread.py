"""Text that would run and was not read is Opaque, with a reason that names the file and the cause."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from toolgate.app import App
from toolgate.model.action import RunShell
from toolgate.model.decision import Decision, Verdict
from toolgate.model.event import Caller, Scene
from toolgate.model.rule import Policy
from toolgate.overlay import READ_LIMIT

HARM = "rm -rf /etc\n"
LARGE = READ_LIMIT + 1


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "home" / "project"
    folder.mkdir(parents=True)
    return folder


def judge(command: str, project: Path) -> Decision:
    home = str(project.parent)
    scene = Scene(Caller("claude-code", "s"), str(project), str(project), home, {"HOME": home}, "u")
    return App().judge(RunShell(command), scene, Policy()).decision


def rules(decision: Decision) -> set[str]:
    return {finding.rule for finding in decision.findings}


def reasons(decision: Decision) -> str:
    return "\n".join(finding.match.reason for finding in decision.findings if finding.rule == "shell.opaque")


def script(name: str, content: bytes) -> Callable[[Path], None]:
    def write(project: Path) -> None:
        (project / name).write_bytes(content)
        (project / name).chmod(0o755)

    return write


# ---- too large

SHELL_SCRIPT = b"#!/bin/sh\n: \n" + b"# a comment of many lines\n" * (LARGE // 26 + 1)


@pytest.mark.parametrize(
    ("name", "content", "command"),
    [
        ("large.sh", SHELL_SCRIPT, "bash large.sh"),
        ("large.sh", SHELL_SCRIPT, "./large.sh"),
        ("large.sh", SHELL_SCRIPT, "source ./large.sh"),
        ("large.sh", SHELL_SCRIPT, "cat large.sh | bash"),
        ("large.sh", SHELL_SCRIPT, "sh < large.sh"),
        ("large.sh", SHELL_SCRIPT, "BASH_ENV=$PWD/large.sh bash -c ls"),
        ("large.sh", SHELL_SCRIPT, "cp large.sh copy.sh && sh copy.sh"),
        ("large.sh", SHELL_SCRIPT, "echo ls >> large.sh; sh large.sh"),
        ("large.py", b"# x\n" * LARGE, "python3 large.py"),
        ("large.js", b"// x\n" * LARGE, "node large.js"),
        ("large.js", b"// x\n" * LARGE, "node -e 'require(\"./large\")'"),
        ("large.sql", b"-- x\n" * LARGE, "sqlite3 app.db '.read large.sql'"),
        ("Makefile", b"all:\n\tls\n" + b"# x\n" * LARGE, "make"),
        ("justfile", b"all:\n  ls\n" + b"# x\n" * LARGE, "just"),
        ("Taskfile.yml", b"version: '3'\n" + b"# x\n" * LARGE, "task build"),
        ("package.json", b'{"scripts": {"a": "ls"}}' + b" " * LARGE, "npm run a"),
        ("large.pl", b"# x\n" * LARGE, "perl large.pl"),
    ],
)
def test_a_file_that_is_too_large_is_asked_about(name: str, content: bytes, command: str, project: Path) -> None:
    script(name, content)(project)
    decision = judge(command, project)
    assert decision.verdict is Verdict.ASK
    assert f"/{name} would run, but was not read: it is larger than {READ_LIMIT:,} bytes" in reasons(decision)


def test_what_is_only_looked_at_may_be_of_any_size(project: Path) -> None:
    script("large.log", b"# x\n" * LARGE)(project)
    assert judge("cat large.log | grep -c x; wc -l < large.log; cp large.log other.log", project).verdict is Verdict.PASS


@pytest.mark.parametrize("size", [100, LARGE])
@pytest.mark.parametrize("head", [b"\x7fELF\2\1\1\0\0\0", b"MZ\x90\0\3\0", b"PK\3\4\x14\0\n", b"\xcf\xfa\xed\xfe\7\0\0\1"])
def test_a_compiled_program_of_the_project_may_run(head: bytes, size: int, project: Path) -> None:
    script("a.out", head + b"\0rm -rf /\n" * (size // 10 + 1))(project)
    assert judge("./a.out --version", project).verdict is Verdict.PASS


# ---- bytes that are no text elsewhere


@pytest.mark.parametrize("byte", [b"\xe9", b"\0", b"\xff"], ids=["latin-1", "NUL", "0xff"])
@pytest.mark.parametrize(
    ("name", "content", "command"),
    [
        ("x.sh", b"# %s\nrm -rf /etc\n", "bash x.sh"),
        ("x.sh", b"# %s\nrm -rf /etc\n", "sh x.sh"),
        ("x.sh", b"#!/bin/bash\n# %s\nrm -rf /etc\n", "./x.sh"),
        ("x.sh", b"# %s\nrm -rf /etc\n", ". ./x.sh"),
        ("x.sh", b"# %s\nrm -rf /etc\n", "cat x.sh | bash"),
        ("x.js", b"// %s\nrequire('child_process').execSync('rm -rf /etc')\n", "node x.js"),
        ("Makefile", b"# %s\nall:\n\trm -rf /etc\n", "make"),
        ("justfile", b"# %s\nall:\n  rm -rf /etc\n", "just"),
        ("x.pl", b"# %s\nsystem('rm -rf /etc');\n", "perl x.pl"),
    ],
)
def test_bytes_that_a_program_reads_past_hide_nothing(
    name: str, content: bytes, command: str, byte: bytes, project: Path
) -> None:
    script(name, content % byte)(project)
    assert "filesystem.delete-protected" in rules(judge(command, project))


def test_nul_bytes_within_a_word_are_dropped_as_bash_drops_them(project: Path) -> None:
    script("x.sh", b"ls\nr\0m -r\0f /e\0tc\n")(project)
    assert "filesystem.delete-protected" in rules(judge("bash x.sh", project))
    assert "filesystem.delete-protected" in rules(judge("source ./x.sh", project))


@pytest.mark.parametrize(
    ("name", "content", "command"),
    [
        ("x.sh", b"# caf\xe9 \0\nls\n", "bash x.sh"),
        ("x.sh", b"#!/bin/sh\n# caf\xe9\nls\n", "./x.sh"),
        ("x.py", b"# -*- coding: latin-1 -*-\n# caf\xe9\nprint('caf\xe9')\n", "python3 x.py"),
        ("x.js", b"// caf\xe9\nconsole.log(1)\n", "node x.js"),
        ("Makefile", b"# caf\xe9\nall:\n\tls\n", "make"),
        ("package.json", b'\xef\xbb\xbf{"scripts": {"a": "echo caf\xe9"}}', "npm run a"),
    ],
)
def test_latin_1_is_ordinary(name: str, content: bytes, command: str, project: Path) -> None:
    script(name, content)(project)
    assert judge(command, project).verdict is Verdict.PASS


def test_python_is_decoded_by_the_encoding_that_it_names(project: Path) -> None:
    script("x.py", b"# coding: latin-1\nimport shutil\nx = 'caf\xe9'\nshutil.rmtree('/etc')\n")(project)
    assert "filesystem.delete-protected" in rules(judge("python3 x.py", project))
    script("x.py", b"# coding: utf-7\nimport shutil\n+AHM-hutil.rmtree('/etc')\n")(project)
    assert "filesystem.delete-protected" in rules(judge("python3 x.py", project))


@pytest.mark.parametrize("content", [b"print('caf\xe9')\n", b"print 'python 2'\n", b"if x:\n    pass\n  y = 1\n"])
def test_python_that_another_version_takes_is_read(content: bytes, project: Path) -> None:
    """A grammar without errors proves nothing about a version: the text is read, and grants no relief."""
    script("x.py", content)(project)
    assert judge("python3 x.py", project).verdict is Verdict.PASS
    script("x.py", content + b"import shutil\nshutil.rmtree('/etc')\n")(project)
    assert judge("python3 x.py", project).verdict >= Verdict.ASK


@pytest.mark.parametrize(
    ("name", "content", "command", "cause"),
    [
        ("x.py", b"# \0\nprint(1)\n", "python3 x.py", "does not parse as Python"),
        ("x.py", b"# coding: no-such\nprint(1)\n", "python3 x.py", "its encoding, no-such, cannot be read"),
        ("x.sh", b"ls\nif true; then\n", "bash x.sh", "the text ends in the middle"),
        ("x.js", b"const = ;\n", "node x.js", "does not parse"),
        ("package.json", b'{"scripts": {"a": "ls",}}', "bun run a", "does not parse as JSON"),
        ("Taskfile.yml", b"tasks: {a: [", "task a", "does not parse as YAML"),
        ("mise.toml", b"[tasks\n", "mise run a", "does not parse as TOML"),
        ("deno.json", b"{'tasks': }", "deno task a", "does not parse as JSON"),
    ],
)
def test_what_does_not_parse_is_asked_about(name: str, content: bytes, command: str, cause: str, project: Path) -> None:
    script(name, content)(project)
    decision = judge(command, project)
    assert decision.verdict is Verdict.ASK
    assert name in reasons(decision)
    assert cause in reasons(decision)


# ---- too many, too deep


def test_reading_many_scripts_ends_in_a_question(project: Path) -> None:
    for n in range(1_100):
        (project / f"s{n}.sh").write_text("ls\n" if n < 1_099 else HARM)
    command = "\n".join(f"sh s{n}.sh" for n in range(1_100))
    decision = judge(command, project)
    assert decision.verdict >= Verdict.ASK
    assert "shell.opaque" in rules(decision) or "filesystem.delete-protected" in rules(decision)


@pytest.mark.parametrize("length", [5, 40, 400])
def test_a_chain_of_npm_scripts_is_followed_or_asked_about(length: int, project: Path) -> None:
    scripts = {f"s{n}": f"npm run s{n + 1}" for n in range(length)} | {f"s{length}": HARM}
    (project / "package.json").write_text(json.dumps({"scripts": scripts}))
    decision = judge("npm run s0", project)
    assert decision.verdict >= Verdict.ASK
    if "filesystem.delete-protected" not in rules(decision):
        assert f"{project}/package.json runs it through more than" in reasons(decision)


@pytest.mark.parametrize("length", [30, 300, 3_000])
def test_a_chain_of_targets_is_followed_or_asked_about(length: int, project: Path) -> None:
    chain = "".join(f"t{n}: t{n + 1}\n" for n in range(length))
    (project / "Makefile").write_text(f"{chain}t{length}:\n\t{HARM}")
    (project / "justfile").write_text(f"{chain}t{length}:\n  {HARM}")
    for command in ("make", "just"):
        decision = judge(command, project)
        assert decision.verdict >= Verdict.ASK
        assert rules(decision) & {"shell.opaque", "filesystem.delete-protected"}


@pytest.mark.parametrize("length", [30, 300])
def test_a_chain_of_tasks_is_followed_or_asked_about(length: int, project: Path) -> None:
    tasks = "".join(f"  t{n}: {{deps: [t{n + 1}]}}\n" for n in range(length))
    (project / "Taskfile.yml").write_text(f"version: '3'\ntasks:\n{tasks}  t{length}: {{cmds: ['rm -rf /etc']}}\n")
    assert rules(judge("task t0", project)) & {"shell.opaque", "filesystem.delete-protected"}


@pytest.mark.parametrize(("count", "verdict"), [(30, Verdict.PASS), (600, Verdict.ASK)])
def test_more_folders_and_evaluations_than_are_looked_into_are_asked_about(count: int, verdict: Verdict, project: Path) -> None:
    for n in range(count):
        (project / f"p{n}").mkdir()
    assert judge("go generate ./...", project).verdict is verdict
    (project / "Makefile").write_text("".join(f"$(eval X{n} := {n})\n" for n in range(count)) + "all:\n\techo $(X1)\n")
    assert judge("make", project).verdict is verdict


STEP = """exports.step%d = function (tree, found) {
  for (const node of tree) {
    for (const child of node) {
      if (node.kind === "a") found.push(child)
      else if (node.kind === "b") found[child.name] = node
      else [child.left, found] = [found, child.right]
      for (const [key, value] of child) found[key] = node.kind ? value : child[key]
    }
  }
}
"""


@pytest.mark.parametrize(
    ("count", "target", "verdict"),
    [(30, '"build"', Verdict.PASS), (30, "process.env.HOME", Verdict.DENY), (3_000, '"build"', Verdict.ASK)],
)
def test_functions_of_a_module_are_read_once_if_they_take_all_steps_of_the_text_that_calls_them(
    count: int, target: str, verdict: Verdict, project: Path
) -> None:
    steps = "".join(STEP % n for n in range(count))
    last = f"exports.last = () => require('fs').rmSync({target}, {{recursive: true}})"
    (project / "steps.js").write_text(steps + last)
    calls = "".join(f"steps.step{n}(process.argv, [])\nsteps.step{n}([process.argv], {{}})\n" for n in range(count))
    (project / "install.js").write_text(f"const steps = require('./steps')\n{calls}steps.last()\n")
    assert judge("node install.js", project).verdict is verdict


def test_a_script_that_runs_itself_again_does_nothing_new(project: Path) -> None:
    script("again.sh", b'#!/bin/sh\n[ -n "$DONE" ] || DONE=1 ./again.sh now\nls\n')(project)
    assert judge("./again.sh", project).verdict is Verdict.PASS
