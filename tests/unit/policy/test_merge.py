"""Laws 9 and 10: who may set what, and what nobody can lower."""

import pytest

from toolgate.model.rule import LoweredFloor, Policy, Ruling
from unit.policy.layers import ASK, DENY, PASS, TABLE, WARN, Layers


def test_without_files_the_rows_hold(layers: Layers) -> None:
    assert layers.load() == Policy(digest="built-in")


def test_a_user_sets_verdict_unsure_and_options(layers: Layers) -> None:
    layers.user = '[rules."git.force-push"]\nverdict = "deny"\nunsure = "ask"\noptions = {lease_is_fine = false}'
    policy = layers.load()
    assert policy.rulings == {"git.force-push": Ruling(DENY, ASK, {"lease_is_fine": False})}
    assert (policy.notices, policy.degraded) == ((), False)


def test_lowering_a_verdict_takes_unsure_along(layers: Layers) -> None:
    layers.user = '[rules."git.clean"]\nverdict = "warn"'
    assert layers.verdicts("git.clean") == (WARN, WARN)


def test_raising_a_verdict_leaves_unsure(layers: Layers) -> None:
    layers.user = '[rules."git.force-push"]\nverdict = "deny"'
    assert layers.verdicts("git.force-push") == (DENY, WARN)


def test_a_project_raises(layers: Layers) -> None:
    layers.project = '[rules."git.force-push"]\nverdict = "deny"\nunsure = "deny"'
    assert layers.verdicts("git.force-push") == (DENY, DENY)


def test_a_project_does_not_lower(layers: Layers) -> None:
    layers.project = '[rules."git.force-push"]\nverdict = "pass"\n[rules."git.clean"]\nunsure = "warn"'
    assert layers.verdicts("git.force-push") == (ASK, WARN)
    assert layers.verdicts("git.clean") == (ASK, ASK)
    (notice,) = layers.load().notices
    assert "has no effect" in notice


def test_a_user_relaxes_for_one_project(layers: Layers) -> None:
    layers.user = '[project."~/code/api".rules."git.force-push"]\nverdict = "pass"'
    assert layers.verdicts("git.force-push") == (PASS, PASS)
    layers.user = '[project."~/code/ap".rules."git.force-push"]\nverdict = "pass"'
    assert layers.verdicts("git.force-push") == (ASK, WARN)


def test_what_is_said_of_the_nearer_folder_counts(layers: Layers) -> None:
    layers.user = (
        '[project."~/code/api".rules]\n"git.clean".verdict = "deny"\n[project."~/code".rules]\n"git.clean".verdict = "warn"'
    )
    assert layers.verdicts("git.clean") == (DENY, WARN)


def test_beneath_an_organisation_a_user_lowers_nothing_unnamed(layers: Layers) -> None:
    layers.organisation = '[rules."git.force-push"]\nverdict = "deny"'
    layers.user = '[rules."git.force-push"]\nverdict = "pass"\n[rules."git.clean"]\nverdict = "deny"'
    assert layers.verdicts("git.force-push") == (DENY, WARN)
    assert layers.verdicts("git.clean") == (DENY, ASK)


def test_an_organisation_names_what_users_may_lower(layers: Layers) -> None:
    layers.organisation = 'users_may_lower = ["git.*", "human"]\nhuman = false\ncap = "deny"'
    layers.user = 'human = true\ncap = "warn"\n[rules]\n"git.force-push".verdict = "pass"\n"gate.tamper".verdict = "deny"'
    policy = layers.load()
    assert (policy.human, policy.cap) == (True, DENY)
    assert policy.rulings == {"git.force-push": Ruling(PASS, PASS)}
    assert policy.notices == (f"{layers.gate}/policy.toml: cap: would loosen what this file may not loosen, and has no effect",)


def test_options_follow_the_right_to_lower(layers: Layers) -> None:
    layers.user = '[rules."git.force-push"]\noptions = {delete_is_fine = true}'
    assert layers.load().rulings == {"git.force-push": Ruling(ASK, WARN, {"delete_is_fine": True})}
    layers.organisation = ""
    assert layers.load().rulings == {}


@pytest.mark.parametrize("profile", ["default", "observe", "ci-headless", "paranoid"])
def test_no_profile_lowers_a_floor(layers: Layers, profile: str) -> None:
    layers.user = f'profile = "{profile}"\n[rules]\n"filesystem.root".verdict = "pass"\n"gate.tamper".verdict = "warn"'
    assert layers.verdicts("filesystem.root") == (DENY, ASK)
    assert layers.verdicts("gate.tamper") == (DENY, DENY)


def test_a_user_on_their_own_lowers_a_floor_by_name_with_a_reason(layers: Layers) -> None:
    layers.user = '[floors."gate.tamper"]\nverdict = "warn"\nreason = "I develop toolgate in this account"'
    policy = layers.load()
    file = str(layers.gate / "policy.toml")
    assert policy.floors == {"gate.tamper": LoweredFloor(WARN, WARN, "I develop toolgate in this account", file)}
    assert layers.verdicts("gate.tamper") == (WARN, WARN)
    assert policy.floor_for("gate.tamper", TABLE["gate.tamper"]) == (WARN, WARN)


def test_beneath_an_organisation_a_user_lowers_no_floor(layers: Layers) -> None:
    layers.organisation = 'users_may_lower = ["*"]'
    layers.user = '[floors."gate.tamper"]\nverdict = "warn"\nreason = "I develop toolgate in this account"'
    policy = layers.load()
    assert (policy.floors, layers.verdicts("gate.tamper")) == ({}, (DENY, DENY))
    assert len(policy.notices) == 1


def test_an_organisation_lowers_a_floor(layers: Layers) -> None:
    layers.organisation = '[floors."filesystem.root"]\nverdict = "ask"\nreason = "throw-away build machines"'
    assert layers.verdicts("filesystem.root") == (ASK, ASK)


def test_the_profile_of_the_environment_only_raises(layers: Layers) -> None:
    layers.environ = {"TOOLGATE_PROFILE": "ci-headless"}
    assert layers.load().human is False
    layers.environ = {"TOOLGATE_PROFILE": "observe"}
    layers.user = 'log = "off"'
    assert (layers.load().cap, layers.load().audit) == (DENY, "decisions")


def test_an_unknown_profile_in_the_environment_is_no_way_to_have_none(layers: Layers) -> None:
    layers.environ = {"TOOLGATE_PROFILE": "paranoyd"}
    policy = layers.load()
    assert policy.degraded
    assert policy.notices[0].startswith("environment: TOOLGATE_PROFILE: there is no such profile; there are ")


def test_another_profile_can_be_asked_for(layers: Layers) -> None:
    layers.user = 'profile = "ci-headless"'
    assert layers.load(profile="observe").cap == WARN
    assert layers.load().cap == DENY


def test_every_value_knows_where_it_came_from(layers: Layers) -> None:
    layers.user = 'human = false\n[rules."git.clean"]\nverdict = "warn"'
    layers.project = '[rules."git.clean"]\nverdict = "deny"'
    sources = layers.compile_layers().merged.sources
    origins = {name: (source.layer, source.file, source.key) for name, source in sources.items()}
    assert origins == {
        "human": ("user", str(layers.gate / "policy.toml"), "human"),
        "git.clean": ("project", str(layers.folder / ".toolgate/policy.toml"), 'rules."git.clean"'),
    }


def test_where_state_is_kept_is_the_users_word_or_the_organisations(layers: Layers) -> None:
    layers.user = 'store = "sqlite:/var/mine.db"'
    assert (layers.load().store, layers.load().store_is_fixed) == ("sqlite:/var/mine.db", False)
    layers.organisation = 'store = "postgresql://db/toolgate"'
    policy = layers.load()
    assert (policy.store, policy.store_is_fixed) == ("postgresql://db/toolgate", True)
    assert "store" in policy.notices[0]


@pytest.mark.parametrize(("layer", "error"), [("user", 'store = "ftp://x"'), ("project", 'store = "sqlite:/x"')])
def test_a_store_of_no_kind_or_of_a_strangers_choice_is_no_store(layers: Layers, layer: str, error: str) -> None:
    setattr(layers, layer, error)
    policy = layers.load()
    assert policy.store == ""
    assert any("store" in notice for notice in policy.notices)


def test_wrappers_are_the_users_beneath_no_organisation_and_never_a_projects(layers: Layers) -> None:
    layers.user = '[wrappers]\nw = ["-q", "-n,--name="]'
    assert layers.load().wrappers == (("w", "-q -n,--name="),)
    layers.organisation = 'users_may_lower = ["human"]'
    assert layers.load().wrappers == ()
    layers.organisation = 'users_may_lower = ["wrappers"]'
    assert layers.load().wrappers == (("w", "-q -n,--name="),)
    layers.user, layers.project = None, "[wrappers]\nw = []"
    assert layers.load().wrappers == ()


def test_an_option_of_a_wrapper_is_an_option(layers: Layers) -> None:
    layers.user = '[wrappers]\nw = ["name"]'
    assert "wrappers" in layers.complaint()
