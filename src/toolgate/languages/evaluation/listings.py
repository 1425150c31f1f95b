"""Loops over what a client lists: deleting each item of one deletes everything that was listed."""

from __future__ import annotations

import re
from functools import lru_cache

from . import nodes

_LISTING_WORDS = frozenset("list scan describe listdir paginate search query iter iterator all".split())
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")
_MAX_DEPTH = 8


def lists_objects(iterable: nodes.Expression, depth: int = _MAX_DEPTH) -> bool:
    """Returns whether a loop goes over the result of a method that lists: `client.list()`, `buckets.all()`,
    `sorted(c.scan_iter())`, `(await client.listTopics()).items`."""
    match iterable:
        case nodes.Call(function=nodes.Attribute(name=name)) if names_listing(name):
            return True
        case nodes.Call(function=nodes.Name(), arguments=arguments) if depth:
            return any(lists_objects(each.value, depth - 1) for each in arguments)
        case nodes.Call(function=nodes.Attribute(owner=owner)) | nodes.Attribute(owner=owner) | nodes.Index(owner=owner) if depth:
            return lists_objects(owner, depth - 1)
        case nodes.Unary(operand=operand) if depth:
            return lists_objects(operand, depth - 1)
        case _:
            return False


@lru_cache(1024)
def names_listing(name: str) -> bool:
    """Returns whether a method's name says that it lists: `findAll`, `list_nodes`, `conversations_list`."""
    words = _CAMEL.sub(" ", name).lower().split()
    return bool(words) and (words[0] in _LISTING_WORDS or words[-1] in ("all", "list"))
