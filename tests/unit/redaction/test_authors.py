"""Addresses of authors are shown in what git and packages record, hidden elsewhere, and hidden everywhere if a policy says so."""

import pytest

from toolgate.redaction.detectors.authors import shows_authors
from toolgate.redaction.finder import Finder
from toolgate.redaction.placeholders import label_placeholder
from toolgate.redaction.redactor import Redactor

AUTHORS = (
    "commit 1\nAuthor: Jane Doe <jane.doe@corp.io>\nDate: today\n",
    "Name: x\nAuthor-email: Jane <jane@corp.io>, Bob <bob@corp.io>\n",
    'authors = [\n  {name = "Jane", email = "jane@corp.io"},\n  {name = "Bob", email = "bob@corp.io"},\n]\n',
    '{"maintainers": [{"name": "jane", "email": "jane@corp.io"}]}',
    "  * Copyright (c) 2020 Jane <jane@corp.io>",
)
OTHERS = (
    "From: Jane <jane@corp.io>\nTo: bob@example.com\n",
    '{"users": [{"email": "jane@corp.io"}]}',
    '{"author": {"name": "x"}, "customer": {"email": "jane@corp.io"}}',
    "id,name,email\n1,Jane,jane@corp.io\n",
    "customers:\n- Jane <jane@corp.io>\n",
)


@pytest.mark.parametrize("text", AUTHORS)
def test_an_author_is_shown_unless_all_addresses_are_hidden(text: str) -> None:
    assert not Finder().find(text)
    assert Finder(safe_addresses=False).find(text)


@pytest.mark.parametrize("text", OTHERS)
def test_another_address_is_hidden(text: str) -> None:
    assert [hit.kind for hit in Finder().find(text)] == ["email"]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git log --format='%an <%ae> %s' -5", True),
        ("cd lib && git shortlog -sne | head -5", True),
        ("npm view express maintainers", True),
        ("cat customers.csv; git log", False),
        ("psql -c 'select email from users'", False),
        ("grep -r @ users && git log", False),
    ],
)
def test_a_command_that_prints_authors(command: str, expected: bool) -> None:
    assert shows_authors(command) is expected


def test_what_such_a_command_prints_is_shown_in_the_form_of_authors_only() -> None:
    text = "Jane <jane@corp.io> write to bob@corp.io"
    output = Redactor(Finder(), label_placeholder, shows_authors=True).redact_text(text)
    assert "jane@corp.io" in output
    assert "bob@corp.io" not in output
    strict = Redactor(Finder(safe_addresses=False), label_placeholder, shows_authors=True).redact_text(text)
    assert "jane@corp.io" not in strict
