"""Tests a host that skips what its user does not trust: trusting is a change of its own, and `doctor` sees if it is missing."""

from pathlib import Path

import pytest

from toolgate.install import add_trust_removal, apply_plan, check_wiring, plan_install, plan_trust, plan_uninstall
from toolgate.model.errors import SettingsError

SCOPES = ("user", "project", "local")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def configuration(home: Path) -> Path:
    return home / ".codex" / "config.toml"


def install(home: Path) -> None:
    apply_plan(plan_install("codex", "user", str(home), str(home / "project"), {}), str(home / "backups"))


def trust(home: Path) -> None:
    apply_plan(plan_trust("codex", "user", str(home), str(home / "project"), {}), str(home / "backups"))


def problems(home: Path) -> list[str]:
    return [each.what for each in check_wiring("codex", str(home), str(home / "project"), {}, ask_version=False)]


def test_what_is_registered_is_not_trusted_yet(home: Path) -> None:
    install(home)
    assert not configuration(home).exists()
    assert [each.partition(":")[0] for each in problems(home)] == ["the host skips what its user does not trust"]
    trust(home)
    assert problems(home) == []
    assert plan_trust("codex", "user", str(home), str(home), {}).changes == ()


def test_a_changed_definition_is_not_trusted_any_more(home: Path) -> None:
    install(home)
    trust(home)
    hooks = home / ".codex" / "hooks.json"
    hooks.write_text(hooks.read_text().replace('"timeout": 10', '"timeout": 11', 1))
    assert any("does not trust: PreToolUse" in each for each in problems(home))


def test_out_again_gives_back_what_was_found(home: Path) -> None:
    configuration(home).parent.mkdir(parents=True)
    configuration(home).write_text('model = "x"\n')
    install(home)
    trust(home)
    plan = plan_uninstall("codex", SCOPES, str(home), str(home / "project"), {})
    apply_plan(add_trust_removal(plan, SCOPES, str(home), str(home / "project"), {}), str(home / "backups"))
    assert configuration(home).read_text() == 'model = "x"\n'
    assert not (home / ".codex" / "hooks.json").exists()


def test_a_configuration_that_cannot_be_read_is_named(home: Path) -> None:
    install(home)
    configuration(home).write_text("[")
    with pytest.raises(SettingsError, match="cannot be edited"):
        trust(home)
    assert problems(home)


def test_other_hosts_ask_for_none(home: Path) -> None:
    assert plan_trust("copilot", "user", str(home), str(home), {}).changes == ()
