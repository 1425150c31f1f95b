"""Loops over what a client lists: deleting each item of one deletes everything that was listed."""

from __future__ import annotations

import re
from functools import lru_cache

from . import nodes

_LISTING_WORDS = frozenset("list scan describe listdir paginate search query iter iterator all".split())
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")
_PEOPLE = frozenset("users accounts members employees customers subscribers contacts devices mailboxes subscriptions".split())
"""Methods whose name alone says that a service lists these: `okta.users()`."""
_COLLECTIONS = frozenset(
    (
        *("volumes", "snapshots", "instances", "images", "vpcs", "subnets", "security_groups", "buckets", "objects", "key_pairs"),
        *("object_versions", "queues", "topics", "stacks", "tables", "network_interfaces", "vpc_addresses", "classic_addresses"),
    )
)
"""Collections of Amazon's resources: `ec2.volumes.filter(..)`."""
_MAX_DEPTH = 8


def lists_objects(iterable: nodes.Expression, depth: int = _MAX_DEPTH) -> bool:
    """Returns whether a loop goes over the result of a method that lists: `client.list()`, `buckets.all()`,
    `sorted(c.scan_iter())`, `(await client.listTopics()).items`."""
    match iterable:
        case nodes.Call(function=nodes.Attribute(name=name)) if names_listing(name):
            return True
        case nodes.Call(function=nodes.Attribute() as method) if _names_collection(method):
            return True
        case nodes.Call(function=nodes.Name(), arguments=arguments) if depth:
            return any(lists_objects(each.value, depth - 1) for each in arguments)
        case nodes.Call(function=nodes.Attribute(owner=owner)) | nodes.Attribute(owner=owner) | nodes.Index(owner=owner) if depth:
            return lists_objects(owner, depth - 1)
        case nodes.Unary(operand=operand) if depth:
            return lists_objects(operand, depth - 1)
        case _:
            return False


def _names_collection(method: nodes.Attribute) -> bool:
    """Returns whether a method selects from a collection (`ec2.volumes.filter`, but not `Order.objects.filter` of a model), or is
    named after people."""
    match method:
        case nodes.Attribute(owner=nodes.Attribute(owner=owner, name=name), name="filter" | "limit"):
            is_model = isinstance(owner, nodes.Name | nodes.Attribute) and owner.name[:1].isupper()
            return name in _COLLECTIONS and not is_model
        case nodes.Attribute(owner=nodes.Name(), name=name):
            return name in _PEOPLE
        case _:
            return False


@lru_cache(1024)
def names_listing(name: str) -> bool:
    """Returns whether a method's name says that it lists: `findAll`, `list_nodes`, `conversations_list`."""
    words = _CAMEL.sub(" ", name).lower().split()
    return bool(words) and (words[0] in _LISTING_WORDS or words[-1] in ("all", "list"))
