"""Which records a call selects or changes: single ones, many, or nearly every one."""

from collections.abc import Mapping

from toolgate.locality import is_named_production

from .names import fold_key, split_words

_FILTER_KEYS = frozenset("filter where selector".split())
EVERY_WORDS = frozenset("many all bulk batch".split())


def has_empty_filter(arguments: Mapping[str, object]) -> bool:
    """Returns whether a filter selects every record: it is empty, or Elasticsearch's `match_all`."""
    return "'match_all': {}" in repr(arguments) or any(
        fold_key(str(key)) in _FILTER_KEYS and isinstance(value, Mapping) and all(map(_selects_everything, value.values()))
        for key, value in arguments.items()
    )


def _selects_everything(condition: object) -> bool:
    """Returns whether a condition holds for nearly every record: `{"$exists": true}`, `{"$ne": null}`, `{"$regex": ".*"}`."""
    if not isinstance(condition, Mapping) or not condition:
        return False
    return all(value in _VAGUE_OPERANDS.get(str(operator), ()) for operator, value in condition.items())


_VAGUE_OPERANDS: Mapping[str, tuple[object, ...]] = {
    "$exists": (True,),
    "$ne": (None, "", 0, -1),
    "$gt": (0, "", None),
    "$gte": (0, "", None),
    "$regex": (".*", ".", "", ".+"),
    "$nin": ([],),
    "$not": ({},),
}
"""Operators of MongoDB with the operands that leave hardly a record out."""


def selects_records(tool: str, arguments: Mapping[str, object]) -> bool:
    """Returns whether a call for many records names those it means, by values and not by operators (`{"$ne": null}`)."""
    words = split_words(tool)
    if EVERY_WORDS.isdisjoint(words) or "all" in words:
        return False
    filters = [value for key, value in arguments.items() if fold_key(str(key)) in _FILTER_KEYS and isinstance(value, Mapping)]
    return any(
        each and all(isinstance(value, str | int) and not isinstance(value, bool) for value in each.values()) for each in filters
    )


def deletes_single_key(server: str, tool: str, arguments: Mapping[str, object]) -> bool:
    """Returns whether a call deletes one key of a key-value store, as `DEL` does."""
    names = [value for key, value in arguments.items() if fold_key(str(key)) in ("key", "name")]
    if any(is_named_production(str(name)) for name in names):
        return False
    is_single = len(arguments) == len(names) == 1 and isinstance(names[0], str) and "*" not in names[0]
    return is_single and not _KEY_VALUE_STORES.isdisjoint(split_words(server)) and "delete" in split_words(tool)


_KEY_VALUE_STORES = frozenset("redis valkey keydb memcached upstash".split())


def changes_many_records(words: frozenset[str], objects: frozenset[str]) -> bool:
    """Returns whether a tool changes many records of people's work at once."""
    is_for_many = words & {"mass", "bulk", "many", "all", "batch"}
    is_of_records = "batch" in words and objects & _RECORDS
    return bool(is_for_many and words & _CHANGING_VERBS and (words & _RECORDS or is_of_records or "mass" in words))


_CHANGING_VERBS = frozenset("update transition close resolve assign edit modify move merge reassign archive patch".split())
_RECORDS = frozenset(
    "ticket tickets issue issues contact contacts lead leads deal deals customer customers price prices order "
    "orders user users subscriber subscribers product products account accounts incident incidents alert alerts "
    "employee employees member members invoice invoices opportunity opportunities cases".split()
)
