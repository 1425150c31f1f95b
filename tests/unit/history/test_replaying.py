"""Replays past calls under one policy or two: the differences by kind, with the outcomes of the calls."""

from collections.abc import Callable
from pathlib import Path

import pytest

from toolgate.history.calls import CallOutcome, PastCall, UnreadableLine
from toolgate.history.replay import Comparison, Replayer, compare_decisions
from toolgate.model.decision import Decision, Finding, Match, Verdict
from toolgate.model.effect import DEFAULT_ORIGIN, Opaque
from toolgate.model.event import Scene
from toolgate.model.rule import Policy, Ruling

PolicyFor = Callable[[Scene], Policy]
PASS, WARN, ASK, DENY = Verdict


def built_in(_scene: Scene) -> Policy:
    return Policy()


def strict_policy(_scene: Scene) -> Policy:
    return Policy(rulings={"git.clean": Ruling(DENY, DENY), "shell.sleep": Ruling(DENY, DENY)}, digest="strict")


def lax_policy(_scene: Scene) -> Policy:
    return Policy(rulings={"privilege.escalate": Ruling(PASS, PASS)}, digest="lax")


def past_call(command: str, project: Path, outcome: CallOutcome = "ran", call: str = "") -> PastCall:
    folder = str(project)
    return PastCall("claude-code", "s", call or command, "", folder, folder, "Bash", {"command": command}, outcome, "f", 1)


def compare_policies(project: Path, after: PolicyFor, before: PolicyFor | None, *calls: PastCall | UnreadableLine) -> Comparison:
    replayer = Replayer({"PATH": "/usr/bin"}, str(project.parent), after, before)
    replayer.add_calls(calls)
    return replayer.comparison


def test_one_policy_alone_says_what_it_stops(tmp_path: Path) -> None:
    found = compare_policies(
        tmp_path, built_in, None, past_call("rm -rf ~", tmp_path), past_call("rm -rf ~/", tmp_path), past_call("ls", tmp_path)
    )
    (group,) = found.groups.values()
    assert (group.change, group.verdict, group.rule, group.shape, group.outcomes) == (
        *("stopped", DENY, "filesystem.delete-protected", "rm"),
        {"ran": 2},
    )
    assert found.calls == 3


def test_what_a_stricter_policy_newly_stops_and_a_laxer_one_frees(tmp_path: Path) -> None:
    calls = past_call("sudo ls", tmp_path, "refused"), past_call("ls", tmp_path)
    assert compare_policies(tmp_path, lax_policy, built_in, *calls).count_calls("newly free") == 1
    found = compare_policies(tmp_path, built_in, lax_policy, *calls)
    assert (found.count_calls("newly stopped"), found.count_calls("newly free")) == (1, 0)
    assert found.largest_groups("newly stopped")[0].outcomes == {"refused": 1}


def test_the_same_call_counts_once_and_the_same_words_each_time(tmp_path: Path) -> None:
    calls = (
        past_call("sudo ls", tmp_path, call="1"),
        past_call("sudo ls", tmp_path, call="1"),
        past_call("sudo ls", tmp_path, "failed", call="2"),
    )
    found = compare_policies(tmp_path, built_in, None, *calls)
    assert (found.calls, found.repeated) == (2, 1)
    assert next(iter(found.groups.values())).outcomes == {"ran": 1, "failed": 1}


def test_what_cannot_be_judged_is_neither_passed_nor_stopped(tmp_path: Path) -> None:
    lost = past_call("ls", tmp_path)._replace(cwd="", project="", call="lost")
    wrong = past_call("ls", tmp_path)._replace(arguments={"command": 3}, call="wrong")
    other = past_call("ls", tmp_path)._replace(host="another", call="other")
    found = compare_policies(tmp_path, built_in, None, lost, wrong, other, UnreadableLine("f", 1, "does not parse as JSON"))
    assert found.calls == 0
    assert sum(found.indeterminate.values()) == 4


def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    found = compare_policies(tmp_path, built_in, None, past_call("rm -rf ~", tmp_path / "gone"))
    assert (found.calls, found.gone, found.count_calls("stopped")) == (1, 1, 1)


def decision(verdict: Verdict, rule: str = "a") -> Decision:
    finding = Finding(rule, verdict, Match(Opaque("x", DEFAULT_ORIGIN), "x"), PASS)
    return Decision(verdict, verdict, findings=(finding,) if verdict else ())


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        (None, decision(ASK), "stopped"),
        (None, decision(WARN), None),
        (decision(PASS), decision(ASK), "newly stopped"),
        (decision(DENY), decision(WARN), "newly free"),
        (decision(ASK), decision(DENY), "other reason"),
        (decision(ASK), decision(ASK, "b"), "other reason"),
        (decision(ASK), decision(ASK), None),
        (decision(PASS), decision(WARN), None),
    ],
)
def test_what_counts_as_different(before: Decision | None, after: Decision, change: str | None) -> None:
    assert compare_decisions(before, after) == change


def test_shapes_name_programs_and_subcommands(tmp_path: Path) -> None:
    command = "sudo apt-get install x; sudo systemctl restart y; git push --force; ls; pwd"
    found = compare_policies(tmp_path, built_in, None, past_call(command, tmp_path))
    assert [group.shape for group in found.groups.values()] == ["sudo, sudo systemctl, git push, ..."]


def test_network_mounts_are_not_touched(tmp_path: Path) -> None:
    """Calls made on a mount are not judged; places of other calls on it are judged as unknown."""
    mount, project = tmp_path / "share", tmp_path / "project"
    for folder in (mount, project):
        folder.mkdir()
    script = mount / "run.sh"
    script.write_text("rm -rf ~\n")
    script.chmod(0o755)

    def replay(*mounts: Path) -> Comparison:
        replayer = Replayer({"PATH": "/usr/bin"}, str(tmp_path / "home"), built_in, network_mounts=tuple(map(str, mounts)))
        replayer.add_calls((past_call("ls", mount), past_call("rm -rf ~", mount / "deep"), past_call(f"bash {script}", project)))
        return replayer.comparison

    assert {group.rule for group in replay().groups.values()} == {"filesystem.delete-protected"}
    found = replay(mount)
    assert found.indeterminate == {"made on a network mount, which is not touched": 2}
    assert (found.calls, {group.rule for group in found.groups.values()}) == (1, {"shell.opaque"})
