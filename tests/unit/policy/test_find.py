"""Tests where the layers are."""

from pathlib import Path

import pytest

from toolgate.machine.environment import find_folders
from toolgate.policy import discovery
from unit.policy.layers import ASK, DENY, Layers


def test_three_layers_the_highest_first() -> None:
    found = discovery.list_paths(find_folders({}, "/h"), "/p")
    assert found == (
        ("organisation", "/etc/toolgate/policy.toml"),
        ("user", "/h/.config/toolgate/policy.toml"),
        ("user", "/h/.config/toolgate/deployed.json"),
        ("project", "/p/.toolgate/policy.toml"),
        ("project", "/p/.squad/config/policies.json"),
    )


@pytest.mark.parametrize("project", ["", "relative"])
def test_without_a_project_there_is_no_layer_of_its_own(project: str) -> None:
    assert [author for author, _ in discovery.list_paths(find_folders({}, "/h"), project)] == ["organisation", "user", "user"]


def test_no_variable_moves_an_organisations_file_out_of_sight(layers: Layers, monkeypatch: pytest.MonkeyPatch) -> None:
    fixed = layers.home / "etc"
    monkeypatch.setattr(discovery, "ORGANISATION", str(fixed))
    layers.organisation = ""
    layers.user = '[rules."git.clean"]\nverdict = "pass"'
    assert layers.verdicts("git.clean") == (ASK, ASK)
    fixed.mkdir()
    (fixed / "policy.toml").write_text('[rules."git.clean"]\nverdict = "deny"')
    assert layers.verdicts("git.clean") == (DENY, ASK)


def test_a_dangling_link_in_etc_is_a_broken_file_not_none(layers: Layers, monkeypatch: pytest.MonkeyPatch) -> None:
    fixed = layers.home / "etc"
    fixed.mkdir()
    monkeypatch.setattr(discovery, "ORGANISATION", str(fixed))
    (fixed / "policy.toml").symlink_to(fixed / "policy.toml")
    assert layers.load().degraded


def test_the_file_of_a_project_may_belong_to_anybody(layers: Layers) -> None:
    layers.project = '[rules."git.clean"]\nverdict = "deny"'
    layers.write()
    file = Path(layers.folder / ".toolgate" / "policy.toml")
    file.chmod(0o666)
    assert [
        each.problem for each in discovery.find_files(find_folders({"TOOLGATE_HOME": str(layers.gate)}, ""), str(layers.folder))
    ] == [None]


def test_a_teams_policies_are_found_in_its_older_folder_and_from_a_worktree(tmp_path: Path) -> None:
    def of_the_team(project: Path) -> str:
        return discovery.list_paths(find_folders({}, "/h"), str(project))[-1][1]

    main, tree = tmp_path / "main", tmp_path / "tree"
    for folder in (main / ".ai-team" / "config", main / ".git" / "worktrees" / "tree", tree / ".squad" / "config"):
        folder.mkdir(parents=True)
    (tree / ".git").write_text(f"gitdir: {main}/.git/worktrees/tree\n")
    (tree / ".squad" / "config" / "policies.json").write_text("{}")
    assert of_the_team(tree) == f"{tree}/.squad/config/policies.json"
    (main / ".ai-team" / "config" / "policies.json").write_text("{}")
    assert of_the_team(main) == of_the_team(tree) == f"{main}/.ai-team/config/policies.json"
    (tree / ".git").write_text("gitdir: ../main/.git/worktrees/tree\n")
    assert of_the_team(tree) == f"{main}/.ai-team/config/policies.json"
