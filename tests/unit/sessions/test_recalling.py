"""Tests a command that is called again: nothing of the first judgement outlives what it depended on."""

import os
from pathlib import Path

import pytest

from toolgate.app import App, local_scene
from toolgate.consent.lockouts import LOCKOUTS_DOCUMENT, add_lockout
from toolgate.machine.simulated_world import SimulatedWorld
from toolgate.model.action import RunShell
from toolgate.model.decision import Verdict
from toolgate.model.event import Scene, Spawn
from toolgate.model.rule import Policy
from toolgate.model.store import Key, Scope
from toolgate.sessions import Stores
from toolgate.sessions.judgement_cache import MAX_COMMAND_LENGTH

HERE = local_scene("/work", "/home/u", {})


def verdict(app: App, command: str, scene: Scene = HERE, policy: Policy = Policy()) -> Verdict:  # noqa: B008  (a frozen value)
    return app.judge(RunShell(command), scene, policy).decision.verdict


def test_it_is_not_worked_out_again() -> None:
    app = App(SimulatedWorld)
    one, two = (app.judge(RunShell("ls src"), HERE, Policy()) for _ in range(2))
    assert one.effects is two.effects
    assert one.decision is two.decision
    assert one.world is not two.world


def test_a_script_that_has_changed_is_read_again(tmp_path: Path) -> None:
    script, app = tmp_path / "x.sh", App()
    scene = local_scene(str(tmp_path), str(tmp_path), {})
    script.write_text("echo hello\n")
    assert verdict(app, "sh x.sh", scene) is Verdict.PASS
    before = app.judge(RunShell("sh x.sh"), scene, Policy()).world.followed_files()
    script.write_text("rm -rf ~\n")
    os.utime(script, (0, 0))
    assert verdict(app, "sh x.sh", scene) is Verdict.DENY
    assert app.judge(RunShell("sh x.sh"), scene, Policy()).world.followed_files() != before
    script.unlink()
    (tmp_path / "harmless.sh").write_text("echo hello\n")
    script.symlink_to("harmless.sh")
    assert verdict(app, "sh x.sh", scene) is Verdict.PASS


@pytest.mark.parametrize(
    "other",
    [
        HERE._replace(cwd="/"),
        HERE._replace(project="/elsewhere"),
        HERE._replace(environ={"X": "/"}),
    ],
    ids=["folder", "project", "variable"],
)
def test_another_scene_is_another_question(other: Scene) -> None:
    command, app = 'rm -rf "./${X:-build}"/', App(SimulatedWorld)
    for scene in (HERE, other, HERE, other):
        assert verdict(app, command, scene) is verdict(App(SimulatedWorld), command, scene)


def test_another_policy_is_another_question() -> None:
    app, lax = App(SimulatedWorld), Policy(cap=Verdict.WARN)
    command = "git push --force"
    assert [verdict(app, command, policy=each) for each in (Policy(), lax, Policy())] == [Verdict.ASK, Verdict.WARN, Verdict.ASK]


def test_what_the_store_told_is_asked_again(tmp_path: Path) -> None:
    (tmp_path / ".squad").mkdir()
    (tmp_path / ".squad" / "team.md").write_text("## Members\n\n| Name | Role |\n|---|---|\n| Fenster | Dev |\n")
    environ = {"TOOLGATE_HOME": str(tmp_path / "gate"), "TOOLGATE_PROFILE": "squad"}
    spawn = Spawn("fenster", "agent", "team-mode", ("src/**",), root=str(tmp_path))
    scene = local_scene(str(tmp_path), str(tmp_path), environ)._replace(spawn=spawn)
    stores = Stores()
    app = App(stores=stores)
    policy = app.load_policy(scene)
    assert verdict(app, "echo x > src/a.ts", scene, policy) is Verdict.PASS
    key = Key(Scope("team", str(tmp_path)), LOCKOUTS_DOCUMENT)
    stores.find_store(scene, policy).update(key, lambda document: add_lockout(document, "src/a.ts", "fenster"), 1.0)
    assert verdict(app, "echo x > src/a.ts", scene, policy) > Verdict.PASS
    one, two = (app.judge(RunShell("echo x > src/a.ts"), scene, policy) for _ in range(2))
    assert one.effects is two.effects


def test_what_the_store_could_not_tell_is_asked_again(tmp_path: Path) -> None:
    (tmp_path / ".squad").mkdir()
    (tmp_path / "gate" / "state").mkdir(parents=True)
    (tmp_path / "gate" / "state" / "state.db").mkdir()
    environ = {"TOOLGATE_HOME": str(tmp_path / "gate"), "TOOLGATE_PROFILE": "squad"}
    scene = local_scene(str(tmp_path), str(tmp_path), environ)._replace(spawn=Spawn("fenster", "agent", writes=("src/**",)))
    app = App()
    policy = app.load_policy(scene)
    assert [verdict(app, "echo x > src/a.ts", scene, policy) for _ in range(2)] == [Verdict.DENY] * 2
    (tmp_path / "gate" / "state" / "state.db").rmdir()
    assert verdict(app, "echo x > src/a.ts", scene, policy) is Verdict.PASS


def test_a_long_command_is_not_kept() -> None:
    app, command = App(SimulatedWorld), "echo " + "x" * MAX_COMMAND_LENGTH
    one, two = (app.judge(RunShell(command), HERE, Policy()) for _ in range(2))
    assert one.effects is not two.effects
    assert one.decision == two.decision
