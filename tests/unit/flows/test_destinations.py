"""Tests where addresses lead, and whose secrets may be sent there."""

import pytest

from toolgate.flows.destinations import find_destination, is_local
from toolgate.flows.issuers import belongs_to, secret_of_variable
from toolgate.model.word import EMPTY, Word, known_word, unknown_word, variable_word


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        (known_word("http://localhost:3000/x"), "loopback"),
        (known_word("127.0.0.1:80"), "loopback"),
        (known_word("http://[::1]:80/"), "loopback"),
        (known_word("0x7f000001"), "loopback"),
        (known_word("build"), "near"),
        (known_word("http://10.0.0.7/x"), "near"),
        (known_word("deploy@nas.local:/srv"), "near"),
        (known_word("git@github.com:o/r.git"), "known"),
        (known_word("https://api.github.com.evil.example/"), "foreign"),
        (known_word("https://user:github.com@evil.example/"), "foreign"),
        (known_word("203.0.113.9"), "foreign"),
        (known_word("mallory@evil.example:/x"), "foreign"),
        (known_word("https://transfer.sh/x"), "drop"),
        (known_word("https://evil.example/?k=") + variable_word("K"), "foreign"),
        (variable_word("DATA") + known_word(".evil.example"), "foreign"),
        (unknown_word("$URL"), "unknown"),
        (known_word("https://") + unknown_word("$HOST") + known_word("/x"), "unknown"),
    ],
)
def test_a_destination_has_a_kind(target: Word, kind: str) -> None:
    assert find_destination(target).kind == kind


def test_hosts_of_the_project_and_of_the_user_are_known() -> None:
    target = known_word("https://git.mine.example/r.git")
    assert find_destination(target, frozenset(("git.mine.example",))).kind == "known"
    assert find_destination(target, trusted=("mine.example",)).kind == "known"
    assert find_destination(target, trusted=("ine.example",)).kind == "foreign"


def test_nothing_is_no_address_of_this_machine() -> None:
    assert not is_local(None)
    assert not is_local(EMPTY)
    assert is_local(known_word("http://localhost:4566"))


@pytest.mark.parametrize(
    ("name", "issuer"),
    [
        ("GITHUB_TOKEN", "github"),
        ("AWS_SECRET_ACCESS_KEY", "aws"),
        ("STRIPE_SECRET_KEY", "stripe"),
        ("MY_API_KEY", ""),
        ("DATABASE_URL", ""),
    ],
)
def test_a_variable_is_named_after_a_secret(name: str, issuer: str) -> None:
    secret = secret_of_variable(name)
    assert secret is not None
    assert secret.issuer == issuer


@pytest.mark.parametrize(
    "name", ["HOME", "TOKEN_FILE", "NEXT_PUBLIC_API_KEY", "STRIPE_PUBLISHABLE_KEY", "token", "KEYBOARD", "AWS_ACCESS_KEY_ID"]
)
def test_a_variable_is_not(name: str) -> None:
    assert secret_of_variable(name) is None


def test_a_token_belongs_to_its_issuer() -> None:
    assert belongs_to("github", "api.github.com")
    assert belongs_to("gitlab", "gitlab.mine.example")
    assert not belongs_to("github", "github.com.evil.example")
    assert not belongs_to("aws", "evil.example")
