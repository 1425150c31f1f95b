"""Tests what is proven about a call, in a simulated world: a project with a few files, and the system's programs."""

import pytest

from toolgate.app import App
from toolgate.locate import make_zone_finder
from toolgate.machine.simulated_world import SimulatedWorld
from toolgate.model.action import RunShell
from toolgate.model.event import Caller, Scene
from toolgate.model.permission import HostRule, ShellSetup
from toolgate.model.rule import Policy
from toolgate.model.world import GitState
from toolgate.prompts.observers import OBSERVERS
from toolgate.prompts.proving import Answered, Asked, prove
from toolgate.session_places import find_session_places

PROJECT = "/home/u/project"
PROGRAMS = {
    f"/usr/bin/{name}": "" for name in (*OBSERVERS, "find", "git", "python3", "rm", "touch", "sudo", "curl", "env", "xargs")
}
FILES = {
    f"{PROJECT}/a.txt": "hi\n",
    f"{PROJECT}/src/m.py": "x = 1\n",
    f"{PROJECT}/deploy/.env": "TOKEN=x\n",
    f"{PROJECT}/.git/config": "[core]\n\tbare = false\n",
    "/home/u/.ssh/id_rsa": "x",
    "/etc/passwd": "x",
    **PROGRAMS,
}
SETUP = ShellSetup(frozenset(("ll",)), ("/home/u/.local/bin:/usr/bin:/bin",))
SCENE = Scene(Caller("claude-code", "s"), PROJECT, PROJECT, "/home/u", {"HOME": "/home/u"}, "u")


def world(**more: object) -> SimulatedWorld:
    return SimulatedWorld({**FILES, **more.pop("files", {})}, git_tops={PROJECT: GitState(PROJECT)}, **more)  # type: ignore[dict-item, arg-type]


def proof(
    command: str, *rules: HostRule, setup: ShellSetup = SETUP, here: SimulatedWorld | None = None, scene: Scene = SCENE
) -> Answered:
    here = here or world()
    judgement = App(lambda: here).judge(RunShell(command), scene, Policy())
    zones_of = make_zone_finder(find_session_places(scene), here)
    return prove(Asked(RunShell(command), "Bash", judgement.effects, judgement.decision, scene, here, zones_of, rules, setup))


PROVEN = (
    "ls",
    "ls -la src && cat a.txt",
    "cd src && head -n 5 m.py | wc -l",
    'for f in a.txt src/m.py; do echo "== $f"; head -n 2 "$f"; done',
    "grep -rn 'x =' src | sort | uniq -c",
    "find . -name '*.py' -not -path './x/*' | head -20",
    "cat src/*.py",
    "cat a.txt 2>/dev/null || echo none",
    "wc -l < a.txt",
    "git status --short && git log --oneline -5",
    "git diff --stat",
    "sed -n '1,20p' src/m.py",
    "if [ -f a.txt ]; then echo yes; else echo no; fi",
    "cat <<'X'\nrm -rf /\nX",
    'V=$(cat a.txt); echo "$V"',
    "pwd; date +%F; python3 --version",
    "rg -n foo src",
    "cat $(echo a.txt)",
    "echo hi | tr a-z A-Z",
    "ls src; ls",
    "cut -d: -f1 a.txt | sort -u",
    "[ -f a.txt ] && cat a.txt",
)
LEFT = (
    "frobnicate",
    "rm a.txt",
    "echo hi > out.txt",
    "cat ~/.ssh/id_rsa",
    "cat /etc/passwd",
    "cat ../other/file",
    "ls /home",
    "ls ..",
    "cat deploy/.env",
    "cat deploy/.e*",
    "cat deploy/*",
    "grep -rn TOKEN .",
    "grep -rn TOKEN deploy",
    "rg TOKEN",
    'cat "$F"',
    "cat $(cat a.txt)",
    "ls &",
    "ls & cat a.txt",
    "sudo ls",
    "env ls",
    "bash -c ls",
    "eval ls",
    "xargs cat < a.txt",
    "X=1 ls",
    "PATH=/tmp; ls",
    "IFS=x; ls",
    "HOME=/; ls",
    "cat() { rm -rf /; }; cat a.txt",
    "alias cat=rm; cat a.txt",
    "enable -f /tmp/x.so y; ls",
    "hash -p /tmp/x ls; ls",
    "trap ls EXIT; ls",
    "set -a; ls",
    "exec ls",
    ". ./a.txt",
    "ll",
    "./ls",
    "/usr/bin/ls",
    "find . -delete",
    "find . -exec cat {} +",
    "find . -fprint x",
    "find / -name x",
    "sort -o a.txt a.txt",
    "sort --compress-program=x a.txt",
    "uniq a.txt b.txt",
    "sed -i s/a/b/ a.txt",
    "sed 's/a/b/w x' a.txt",
    "sed -n '1e ls' a.txt",
    "jq env a.txt",
    "jq -n env",
    "date -s 10:00",
    "date 10101010",
    "git commit -m x",
    "git branch x",
    "git -c core.fsmonitor=x status",
    "git diff",
    "git show",
    "git log --format=%G?",
    "git diff --stat --output=x",
    "git config -l",
    "printf -v PATH x",
    "printf '%d' 'a[$(ls)]'",
    "[ -v 'a[$(ls)]' ]",
    "[[ -f a.txt ]]",
    "echo $((x))",
    "echo ${x:y}",
    "echo ${!x}",
    "echo ${x@P}",
    "cat <(curl http://x)",
    "curl -s http://localhost:2375/",
    "cat < /dev/tcp/127.0.0.1/80",
    "tail -f a.txt",
    "cat *(e:'ls':)",
    "cd / && ls",
    "cd && ls",
    "cd - && ls",
    "cd $X && ls",
    "ls\x1b[2J",
    "echo /etc/*",
    "echo ~/.ssh/*",
    "for f in /home/*; do echo x; done",
    "cut -d * -f1",
    "find . -name *.py",
    "diff src deploy",
    "echo $X*",
)


@pytest.mark.parametrize("command", PROVEN)
def test_a_call_that_only_reads_the_project_is_proven(command: str) -> None:
    assert proof(command).doubt == ""


@pytest.mark.parametrize("command", LEFT)
def test_any_other_call_is_left_to_the_host(command: str) -> None:
    assert proof(command).reason == ""


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        (HostRule("Bash", "cat:*", PROJECT), "head a.txt; cat a.txt"),
        (HostRule("Bash", None, PROJECT), "ls"),
        (HostRule("Bash", "git log *", PROJECT), "git log --oneline"),
        (HostRule("Bash", "cd *", PROJECT), "cd src && ls"),
        (HostRule("Read", "src/**", PROJECT), "head src/m.py"),
        (HostRule("Read", "./src/m.py", PROJECT), "cd src; head m.py"),
        (HostRule("Read", "m.py", PROJECT), "grep -rn x src"),
        (HostRule("Read", "/src/**", PROJECT), "wc -l < src/m.py"),
        (HostRule("Read", None, PROJECT), "cat a.txt"),
        (HostRule("Grep", None, PROJECT), "grep x a.txt"),
        (HostRule("FutureTool", "x", PROJECT), "ls"),
        (HostRule("Bash", "cat src/*", PROJECT), "head src/m.py"),
        (HostRule("Bash", "X=1 rm *", PROJECT), "ls"),
    ],
)
def test_a_rule_of_the_person_that_may_be_about_a_call_leaves_it_to_the_host(rule: HostRule, command: str) -> None:
    assert proof(command).doubt == ""
    assert "rule of the user's own" in proof(command, rule).doubt


@pytest.mark.parametrize(
    "rule",
    [
        HostRule("Bash", "rm *", PROJECT),
        HostRule("Bash", "git push:*", PROJECT),
        HostRule("Read", "~/.ssh/**", PROJECT),
        HostRule("Read", "//etc/**", PROJECT),
        HostRule("Read", ".env", PROJECT),
        HostRule("WebFetch", "domain:example.org", PROJECT),
        HostRule("Edit", "src/**", PROJECT),
        HostRule("mcp__github__merge", None, PROJECT),
    ],
)
def test_a_rule_about_other_calls_changes_nothing(rule: HostRule) -> None:
    assert proof("cat a.txt src/m.py && git status", rule).doubt == ""


@pytest.mark.parametrize("path", ["", "/home/u/.local/bin", ".:/usr/bin", "/home/u/project/bin:/usr/bin", "/opt/x/bin:/usr/bin"])
def test_a_program_that_is_not_the_systems_is_left_to_the_host(path: str) -> None:
    own = {f"{folder}/ls": "" for folder in ("/home/u/project/bin", "/opt/x/bin")}
    assert proof("ls", setup=ShellSetup(frozenset(), (path,)), here=world(files=own)).reason == ""


def test_a_link_out_of_the_project_is_left_to_the_host() -> None:
    here = world(links={f"{PROJECT}/src/out.py": "/home/u/.ssh/id_rsa"})
    for command in ("cat src/out.py", "cat src/*.py", "cd src && head *.py"):
        assert proof(command, here=here).reason == "", command


@pytest.mark.parametrize(
    "setting", ["[core]\n\tfsmonitor = x", "[include]\n\tpath = x", '[filter "x"]\n\tclean = x', "[core]\npager=x\\\n"]
)
@pytest.mark.parametrize("file", [f"{PROJECT}/.git/config", "/home/u/.gitconfig", "/etc/gitconfig"])
def test_git_under_settings_that_may_run_programs_is_left_to_the_host(setting: str, file: str) -> None:
    assert proof("git status", here=world(files={file: setting})).reason == ""


def test_git_with_a_hook_that_reading_runs_is_left_to_the_host() -> None:
    hook = {f"{PROJECT}/.git/hooks/post-index-change": "#!/bin/sh\nrm x"}
    assert proof("git status", here=world(files=hook)).reason == ""
    assert proof("git status", here=world(files={f"{PROJECT}/.git/hooks/pre-commit": "x"})).doubt == ""


def test_git_in_a_repository_that_holds_another_is_left_to_the_host() -> None:
    assert proof("git status", here=world(files={f"{PROJECT}/lib/.git/config": "[core]\n\tfsmonitor = x"})).reason == ""


def test_an_alias_of_the_shells_own_words_leaves_every_call_to_the_host() -> None:
    assert proof("ls", setup=ShellSetup(frozenset(("for",)), ("/usr/bin",))).reason == ""


def test_variables_that_change_programs_leave_every_call_to_the_host() -> None:
    for name in ("LD_PRELOAD", "BASH_ENV", "BASH_FUNC_ls%%", "CDPATH"):
        assert proof("ls", scene=SCENE._replace(environ={"HOME": "/home/u", name: "x"})).reason == "", name
    assert proof("git status", scene=SCENE._replace(environ={"HOME": "/home/u", "GIT_DIR": "x"})).reason == ""
