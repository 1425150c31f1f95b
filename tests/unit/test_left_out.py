"""What a chain, a list or a tree holds beyond what the gate follows is asked about, and within that it is judged."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from toolgate.app import App
from toolgate.model.action import RunShell
from toolgate.model.decision import Decision, Verdict
from toolgate.model.event import Caller, Scene
from toolgate.model.rule import Policy

HARM = "rm -rf /etc"
FEW, MANY = 3, 2_000
Files = Mapping[str, str]


def ansible(length: int) -> tuple[str, Files]:
    links = {f"p{n}.yml": f"- import_playbook: p{n + 1}.yml\n" for n in range(length)}
    last = f"- hosts: localhost\n  connection: local\n  tasks:\n    - shell: {HARM}\n"
    return "ansible-playbook -c local p0.yml", {**links, f"p{length}.yml": last}


def composer(length: int) -> tuple[str, Files]:
    scripts = {**{f"s{n}": f"@s{n + 1}" for n in range(length)}, f"s{length}": HARM}
    return "composer run s0", {"composer.json": json.dumps({"scripts": scripts})}


def hatch(length: int) -> tuple[str, Files]:
    lines = [*(f's{n} = "s{n + 1}"' for n in range(length)), f's{length} = "{HARM}"']
    return "hatch run s0", {"pyproject.toml": "[tool.hatch.envs.default.scripts]\n" + "\n".join(lines)}


def workspaces(length: int) -> tuple[str, Files]:
    scripts = {n: "true" if n < length - 1 else HARM for n in range(length)}
    packages = {f"packages/p{n:04}/package.json": json.dumps({"scripts": {"install": text}}) for n, text in scripts.items()}
    return "npm install", {"package.json": '{"workspaces": ["packages/*"]}', **packages}


def named_files(length: int) -> tuple[str, Files]:
    names = [*(f"./s{n}.js" for n in range(length)), "./last.js"]
    harm = f"require('child_process').execSync('{HARM}')"
    return "npx jest", {"jest.config.json": json.dumps({"setupFiles": names}), "package.json": "{}", "last.js": harm}


def words_of_make(length: int) -> tuple[str, Files]:
    words = " ".join(f"b{n}" for n in range(length))
    return "make", {"Makefile": f"X = {words} /etc\nall:\n\t$(foreach x,$(X),rm -rf $(x);)\n"}


def variables_of_make(length: int) -> tuple[str, Files]:
    length = min(length, 40)
    lines = "".join(f"V{n} = $(V{n + 1})\n" for n in range(length))
    return "make", {"Makefile": f"{lines}V{length} = {HARM}\nall:\n\t$(V0)\n"}


def lines_of_sftp(length: int) -> tuple[str, Files]:
    return "sftp -b batch host", {"batch": "get a\n" * length + f"!{HARM}\n"}


def files_of_patch(length: int) -> tuple[str, Files]:
    change = "--- {0}\n+++ {0}\n@@ -1 +1 @@\n-a\n+b\n"
    names = [*(f"f{n}.txt" for n in range(length)), "/etc/passwd"]
    return "patch -p0 < p.diff", {"p.diff": "".join(change.format(name) for name in names)}


def variables_of_expression(length: int) -> tuple[str, Files]:
    lines = "".join(f"v{n}=v{n + 1}\n" for n in range(length))
    return "bash x.sh", {"x.sh": f"{lines}v{length}='a[$({HARM})]'\n((v0))\n"}


def nested_sql(length: int) -> tuple[str, Files]:
    text = "DROP DATABASE prod"
    for n in range(min(length, 12) // 3):
        text = f"DO $q{n}$ BEGIN EXECUTE $x{n}${text}$x{n}$; END $q{n}$"
    return "psql -h db.example.com -f a.sql", {"a.sql": text}


MADE = (
    ansible,
    composer,
    hatch,
    workspaces,
    named_files,
    words_of_make,
    variables_of_make,
    lines_of_sftp,
    files_of_patch,
    variables_of_expression,
    nested_sql,
)


def judge(command: str, files: Files, project: Path) -> Decision:
    for name, content in files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(content)
    home = str(project.parent)
    scene = Scene(Caller("claude-code", "s"), str(project), str(project), home, {"HOME": home}, "u")
    return App().judge(RunShell(command), scene, Policy()).decision


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (folder := tmp_path / "home" / "project").mkdir(parents=True)
    return folder


@pytest.mark.parametrize("make", MADE)
def test_what_is_followed_is_judged(make: Callable[[int], tuple[str, Files]], project: Path) -> None:
    decision = judge(*make(FEW), project)
    assert decision.verdict >= Verdict.ASK
    assert not {"shell.opaque"} & {each.rule for each in decision.findings}, decision.findings


@pytest.mark.parametrize("make", MADE)
def test_what_is_not_followed_is_asked_about(make: Callable[[int], tuple[str, Files]], project: Path) -> None:
    decision = judge(*make(MANY), project)
    assert decision.verdict >= Verdict.ASK
    found = {each.rule: each.match.reason for each in decision.findings}
    assert "shell.opaque" in found or "more variables" in " ".join(found.values()), found


@pytest.mark.parametrize(
    ("program", "ending", "load", "harm"),
    [
        ("python3", "py", "import m{}", f"import os; os.system('{HARM}')"),
        ("node", "js", "require('./m{}')", f"require('child_process').execSync('{HARM}')"),
    ],
)
def test_a_module_that_the_session_wrote_is_read_behind_any_number_of_others(
    program: str, ending: str, load: str, harm: str, project: Path
) -> None:
    """Modules that existed before are followed up to the limit, and libraries are not."""
    modules = {f"m{n}.{ending}": load.format(n + 1) + "\n" for n in range(40)}
    write = f'echo "{{}}" > m40.{ending}; {program} m0.{ending}'
    assert judge(write.format(harm), modules, project).verdict is Verdict.DENY
    assert judge(write.format(harm.replace("/etc", "build")), modules, project).verdict is Verdict.PASS
