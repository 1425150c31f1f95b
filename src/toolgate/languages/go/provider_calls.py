"""Calls of Amazon's library for Go, which uses the command line's names: `client.PutBucketPolicy(ctx, ..)` of the package `s3`
is `aws s3 put-bucket-policy`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolgate.languages.evaluation.emulators import AMAZON_ADDRESS
from toolgate.languages.evaluation.shared_results import kebab_case, options_of_cloud_command
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    Function,
    Instance,
    MapValue,
    Reference,
    Unknown,
    Value,
    list_alternatives,
    list_parts,
)
from toolgate.model.word import known_word

_SERVICE_PACKAGE = re.compile(r"github\.com/aws/aws-sdk-go(?:-v2)?/service/(?P<service>\w+)")
_OPENS_CLIENT = re.compile(r"aws-sdk-go/\w+\.New(?:FromConfig)?")
_ADDRESS_OPTION = re.compile(
    r"config\.WithBaseEndpoint|session\.(?:NewSession(?:WithOptions)?|Must)|aws\.NewConfig(?:\.\w+)?\.WithEndpoint"
)
_METHOD = re.compile(r"aws-sdk-go/(?P<service>\w+)\.New(?:FromConfig)?\.(?P<verb>[A-Z][A-Za-z0-9]*?)(?:WithContext)?")
_ADDRESS_FIELDS = ("BaseEndpoint", "Endpoint")
_CANNED_ACCESS = re.compile(r"\w+\.\w*Canned(?:ACL|Acl)(?P<value>[A-Z]\w*)")
"""Matches a constant for the access of others to an object: `types.ObjectCannedACLPublicRead`."""


def find_service_package(path: str) -> str | None:
    """Returns the name of the package of one of Amazon's services, by its import path."""
    found = _SERVICE_PACKAGE.fullmatch(path)
    return f"aws-sdk-go/{found['service']}" if found is not None else None


def note_provider_call(evaluation: Evaluation, name: str, arguments: Arguments) -> bool:
    """Records the address that a client is given, and reports what a client's method does, as the command with its name.
    Returns whether it is a client's method."""
    found = _METHOD.fullmatch(name)
    if _OPENS_CLIENT.fullmatch(name) or _ADDRESS_OPTION.fullmatch(name):
        addresses = [*_find_addresses(evaluation, name, arguments)]
        if addresses or _OPENS_CLIENT.fullmatch(name):
            evaluation.report.openings.note_service(evaluation.join_values(*addresses) if addresses else None)
    elif found is not None:
        settings = [
            (key, _name_access(value))
            for each in arguments.positional
            if isinstance(each, MapValue)
            for key, value in each.known_entries
        ]
        service, verb = known_word(found["service"]), known_word(kebab_case(found["verb"]))
        evaluation.report.command(known_word("aws"), service, verb, *options_of_cloud_command(settings))
    return found is not None


def _find_addresses(evaluation: Evaluation, name: str, arguments: Arguments) -> Iterator[Value]:
    """Yields the addresses that options name: in an object, or by a function that sets them."""
    given = [one for each in arguments.positional for one in list_alternatives(each)]
    for each in given:
        if isinstance(each, Function):
            options = Instance("aws options")
            evaluation.call(each, Arguments((options,)))
            yield from (options.fields[field] for field in _ADDRESS_FIELDS if field in options.fields)
        elif isinstance(each, MapValue):
            entries = [each, *(part for part in list_parts(each) if isinstance(part, MapValue))]
            yield from (one.entries[field] for one in entries for field in _ADDRESS_FIELDS if field in one.entries)
    if name.endswith(("WithBaseEndpoint", "WithEndpoint")):
        yield from given[:1]
    yield from evaluation.report.seen.get_variables(AMAZON_ADDRESS)


def _name_access(value: Value) -> Value:
    """Returns the value that a constant of the library stands for, if it says who may use an object."""
    found = _CANNED_ACCESS.fullmatch(value.name) if isinstance(value, Unknown | Reference) else None
    return value if found is None else known_word(kebab_case(found["value"]))
