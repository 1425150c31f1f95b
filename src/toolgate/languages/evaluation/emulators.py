"""Emulators of cloud services: variables that lead a provider's library to one, with the calls that open the library."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

from toolgate.locality import is_local_address
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word

AMAZON_ADDRESS = "AWS_ENDPOINT_URL"


class EmulatedService(NamedTuple):
    """`opening`: matches the call that opens the service, or that acts at it; `variables`: names that hold the emulator's
    address."""

    opening: re.Pattern[str]
    variables: tuple[str, ...]


def _service(opening: str, *variables: str) -> EmulatedService:
    return EmulatedService(re.compile(opening), variables)


_SERVICES = (
    # GROWS: one row for each service that has an emulator
    _service(r"firebase[-_]admin(?:/auth)?\.(?:auth\b|getAuth$)", "FIREBASE_AUTH_EMULATOR_HOST"),
    _service(
        r"firebase[-_]admin(?:/firestore)?\.(?:firestore\b|getFirestore$)|google\.cloud\.firestore\w*\.(?:Async)?Client$"
        r"|@google-cloud/firestore\.Firestore$",
        "FIRESTORE_EMULATOR_HOST",
    ),
    _service(r"firebase[-_]admin(?:/database)?\.(?:database\b|db\b|getDatabase$)", "FIREBASE_DATABASE_EMULATOR_HOST"),
    _service(
        r"firebase[-_]admin(?:/storage)?\.(?:storage\b|getStorage$)|google\.cloud\.storage\.Client$"
        r"|@google-cloud/storage\.Storage$",
        "STORAGE_EMULATOR_HOST",
        "FIREBASE_STORAGE_EMULATOR_HOST",
    ),
    _service(r"google\.cloud\.pubsub\w*\.(?:Publisher|Subscriber)Client$|@google-cloud/pubsub\.PubSub$", "PUBSUB_EMULATOR_HOST"),
    _service(r"google\.cloud\.datastore\.Client$|@google-cloud/datastore\.Datastore$", "DATASTORE_EMULATOR_HOST"),
    _service(r"google\.cloud\.bigtable\.Client$|@google-cloud/bigtable\.Bigtable$", "BIGTABLE_EMULATOR_HOST"),
    _service(r"google\.cloud\.spanner\w*\.Client$|@google-cloud/spanner\.Spanner$", "SPANNER_EMULATOR_HOST"),
    _service(
        r"(?:aio)?boto(?:3|core\.\w+)(?:\.session)?(?:\.Session)?\.(?:client|resource|create_client)$|@aws-sdk/[\w-]+\.\w+(?:Client|DB|S3)$"
        r"|aws-sdk(?:/clients/\w+|\.[A-Z]\w*)(?:\.DocumentClient)?$",
        AMAZON_ADDRESS,
    ),
)
_PROVIDER_PROGRAMS = ("gcloud", "az", "bq", "aws", "gsutil")


def is_emulated(name: str, list_own: Callable[[], dict[str, Word]], context: ExecutionContext) -> bool | None:
    """Returns whether a variable leads the service that a call opens to this machine; None for a call that opens none of them.
    `list_own`: returns the variables that the code itself has set."""
    service = _find_service(name)
    if service is None:
        return None
    own = list_own()
    values = [value for variable in service.variables for value in _list_values(variable, own, context)]
    return bool(values) and all(is_local_address(_with_scheme(each), context) for each in values)


@lru_cache(4096)
def _find_service(name: str) -> EmulatedService | None:
    return next((each for each in _SERVICES if each.opening.match(name)), None)


def is_cloud_database(name: str) -> bool:
    """Returns whether a call opens a database that only a provider runs, so that it is on another machine."""
    return _opens_cloud_database(name) is not None


_opens_cloud_database = re.compile(
    r"google\.cloud\.(?:firestore|datastore|bigtable|spanner|bigquery)\w*\.\w*Client|@google-cloud/(?:firestore|datastore|bigtable|spanner"
    r"|bigquery)\.\w+|firebase[-_]admin(?:/\w+)?\.(?:firestore|getFirestore|database|getDatabase)(?:\.\w*(?:client|Client))?"
    r"|snowflake\.connector\.connect|snowflake\.snowpark\.Session\.builder\b.*|snowflake-sdk\.createConnection|databricks\.sql\.connect"
    r"|redshift_connector\.connect|azure\.cosmos\.(?:aio\.)?CosmosClient|@azure/cosmos\.CosmosClient|pyathena\.connect"
).fullmatch


def belongs_to_provider(argv: Iterable[Word]) -> bool:
    """Returns whether a command is one that stands for a call of a provider's library."""
    first = next(iter(argv), None)
    return first is not None and first.text in _PROVIDER_PROGRAMS


def _list_values(variable: str, own: dict[str, Word], context: ExecutionContext) -> tuple[Word, ...]:
    return (own[variable],) if variable in own else context.get_variables(variable)


def _with_scheme(address: Word) -> Word:
    """Returns an address as a URL: most emulators are named by host and port alone."""
    return address if "://" in (address.text or "://") else known_word(f"http://{address.text}")
