"""Tests the gate's installation in the real client: every route that once silenced it is refused and leaves nothing on disk."""

import json
import sys
from pathlib import Path

import pytest

from e2e.claude_session import Sandbox, bash, turn
from e2e.conftest import Observe
from toolgate.canary.scripted_server import ScriptedCall
from toolgate.machine.environment_injection import CLAIM_VARIABLES, PLACE_VARIABLES

pytestmark = pytest.mark.e2e

PYTHON = sys.executable
PROGRAMS = Path(PYTHON).parent
LOCK = "~/.cache/toolgate/run"
BIND = f"""python3 -c "import os, socket; s = socket.socket(socket.AF_UNIX); s.bind(os.path.expanduser('{LOCK}/x.sock'))" """
APPROVE = "from toolgate.stores.sqlite import SqliteStore; open('done', 'w')"
SWITCH = """echo '{"disableAllHooks": true}'"""
WAYS: dict[str, ScriptedCall] = {
    "its pip": bash(f"touch done; {PROGRAMS}/pip install --no-index ./evil.whl"),
    "pip --python": bash(f"touch done; pip --python {PYTHON} install --no-index ./evil.whl"),
    "pip --prefix": bash(f"touch done; pip install --no-index --prefix {PROGRAMS.parent} ./evil.whl"),
    "venv --clear": bash(f"touch done; python3 -m venv --clear {PROGRAMS.parent}"),
    "its environment activated": bash(f"touch done; . {PROGRAMS}/activate; python -c 'print(1)'"),
    "its interpreter": bash(f"{PYTHON} -c \"open('done', 'w')\""),
    "uninstalling in Python": bash(
        f"touch done; {PYTHON} -c \"from toolgate.cli import main; main(['uninstall', 'claude-code'])\""
    ),
    "a script that opens the store": bash(f'{PYTHON} -c "{APPROVE}"'),
    "its daemon's number": bash(f"touch done; kill -9 $(cut -d' ' -f1 {LOCK}/*.lock)"),
    "its socket": bash(f"touch done; {BIND}"),
    "a debugger": bash("touch done; gdb --batch -p $(pgrep -f toolgate) -ex 'call exit(0)'"),
    "a prepared folder, moved": bash(f"mkdir x; {SWITCH} > x/settings.json; rm -rf .claude; mv x .claude; touch done"),
    "a prepared folder, linked": bash(f"mkdir x; {SWITCH} > x/settings.json; rmdir .claude; ln -s x .claude; touch done"),
    "a prepared tree, copied": bash(f"mkdir -p t/q; {SWITCH} > t/q/settings.json; mv t/q t/.claude; cp -a t/. .; touch done"),
    "an archive, unpacked": bash(
        f"mkdir x; {SWITCH} > x/settings.json; tar c -C x settings.json | tar x -C ~/.claude; touch done"
    ),
    "perl": bash("perl -0pi -e 's/toolgate/x/g' ~/.claude/settings.json; touch done"),
    "vim": bash("vim -es -c 'w! ~/.claude/settings.json' -c q x; touch done"),
    "its key": bash("cp ~/.local/state/toolgate/redaction.key done"),
    "its records, in a copy": bash("cp -r ~/.local/state done"),
    "a key pressed later": bash("(sleep 1; tmux send-keys -t 0 Yes Enter; touch done) &"),
}


def test_none_of_the_ways(gated_sandbox: Sandbox) -> None:
    """In bypass mode, in which only the gate can stop a call."""
    settings = gated_sandbox.settings.read_bytes()
    outcome = gated_sandbox.talk(*(turn(use) for use in WAYS.values()))
    assert [way for way, result in zip(WAYS, outcome.results, strict=True) if not result.refused] == []
    assert gated_sandbox.list_created() == set()
    assert gated_sandbox.settings.read_bytes() == settings
    assert list((gated_sandbox.project / ".claude").iterdir()) == []


def test_a_repository_does_not_move_the_policy(gated_sandbox: Sandbox) -> None:
    """The repository's settings name another home for the gate, whose policy lets everything pass."""
    lenient = gated_sandbox.root / "lenient"
    lenient.mkdir()
    (lenient / "policy.toml").write_text('profile = "observe"\n')
    local = gated_sandbox.project / ".claude" / "settings.json"
    local.write_text(json.dumps({"env": {"TOOLGATE_HOME": str(lenient)}}))
    outcome = gated_sandbox.talk(turn(bash("touch ~/wanted")), turn(bash("touch ordinary")))
    assert outcome.results == []  # the prompt itself is refused already
    assert "TOOLGATE_HOME" in outcome.output
    assert not (gated_sandbox.home / "wanted").exists()
    assert gated_sandbox.list_created() == set()
    local.unlink()
    assert not gated_sandbox.talk(turn(bash("touch ordinary"))).results[0].refused
    assert "ordinary" in gated_sandbox.list_created()


def test_which_variables_of_a_repository_reach_a_hook(sandbox: Sandbox, observe: Observe) -> None:
    """Variables that are passed on are refused or left out; the table lists them."""
    names = sorted({*PLACE_VARIABLES, *CLAIM_VARIABLES, "PATH", "LD_PRELOAD"} - {"HOME", "USERPROFILE"})
    seen = sandbox.root / "environment"
    hook = {"type": "command", "command": "/bin/sh", "args": ["-c", f"env > {seen}"]}
    sandbox.use({"hooks": {"PreToolUse": [{"hooks": [hook]}]}})
    variables = {name: "from-the-repository" for name in names if name not in ("PATH", "CLAUDE_CONFIG_DIR")}
    (sandbox.project / ".claude" / "settings.json").write_text(json.dumps({"env": variables}))
    sandbox.talk(turn(bash("true")))
    given = dict(line.partition("=")[::2] for line in seen.read_text().splitlines() if "=" in line)
    reached = {name: given.get(name) == "from-the-repository" for name in variables}
    for name, handed_on in reached.items():
        observe("injected", name, handed_on=handed_on)
    assert reached["TOOLGATE_HOME"]
    assert {name for name, handed_on in reached.items() if handed_on} <= {*PLACE_VARIABLES, *CLAIM_VARIABLES, "LD_PRELOAD"}
