"""Tests the zones of a place: by what it resolves to, as the volume folds names, whatever it is called."""

import pytest

from toolgate.locate import SessionPlaces, locate, make_zone_finder
from toolgate.locate.moved_trees import TreeArrivals
from toolgate.machine.simulated_world import SimulatedWorld
from toolgate.model.action import RunShell
from toolgate.model.effect import Delete, Effect, Read, Write
from toolgate.model.event import Caller, Scene
from toolgate.model.place import Place
from toolgate.model.word import Maybe
from toolgate.understand import understand

GROUNDS = SessionPlaces(
    "/home/u",
    "/home/u/project",
    ("/home/u/.config/toolgate", "/home/u/.config/toolgate/policy.toml"),
    ("/home/u/.claude/settings.json",),
    ("/home/u/.claude/hooks",),
)
FOLDERS = frozenset(("/home/u/project", "/home/u/.config/toolgate", "/home/u/.claude", "/home/u/.ssh", "/data/ssh", "/etc"))


def locate_text(text: str, **world: object) -> tuple[Effect, ...]:
    machine = SimulatedWorld(folders=FOLDERS, **world)  # type: ignore[arg-type]
    scene = Scene(Caller("test"), "/home/u/project", "/home/u/project", "/home/u", {}, "u")
    return locate(understand(RunShell(text), scene, machine), GROUNDS, machine).all


def place(text: str, **world: object) -> Place:
    """Returns the place of the last effect that has one."""
    return next(effect.place for effect in reversed(locate_text(text, **world)) if isinstance(effect, Read | Write | Delete))


INSIDE = {
    "cat src/x": "project",
    "cat ../other": "outside",
    "cat /etc/passwd": "system",
    "cat ~/.ssh/id_rsa": "credentials",
    "cat /tmp/x": "temporary",
    "rm /": "root",
    "rm ~": "home",
    "rm /home": "home-parent",
    "cat ~/.claude/settings.json": "agent-settings",
    "cat .git/config": "repository-data",
    "rm not/there/../../../.config/toolgate/policy.toml": "gate",
    "cat /dev/sda": "device",
}


@pytest.mark.parametrize("text", INSIDE)
def test_inside(text: str) -> None:
    assert INSIDE[text] in place(text).inside


ABOVE = {
    "rm -r ~": "credentials",
    "rm -r /": "system",
    "rm -r ~/.claude": "agent-settings",
    "rm -r ~/.config": "gate",
    "rm -r ..": "project",
}


@pytest.mark.parametrize("text", ABOVE)
def test_above(text: str) -> None:
    assert ABOVE[text] in place(text).above


MAYBE = {"rm ~/.ss*/id": "credentials", "rm /et?/passwd": "system", 'rm "$X"': "system", 'rm -r ~/"$X"': "credentials"}


@pytest.mark.parametrize("text", MAYBE)
def test_a_glob_or_a_hole_may_be_inside_or_reach_it(text: str) -> None:
    found = place(text)
    assert MAYBE[text] in found.maybe_inside | found.inside | found.maybe_above | found.above


def test_a_glob_that_cannot_match_is_outside_of_it() -> None:
    found = place("rm src/*.pyc")
    assert "project" in found.inside
    assert not {"credentials", "system", "root", "gate"} & (found.inside | found.maybe_inside | found.above | found.maybe_above)


def test_names_are_compared_by_component() -> None:
    assert "project" not in place("rm /home/u/project2/x").inside
    assert "credentials" not in place("rm ~/.sshd/x").inside


def test_a_volume_that_folds_case() -> None:
    assert "credentials" in place("cat ~/.SSH/ID_RSA", folds_case=True).inside
    assert "gate" in place("cat ~/.Config/ToolGate/x", folds_case=True).inside
    assert "gate" not in place("cat ~/.Config/ToolGate/x").inside


def test_a_dot_folder_that_is_a_link_is_known_by_both_names() -> None:
    links = {"/home/u/.ssh": "/data/ssh"}
    assert "credentials" in place("cat ~/.ssh/id_rsa", links=links).inside
    assert "credentials" in place("cat /data/ssh/notes", links=links).inside
    assert "credentials" not in place("cat /data/ssh/notes").inside


def test_a_link_into_a_zone_is_in_it() -> None:
    links = {"/home/u/project/l": "/home/u/.config/toolgate"}
    assert "gate" in place("cat l/policy.toml", links=links).inside
    assert "gate" in place("ln -s ~/.config k; cat k/toolgate/policy.toml").inside


def test_a_hard_link_is_the_same_file() -> None:
    policy = "/home/u/.config/toolgate/policy.toml"
    world = {"files": {policy: "", "/home/u/project/copy": ""}, "identities": {policy: (1, 7), "/home/u/project/copy": (1, 7)}}
    assert "gate" in place("echo > copy", **world).inside


def test_another_machine_is_nowhere_here() -> None:
    assert not place("docker run x rm /etc/passwd").inside & {"system"} or place("docker run x rm /etc/passwd").machine != "local"


@pytest.mark.parametrize(
    ("home", "path", "zone"),
    [
        ("/tmp/run/home", "/tmp/run/home/work", "outside"),
        ("/tmp/run/home", "/tmp/run/other", "temporary"),
        ("/tmp/run/home", "/tmp/run/home/project/x", "project"),
        ("/tmp", "/tmp/work", "temporary"),
    ],
)
def test_a_home_in_a_temporary_folder_is_a_home(home: str, path: str, zone: str) -> None:
    grounds = SessionPlaces(home, f"{home}/project", (), (), ())
    machine = SimulatedWorld(folders=frozenset((f"{home}/project",)))
    scene = Scene(Caller("test"), f"{home}/project", f"{home}/project", home, {}, "u")
    effects = locate(understand(RunShell(f"rm -r {path}"), scene, machine), grounds, machine)
    (inside,) = [effect.place.inside for effect in effects.all if isinstance(effect, Delete)]
    assert zone in inside
    assert ("temporary" in inside) == (zone == "temporary")


SETTINGS = "/home/u/.claude/settings.json"


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("cp -r tree/. /", f"/home/u/project/tree{SETTINGS}"),
        ("cp -r tree/. ~", "/home/u/project/tree/.claude/settings.json"),
        ("cp -r a tree; cp -r tree/. ~", "/home/u/project/a/.claude/settings.json"),
    ],
)
def test_a_folder_brings_the_protected_files_in_it(text: str, source: str) -> None:
    assert SETTINGS in [each.place.path for each in locate_text(text, files={source: ""}) if isinstance(each, Write)]
    assert SETTINGS not in [each.place.path for each in locate_text(text, files={f"{source}.txt": ""}) if isinstance(each, Write)]


def test_folders_that_bring_each_other_are_each_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    is_present = TreeArrivals._is_present

    def note_and_answer(arrivals: TreeArrivals, path: str) -> Maybe:
        asked.append(path)
        return is_present(arrivals, path)

    monkeypatch.setattr(TreeArrivals, "_is_present", note_and_answer)
    names = "abcdef"
    copies = "; ".join(f"cp -r {one}/. {other}" for one in names for other in names if one != other)
    locate_text(f"mkdir {' '.join(names)}; {copies}; cp -r a/. ~/.claude")
    assert asked.count("/home/u/project/f/settings.json") == 1


def test_a_folder_moved_on_another_machine_brings_nothing_here() -> None:
    move = "mv -T /data/ssh /home/u/.claude"
    assert SETTINGS in written(move)
    assert SETTINGS not in written(f"ssh host '{move}'")


def written(text: str) -> list[str | None]:
    """Returns the paths on this machine that are written."""
    effects = locate_text(text, files={"/data/ssh/settings.json": ""})
    return [each.place.path for each in effects if isinstance(each, Write) and each.place.machine == "local"]


def zones_of(path: str, **places: object) -> frozenset[str]:
    machine = SimulatedWorld(folders=FOLDERS)
    return make_zone_finder(GROUNDS._replace(**places), machine)(path)  # type: ignore[arg-type]


def test_folders_of_agents_are_safe_unless_they_hold_the_home_folder() -> None:
    assert "safe" in zones_of("/home/u/notes/a", agents=("/home/u/notes",))
    assert "safe" in zones_of("/home/u2/a", agents=("/home/u2",))
    assert "safe" in zones_of("/ho/a", agents=("/ho",))
    assert "safe" not in zones_of("/home/u/a", agents=("/home/u",))
    assert "safe" not in zones_of("/home/u/a", agents=("/home",))
    assert "safe" not in zones_of("/etc/a", agents=("/etc",))


def test_a_home_folder_may_be_the_root() -> None:
    assert "credentials" in zones_of("/.ssh/notes", home="/", project="/project")
    assert "credentials" in zones_of("/home/u/.ssh/notes", home="/home/u/")


def test_a_device_that_holds_no_data_is_temporary() -> None:
    assert zones_of("/dev/null") == {"temporary"}
    assert {"project", "temporary"} <= zones_of("/dev/shm/p/a", project="/dev/shm/p")
    assert "device" not in zones_of("/dev/shm/p/a")
    assert "device" in zones_of("/dev/sda")


def test_a_path_of_the_session_may_end_in_a_slash() -> None:
    assert "agent-hooks" in zones_of("/home/u/hooks/x", hooks=("/home/u/hooks/",))
    assert "agent-settings" in zones_of("/home/u/own/x", settings=("/home/u/own/",))
    assert {"gate", "gate-state", "gate-programs"} <= zones_of("/g/x", gate=("/g/",), state=("/g/",), programs=("/g/",))
    assert "project" in zones_of("/home/u/project/x", project="/home/u/project/")


def test_a_project_in_a_folder_of_the_system_is_none() -> None:
    assert "project" in zones_of("/etcetera/a", project="/etcetera")
    assert "project" in zones_of("/usr/local/a", project="/usr/local")
    assert "project" not in zones_of("/etc/a", project="/etc")
    assert "project" not in zones_of("/data/a", project="/")
    assert "project" not in zones_of("/usr/localities/a", project="/usr/localities")


def test_an_unknown_name_below_a_glob_is_not_surely_found() -> None:
    found = place('cat ~/.ss*/"$X"')
    assert "credentials" in found.maybe_inside
    assert "credentials" not in found.inside


def test_the_files_of_the_gate_are_on_this_machine() -> None:
    assert "gate" in place("rm /home/u/.config/toolgate/policy.toml").inside
    assert "gate" not in place("ssh host 'rm /home/u/.config/toolgate/policy.toml'").inside
    assert "system" in place("ssh host 'rm /etc/passwd'").inside
