"""Methods of arrays."""

from __future__ import annotations

from collections.abc import Mapping

from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.listings import select_listed, visit_listed
from toolgate.languages.evaluation.lists import (
    call_for_each,
    concatenate_lists,
    fill_list,
    find_item,
    flatten_once,
    includes_item,
    index_of_item,
    item_at,
    map_and_flatten,
    map_items,
    push_items,
    reduce_items,
    reverse_copy,
    reverse_in_place,
    select_items,
    slice_items,
    sort_copy,
    sort_in_place,
    splice_items,
    take_item,
    test_items,
    unshift_items,
)
from toolgate.languages.evaluation.values import ListValue

ARRAYS: Mapping[str, SpecialCall] = {
    **dict.fromkeys(("?.map", "?.forEach", "?.flatMap", "?.each", "?.eachPage", "?.autoPagingEach"), visit_listed),
    **dict.fromkeys(("?.filter", "?.slice", "?.sort", "?.reverse", "?.toArray", "?.autoPagingToArray"), select_listed),
    "list.map": map_items,
    "list.forEach": call_for_each,
    "list.flatMap": map_and_flatten,
    "list.flat": flatten_once,
    "list.filter": select_items,
    **dict.fromkeys(("list.find", "list.findLast"), find_item),
    **dict.fromkeys(("list.some", "list.every", "list.findIndex", "list.findLastIndex"), test_items),
    **dict.fromkeys(("list.reduce", "list.reduceRight"), reduce_items),
    "list.sort": sort_in_place,
    "list.toSorted": sort_copy,
    "list.reverse": reverse_in_place,
    "list.toReversed": reverse_copy,
    **dict.fromkeys(("list.push", "list.add"), push_items),
    "list.unshift": unshift_items,
    "list.pop": take_item(-1),
    "list.shift": take_item(0),
    "list.splice": splice_items,
    "list.slice": slice_items,
    "list.concat": concatenate_lists,
    "list.at": item_at,
    "list.fill": fill_list,
    **dict.fromkeys(("list.indexOf", "list.lastIndexOf"), index_of_item),
    **dict.fromkeys(("list.includes", "list.has"), includes_item),
    "Array.of": lambda _evaluation, _receiver, arguments: ListValue("array", arguments.positional, arguments.rest),
}
