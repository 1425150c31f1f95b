"""Loops over what a client lists: deleting each item of one deletes everything that was listed."""

from __future__ import annotations

import re
from functools import lru_cache

from . import nodes
from .shared_state import Arguments, Evaluation
from .values import Unknown, Value, list_alternatives, unknown_from

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
_STORED_OBJECTS = ("getFiles", "getBuckets", "getTopics", "getSubscriptions", "getVMs", "getDatasets")
"""Methods of Google Cloud's libraries that list what a project or a bucket keeps."""
_PAGE_PARTS = frozenset("data items results records contents nodes edges entries resources page pages".split())
"""Properties that hold what a page of a list lists: `(await client.list()).data`."""
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
    return name in _STORED_OBJECTS or (bool(words) and (words[0] in _LISTING_WORDS or words[-1] in ("all", "list")))


def is_listed(value: Value) -> bool:
    """Returns whether a value is what a method that lists has returned, or a part of it."""
    return any(isinstance(each, Unknown) and names_listing(_last_name(each)) for each in list_alternatives(value))


def is_page_part(owner: Unknown, name: str) -> bool:
    """Returns whether a property holds what a listing lists: `page.users` of `listUsers`, `data`."""
    made_by = _last_name(owner)
    return names_listing(made_by) and (name.lower() in _PAGE_PARTS or name.lower() in _CAMEL.sub(" ", made_by).lower().split())


def visit_listed(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`(await User.findAll()).forEach(user => user.destroy())`: what the callback deletes is all that was listed."""
    if receiver is None or not is_listed(receiver):
        return None
    evaluation.listings += 1
    try:
        return evaluation.call_unknown("map", arguments, receiver)
    finally:
        evaluation.listings -= 1


def select_listed(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`users.filter(..)`, `issues.reject(&:closed)`: some of what was listed."""
    if not isinstance(receiver, Unknown) or not is_listed(receiver):
        return None
    evaluation.call_unknown("map", arguments, receiver)
    return unknown_from(receiver.name, receiver)


def _last_name(value: Unknown) -> str:
    return value.name.removesuffix("[]").rpartition(".")[2]
