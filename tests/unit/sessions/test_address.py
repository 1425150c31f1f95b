"""A setting of the policy moves the state for hooks and for a person's verbs alike."""

from pathlib import Path

from toolgate.model.rule import Policy
from toolgate.sessions import choose_store_url
from unit.sessions.simulated_client import client_in

STORE = "TOOLGATE_STORE_URL"


def test_the_organisation_then_the_environment_then_the_user() -> None:
    assert choose_store_url(Policy(), {}) == ""
    assert choose_store_url(Policy(store="sqlite:/mine"), {}) == "sqlite:/mine"
    assert choose_store_url(Policy(store="sqlite:/mine"), {STORE: "sqlite:/theirs"}) == "sqlite:/theirs"
    assert choose_store_url(Policy(store="sqlite:/all", store_is_fixed=True), {STORE: "sqlite:/theirs"}) == "sqlite:/all"


def test_a_request_is_kept_where_the_policy_says(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.db"
    client = client_in(tmp_path, f'ask_through = "code"\nstore = "sqlite:{elsewhere}"\n')
    assert client.bash("git push --force").startswith("deny")
    assert elsewhere.exists()
    assert not (client.state / "state.db").exists()


def test_a_store_is_not_reached_into_by_its_address(tmp_path: Path) -> None:
    client = client_in(tmp_path, 'store = "postgresql://gate@db/toolgate"\n')
    assert "the gate keeps approvals" in client.bash("psql postgresql://gate@db/toolgate -c 'select 1'")
    assert client.bash("psql postgresql://me@db/shop -c 'select 1'") == "runs"
