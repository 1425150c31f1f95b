"""However a file is written, moved or read, the rules on a team see the effect."""

import shlex

import pytest

from toolgate.app import App
from toolgate.machine.simulated_world import SimulatedWorld
from toolgate.model.action import RunShell
from toolgate.model.event import Caller, Scene, Spawn
from toolgate.policy import load

PROJECT, HOME = "/home/u/project", "/home/u"
TEAM = {
    f"{PROJECT}/.squad/{name}": "# here\nold\n"
    for name in ("team.md", "decisions.md", "log/1.md", "agents/verbal/charter.md", "agents/fenster/charter.md", "lockout.json")
} | {f"{PROJECT}/src/a.ts": "x\n", f"{PROJECT}/new": "y\n"}
SQUAD = load({"TOOLGATE_HOME": "/dev/null"}, HOME, PROJECT, profile="squad")

WRITES = (
    "echo x > {}",
    "echo x >| {}",
    "echo x >> {}",
    "printf x | tee {}",
    "tee -a {} < new",
    "cat new > {}",
    "cat <<'E' > {}\nx\nE",
    "cp new {}",
    "cp -f new {}",
    "mv new {}",
    "install -m 644 new {}",
    "ln -sf new {}",
    "dd if=new of={}",
    "sed -i s/old/new/ {}",
    "sed -i.bak 1d {}",
    "perl -pi -e 's/a/b/' {}",
    "truncate -s 0 {}",
    "rm {}",
    "rm -f -- {}",
    "unlink {}",
    "shred -u {}",
    "curl -o {} https://example.com/x",
    "wget -O {} https://example.com/x",
    "rsync new {}",
    "jq . new > {}",
    "awk 1 new > {}",
    "sort -o {} new",
    "python3 -c \"open('{}', 'w').write('x')\"",
    "python3 -c \"from pathlib import Path; Path('{}').write_text('x')\"",
    "python3 -c \"import os; os.remove('{}')\"",
    "python3 -c \"import shutil; shutil.copy('new', '{}')\"",
    "node -e \"require('fs').writeFileSync('{}', 'x')\"",
    "ruby -e \"File.write('{}', 'x')\"",
    "sh -c 'echo x > {}'",
    'bash -c "echo x > {}"',
    "env A=b sh -c 'cp new {}'",
    "xargs -I% cp new % <<< {}",
    "find new -exec cp {{}} {} \\;",
    'f={}; echo x > "$f"',
    "cd src && echo x > ../{}",
    "echo x > ./src/../{}",
    "(echo x) > {}",
    "{{ echo x; }} > {}",
    "exec > {}",
    "if true; then echo x > {}; fi",
    "for f in {}; do echo x > $f; done",
    "timeout 5 tee {} < new",
    "echo x | sudo tee {}",
    "eval 'echo x > {}'",
    "ln -s {} link && echo x > link",
    "ln {} hard && echo x > hard",
    "base64 -d new > {}",
    "gzip {}",
    "patch {} < new",
)
READS = (
    "cat {}",
    "less {}",
    "head -1 {}",
    "tail -n +1 {}",
    "grep -n . {}",
    "awk 1 {}",
    "sed -n p {}",
    "cp {} /tmp/x",
    "base64 {}",
    "xxd {}",
    "sort {}",
    "wc {}",
    "diff {} new",
    "cat < {}",
    "while read l; do echo $l; done < {}",
    "python3 -c \"print(open('{}').read())\"",
    "python3 -c \"from pathlib import Path; print(Path('{}').read_text())\"",
    "node -e \"console.log(require('fs').readFileSync('{}'))\"",
    "sh -c 'cat {}'",
    "git show HEAD:{}",
    "git diff -- {}",
    "tar cf - {}",
    "curl -T {} https://example.com",
    "ln -s {} l && cat l",
    "jq . {}",
    "f={}; cat $f",
    "cd src && cat ../{}",
    "cat .squad/agents/*/charter.md",
    "echo $(<{})",
    "tac {}",
    "bat {}",
    "nl {}",
    "cut -c1- {}",
)


def is_denied(command: str, spawn: Spawn, rule: str) -> bool:
    world = SimulatedWorld(files=TEAM, folders=frozenset((PROJECT, HOME, "/tmp", f"{PROJECT}/src")))
    scene = Scene(Caller("test"), PROJECT, PROJECT, HOME, {"HOME": HOME}, "u", spawn=spawn)
    decision = App(lambda: world).judge(RunShell(command), scene, SQUAD).decision
    return any(finding.rule == rule for finding in decision.findings)


@pytest.mark.parametrize("way", WRITES)
def test_writing(way: str) -> None:
    coordinator, agent, scoped = Spawn("Squad", "coordinator"), Spawn("fenster"), Spawn("fenster", writes=("docs/**",))
    for path, spawn, rule in (
        ("src/a.ts", coordinator, "team.coordinator-writes"),
        ("src/a.ts", scoped, "team.write-outside-scope"),
        (".squad/decisions.md", agent, "team.decisions-directly"),
        (".squad/agents/fenster/charter.md", agent, "team.own-charter"),
        (".squad/log/1.md", coordinator, "team.edit-log"),
        (".squad/lockout.json", coordinator, "team.forge-records"),
        ("src/a.ts", Spawn("Squad", "coordinator", "init-phase-1"), "team.before-confirmation"),
    ):
        assert is_denied(way.format(path), spawn, rule), (way.format(path), rule)


@pytest.mark.parametrize("way", READS)
def test_reading(way: str) -> None:
    assert is_denied(way.format(".squad/agents/verbal/charter.md"), Spawn("fenster"), "team.read-private")


@pytest.mark.parametrize("way", [*WRITES, *READS])
def test_mentioning_is_not_doing(way: str) -> None:
    command = f"git commit -m {shlex.quote(way.format('.squad/agents/verbal/charter.md'))}"
    for rule in ("team.decisions-directly", "team.own-charter", "team.read-private", "team.write-outside-scope"):
        assert not is_denied(command, Spawn("fenster", writes=("docs/**",)), rule)
