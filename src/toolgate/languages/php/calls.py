"""Functions of arrays and texts, calls by names, classes: what no row can say."""

from __future__ import annotations

import base64
import codecs
from collections.abc import Callable, Mapping
from urllib.parse import quote, unquote

from toolgate.languages.evaluation import lists, nodes
from toolgate.languages.evaluation.evaluation import Arguments, Evaluation
from toolgate.languages.evaluation.expressions import Expressions
from toolgate.languages.evaluation.table import Special
from toolgate.languages.evaluation.values import (
    NEVER,
    NULL,
    Constant,
    Instance,
    ListValue,
    MapValue,
    ObjectValue,
    Reference,
    Unknown,
    Value,
    alternatives,
    join_all,
    text_of,
    unknown_from,
    words_of,
)
from toolgate.languages.scripting import texts
from toolgate.languages.scripting.classes import call_super, make_instance
from toolgate.languages.scripting.library import list_pairs, pairs_of, part_of_pairs
from toolgate.languages.scripting.texts import on_argument, text_method
from toolgate.model.word import known

from .evaluator import PhpEvaluator


def _first(given: Arguments) -> Value | None:
    return given.positional[0] if given.positional else given.rest


def _without_first(given: Arguments, count: int = 1) -> Arguments:
    return given._replace(positional=given.positional[count:])


# ---- values


def copy_value(value: Value, depth: int = 3) -> Value:
    """Arrays are values: one that is stored is a copy."""
    if depth and isinstance(value, ListValue):
        rest = None if value.rest is None else copy_value(value.rest, depth - 1)
        return ListValue(value.kind, [copy_value(each, depth - 1) for each in value.items], rest)
    if depth and type(value) is MapValue:
        return MapValue([(key, copy_value(each, depth - 1)) for key, each in value.entries.items()])
    return value


def _copy(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    return evaluation.joined(*(copy_value(each) for each in alternatives(given.positional[0])))


def _next_key(_evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """The key that `$array[] = ..` stores under."""
    holder = given.positional[0]
    if isinstance(holder, ListValue) and holder.rest is None:
        return Constant(len(holder.items))
    if isinstance(holder, MapValue) and holder.rest is None:
        numbers = [key for key in holder.entries if isinstance(key, int)]
        return Constant(max(numbers, default=-1) + 1)
    return Unknown("a key")


def _pairs(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    return pairs_of(evaluation, given.positional[0])


def _stored(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """What a call has stored in a variable: what was there, or what it made of that."""
    made = unknown_from("what a call stores", *given.positional, evaluation.report.made("what a command prints"))
    return evaluation.joined(given.positional[0], made)


# ---- by name


def _evaluator(evaluation: Evaluation) -> PhpEvaluator:
    assert isinstance(evaluation, PhpEvaluator)
    return evaluation


def _variable(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    names = [word.text for word in words_of(given.positional[0])]
    return evaluation.joined(
        *(Unknown("a variable") if name is None else evaluation.evaluate(nodes.Name(f"${name}")) for name in names)
    )


def _member(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    owner, name = given.positional
    made = _evaluator(evaluation).function_named_by(ListValue("array", (owner, name)))
    return made if made is not None else Unknown("a member")


def _class(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    found = alternatives(given.positional[0])
    return evaluation.joined(
        *(
            _evaluator(evaluation).class_named(each) if not isinstance(each, Instance) or each.cls is None else each.cls
            for each in found
        )
    )


def call_first(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """`call_user_func($function, ..)`."""
    function = _first(given)
    return None if function is None else evaluation.call(function, _without_first(given))


def _call_listed(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """`call_user_func_array($function, $arguments)`."""
    if len(given.positional) < 2:
        return None
    function, listed = given.positional[:2]
    values = part_of_pairs(1)(evaluation, listed, Arguments())
    items, rest = evaluation.items_of(values or listed)
    return evaluation.call(function, Arguments(tuple(items), {}, rest))


def _later(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """A function that something calls at some time, with what stands beside it or with anything."""
    function = _first(given)
    if function is not None and function is not NULL:
        rest = _without_first(given)
        evaluation.perhaps(lambda: evaluation.call(function, rest._replace(rest=Unknown("an argument"))))
    return NULL


def _function_object(_evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """`new ReflectionFunction($name)`, `Closure::fromCallable($name)`."""
    function = _first(given)
    return None if function is None else Instance("reflected", {"function": function})


def _as_function(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    value = _first(given)
    return None if value is None else _evaluator(evaluation).function_named_by(value) or value


def _invoke(evaluation: Evaluation, me: Value | None, given: Arguments) -> Value | None:
    function = me.fields.get("function") if isinstance(me, Instance) else None
    return None if function is None else evaluation.call(function, given)


def _invoke_listed(evaluation: Evaluation, me: Value | None, given: Arguments) -> Value | None:
    function = me.fields.get("function") if isinstance(me, Instance) else None
    return None if function is None else _call_listed(evaluation, None, Arguments((function, *given.positional)))


def _call_missing(evaluation: Evaluation, me: Value | None, given: Arguments) -> Value | None:
    """`__call($name, $arguments)`."""
    name, *more = given.positional
    return None if me is None else evaluation.call(me, Arguments((name, ListValue("array", more, given.rest))))


def _create_function(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """`create_function('$a', 'code')`."""
    code = given.positional[1] if given.positional[1:] else NULL
    return evaluation.call(Reference("evaluate text"), Arguments((code,)))


def _assert(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """`assert($code)` was `eval` once."""
    for each in alternatives(given.positional[0]) if given.positional else ():
        if (words_of(each)[0].text is not None and type(each) is type(known(""))) or not isinstance(each, Constant | Unknown):
            evaluation.call(Reference("evaluate text"), Arguments((each,)))
    return NULL


def _include(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    report = evaluation.report
    for each in words_of(given.positional[0]) if given.positional else ():
        if any(each.starts(f"{scheme}:") is True for scheme in ("http", "https", "ftp", "data", "php")):
            report.connect(each)
            report.interpret(report.made("what a server sends"), via="php include")
        else:
            report.interpret_file(each)
    return Unknown("what a file returns")


def _extract(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    for each in alternatives(given.positional[0]) if given.positional else ():
        for key, value in each.known_entries if isinstance(each, MapValue) else ():
            evaluation.journal.set(evaluation.frame.variables, f"${key}", value)
    return NULL


def _exit(_evaluation: Evaluation, _me: Value | None, _given: Arguments) -> Value | None:
    return NEVER


# ---- arrays


def _values(evaluation: Evaluation, value: Value) -> ListValue:
    made = part_of_pairs(1)(evaluation, value, Arguments())
    assert isinstance(made, ListValue)
    return made


def _with_keys(evaluation: Evaluation, before: Value, made: Value | None) -> Value | None:
    """What a function made of the values of a map, under their keys."""
    if isinstance(before, MapValue) and isinstance(made, ListValue):
        keys = [key for key, _ in before.known_entries]
        pairs = list(zip(keys, made.items, strict=False))
        return MapValue(pairs, made.rest if len(pairs) == len(keys) else evaluation.joined(*made.items, made.rest))
    return made


def _map(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """`array_map($function, $array, ..)`."""
    if len(given.positional) < 2:
        return None
    function, holder, *more = given.positional
    if function is NULL or more:
        columns = [evaluation.items_of(_values(evaluation, each)) for each in (holder, *more)]
        rows = list(zip(*(items for items, _ in columns), strict=False))
        if function is NULL:
            return ListValue("array", [ListValue("array", row) for row in rows])
        return ListValue("array", [evaluation.call(function, Arguments(row)) for row in rows], Unknown("a result"))
    return _with_keys(evaluation, holder, lists.map_items(evaluation, _values(evaluation, holder), Arguments((function,))))


def _filter(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    if len(given.positional) < 2:
        return _first(given)
    holder, function = given.positional[:2]
    made = lists.select_items(evaluation, _values(evaluation, holder), Arguments((function,)))
    if isinstance(made, ListValue):  # its keys stay, so places are not known
        kept = join_all((*made.items, made.rest))
        return ListValue("array", (), kept) if len(made.items) < 2 else ListValue("array", made.items, kept)
    return made


def _walk(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """`array_walk($array, $function, $more)`: given each value, its key, and what is handed over."""
    if len(given.positional) < 2:
        return None
    holder, function, *more = given.positional
    pairs = pairs_of(evaluation, holder)
    for pair in [*pairs.items, *(() if pairs.rest is None else alternatives(pairs.rest))]:
        assert isinstance(pair, ListValue)
        evaluation.perhaps(lambda pair=pair: evaluation.call(function, Arguments((pair.items[1], pair.items[0], *more))))  # type: ignore[misc]
    return NULL


def _reduce(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    if len(given.positional) < 2:
        return None
    holder, function, *start = given.positional
    return lists.reduce_items(evaluation, _values(evaluation, holder), Arguments((function, *(start or [NULL]))))


def _merge(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    if any(isinstance(each, MapValue) for each in given.positional):
        made = MapValue()
        at = 0
        for each in given.positional:
            for key, value in each.known_entries if isinstance(each, MapValue) else ():
                made.entries[key if isinstance(key, str) else at] = value
                at += isinstance(key, int)
            for value in evaluation.items_of(each)[0] if isinstance(each, ListValue) else ():
                made.entries[at] = value
                at += 1
        return made
    return lists.concatenate_lists(evaluation, None, given)


def _combine(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    assert isinstance(evaluation, Expressions)
    if len(given.positional) < 2:
        return None
    keys, values = (evaluation.items_of(_values(evaluation, each)) for each in given.positional[:2])
    made = MapValue((), values[1])
    for key, value in zip(keys[0], values[0], strict=False):
        evaluation.put(made, key, value)
    return made


def _fill(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    return ListValue("array", (), given.positional[-1] if given.positional else NULL)


def _slice(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """`array_slice($array, $offset, $length)`."""
    if not given.positional:
        return None
    holder = _values(evaluation, given.positional[0])
    plain = [texts.plain_value(each) for each in given.positional[1:3]]
    if holder.rest is not None or not plain or not all(isinstance(each, int) or each is None for each in plain):
        return ListValue("array", (), join_all((*holder.items, holder.rest)))
    start, length = plain[0] or 0, plain[1] if plain[1:] else None
    assert isinstance(start, int)
    items = holder.items[start:]
    return ListValue("array", items if length is None else items[:length])  # type: ignore[misc]


def _end(at: int) -> Special:
    def call(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
        if not given.positional:
            return None
        items, rest = evaluation.items_of(_values(evaluation, given.positional[0]))
        return items[at] if items and (rest is None or at == 0) else evaluation.joined(*items, rest, NULL)

    return call


def _pop(at: int) -> Special:
    def call(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
        holder = given.positional[0] if given.positional else NULL
        if isinstance(holder, MapValue):
            keys = [key for key, _ in holder.known_entries]
            if not keys:
                return NULL
            value = holder.entries[keys[at]]
            evaluation.journal.remove(holder.entries, keys[at])
            return value
        return lists.take_item(at)(evaluation, holder, Arguments())

    return call


def _range(_evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    low, high = (texts.plain_value(each) for each in (*given.positional, NULL, NULL)[:2])
    if isinstance(low, int) and isinstance(high, int) and abs(high - low) < 1000 and len(given.positional) == 2:
        step = 1 if high >= low else -1
        return ListValue("array", [Constant(n) for n in range(low, high + step, step)])
    if isinstance(low, str) and isinstance(high, str) and len(low) == len(high) == 1:
        return ListValue("array", [known(chr(n)) for n in range(ord(low), ord(high) + 1)])
    return ListValue("array", (), unknown_from("an item", *given.positional))


def _column(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    assert isinstance(evaluation, Expressions)
    if len(given.positional) < 2:
        return None
    rows, rest = evaluation.items_of(_values(evaluation, given.positional[0]))
    made = [evaluation.index(each, given.positional[1]) for each in rows]
    return ListValue("array", made, None if rest is None else evaluation.index(rest, given.positional[1]))


def _flip(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    assert isinstance(evaluation, Expressions)
    made = MapValue()
    pairs = pairs_of(evaluation, given.positional[0]) if given.positional else ListValue("array")
    for pair in pairs.items:
        assert isinstance(pair, ListValue)
        evaluation.put(made, pair.items[1], pair.items[0])
    return made if pairs.rest is None else unknown_from("an array", *given.positional)


# ---- texts


def _implode(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """`implode($between, $array)`, in either order."""
    if not given.positional:
        return None
    found = sorted(given.positional[:2], key=lambda each: not isinstance(each, ListValue | MapValue))
    if not isinstance(found[0], ListValue | MapValue):
        found.reverse()
    return texts.join_items(evaluation, _values(evaluation, found[0]), Arguments(tuple(found[1:])))


def _replace(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """`str_replace($old, $new, $text)`, of lists one after the other."""
    if len(given.positional) < 3:
        return None
    old, new, subject = given.positional[:3]
    olds = list(old.items) if isinstance(old, ListValue) and old.rest is None else [old]
    news = list(new.items) if isinstance(new, ListValue) and new.rest is None else [new] * len(olds)
    made: Value | None = subject
    for one, other in zip(olds, [*news, *[known("")] * len(olds)], strict=False):
        made = texts.replace_text(-1)(evaluation, made, Arguments((one, other)))
    return made


def _replace_pattern(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """`preg_replace`: a pattern without signs of its own is a text; `preg_replace_callback` calls a function."""
    if len(given.positional) < 3:
        return None
    pattern, new, subject = given.positional[:3]
    source = text_of(pattern)
    if source and len(source) > 2 and source[0] == source[-1]:
        pattern = Instance("pattern", {"source": known(source[1:-1])})
    made = texts.replace_text(-1)(evaluation, subject, Arguments((pattern, new)))
    if source and "e" in source.rpartition(source[0])[2]:
        evaluation.report.opaque("what a pattern finds is run as code")
    return made


def _call_with_match(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    if len(given.positional) < 3:
        return None
    match = ListValue("array", (), unknown_from("a match", given.positional[2]))
    result: list[Value] = []
    evaluation.perhaps(lambda: result.append(evaluation.call(given.positional[1], Arguments((match,)))))
    return unknown_from("a replaced text", given.positional[2], *result)


def _translate(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """`strtr($text, $from, $to)`, `strtr($text, $pairs)`."""
    if len(given.positional) == 2 and isinstance(given.positional[1], MapValue):
        made: Value | None = given.positional[0]
        for key, value in given.positional[1].known_entries:
            made = texts.replace_text(-1)(evaluation, made, Arguments((known(str(key)), value)))
        return made
    return text_method(lambda text, old, new: text.translate({ord(a): b for a, b in zip(old, new, strict=False)}))(
        evaluation, _first(given), _without_first(given)
    )


def _substring(text: str, start: int, length: int | None = None) -> str:
    begin = max(0, len(text) + start) if start < 0 else start
    rest = text[begin:]
    return rest if length is None else rest[:length]


def _split(by: str, text: str, limit: int | None = None) -> list[str]:
    return text.split(by) if limit is None or limit < 1 else text.split(by, limit - 1)


def _trimmed(strip: Callable[..., str]) -> Special:
    return text_method(lambda text, chars=" \t\n\r\0\x0b": strip(text, chars), "same")


_TEXTS: Mapping[str, Special] = {
    "trim": _trimmed(str.strip),
    "ltrim": _trimmed(str.lstrip),
    "rtrim": _trimmed(str.rstrip),
    "chop": _trimmed(str.rstrip),
    "strtolower": text_method(str.lower, "same"),
    "mb_strtolower": text_method(str.lower, "same"),
    "strtoupper": text_method(str.upper, "same"),
    "mb_strtoupper": text_method(str.upper, "same"),
    "ucfirst": text_method(lambda text: text[:1].upper() + text[1:]),
    "lcfirst": text_method(lambda text: text[:1].lower() + text[1:]),
    "ucwords": text_method(lambda text, *_: text.title()),
    "strrev": text_method(lambda text: text[::-1]),
    "substr": text_method(_substring),
    "mb_substr": text_method(_substring),
    "str_repeat": text_method(lambda text, count: text * count),
    "str_pad": text_method(lambda text, size, fill=" ", side=1: text.rjust(size, fill) if side == 0 else text.ljust(size, fill)),
    "str_split": text_method(lambda text, size=1: [text[n : n + size] for n in range(0, len(text), size)], "list"),
    "mb_str_split": text_method(lambda text, size=1: [text[n : n + size] for n in range(0, len(text), size)], "list"),
    "strstr": text_method(lambda text, part, before=False: text.partition(part)[0] if before else part + text.partition(part)[2]),
    "strrchr": text_method(lambda text, part: part[0] + text.rpartition(part[0])[2]),
    "strpos": text_method(lambda text, part, *_: text.find(part) if part in text else False, "number"),
    "stripos": text_method(lambda text, part, *_: text.lower().find(part.lower()), "number"),
    "strrpos": text_method(lambda text, part: text.rfind(part), "number"),
    "str_contains": text_method(lambda text, part: part in text, "test"),
    "str_starts_with": text_method(lambda text, part: text.startswith(part), "test"),
    "str_ends_with": text_method(lambda text, part: text.endswith(part), "test"),
    "ord": text_method(lambda text: ord(text[0]), "number"),
    "hexdec": text_method(lambda text: int(text, 16), "number"),
    "octdec": text_method(lambda text: int(text, 8), "number"),
    "str_word_count": text_method(lambda text, *_: len(text.split()), "number"),
    "nl2br": text_method(lambda text: text.replace("\n", "<br />\n"), "same"),
    "htmlspecialchars": text_method(lambda text, *_: text, "same"),
    "addslashes": text_method(lambda text: text.replace("\\", "\\\\").replace("'", "\\'").replace('"', '\\"')),
    "stripslashes": text_method(lambda text: text.replace("\\", "")),
    "escapeshellarg": text_method(lambda text: "'" + text.replace("'", "'\\''") + "'"),
    "escapeshellcmd": text_method(lambda text: text, "same"),
    "rawurlencode": text_method(quote),
    "urlencode": text_method(quote),
    "urldecode": text_method(unquote),
    "rawurldecode": text_method(unquote),
    "base64_encode": text_method(lambda text: base64.b64encode(text.encode()).decode()),
}
CALLS: Mapping[str, Special] = {
    **{name: on_argument(special) for name, special in _TEXTS.items()},
    **dict.fromkeys(("strlen", "mb_strlen", "count", "sizeof"), on_argument(texts.length_of)),
    **dict.fromkeys(("intval", "floatval"), on_argument(texts.to_number)),
    **dict.fromkeys(("strval",), on_argument(texts.as_text)),
    **dict.fromkeys(("chr", "mb_chr"), on_argument(texts.character_of)),
    **dict.fromkeys(("sprintf",), texts.format_text),
    "vsprintf": texts.format_text,
    **dict.fromkeys(("implode", "join"), _implode),
    **dict.fromkeys(("explode", "mb_split"), text_method(_split, "list")),
    **dict.fromkeys(("str_replace", "str_ireplace"), _replace),
    "preg_replace": _replace_pattern,
    "preg_replace_callback": _call_with_match,
    "strtr": _translate,
    "base64_decode": on_argument(texts.decoded(texts.from_base64)),
    **dict.fromkeys(("hex2bin", "pack_hex"), on_argument(texts.decoded(texts.from_hex))),
    "str_rot13": on_argument(texts.decoded(lambda text: codecs.encode(text, "rot13"))),
    "array_map": _map,
    "array_filter": _filter,
    **dict.fromkeys(("array_walk", "array_walk_recursive", "iterator_apply"), _walk),
    "array_reduce": _reduce,
    **dict.fromkeys(("array_merge", "array_replace", "array_merge_recursive"), _merge),
    "array_combine": _combine,
    **dict.fromkeys(("array_fill", "array_pad", "array_fill_keys"), _fill),
    **dict.fromkeys(("array_slice", "array_splice"), _slice),
    "array_push": on_argument(lists.push_items),
    "array_unshift": on_argument(lists.unshift_items),
    "array_pop": _pop(-1),
    "array_shift": _pop(0),
    **dict.fromkeys(("current", "reset", "array_find"), _end(0)),
    "end": _end(-1),
    **dict.fromkeys(
        ("array_reverse", "iterator_to_array_reversed"),
        lambda evaluation, _me, given: lists.reverse_copy(evaluation, _values(evaluation, given.positional[0]), Arguments()),
    ),
    **dict.fromkeys(("array_values", "iterator_to_array", "array_unique"), on_argument(part_of_pairs(1))),
    "array_keys": on_argument(part_of_pairs(0)),
    "array_column": _column,
    "array_flip": _flip,
    **dict.fromkeys(
        ("sort", "rsort", "usort", "uasort", "uksort", "asort", "arsort", "ksort", "shuffle"), on_argument(lists.sort_in_place)
    ),
    **dict.fromkeys(("in_array",), on_argument(lists.includes_item, 1)),
    "array_search": lambda *_: Unknown("a key"),
    "array_key_exists": lambda *_: Unknown("a test"),
    "range": _range,
    "copy of": _copy,
    "next key": _next_key,
    "pairs of": _pairs,
    "pairs of list": list_pairs,
    "stored by a call": _stored,
    "variable by name": _variable,
    "member by name": _member,
    "class by name": _class,
    "extract": _extract,
    "include": _include,
    **dict.fromkeys(("exit", "die"), _exit),
    "eval": lambda evaluation, _me, given: evaluation.call(Reference("evaluate text"), given),
    "assert": _assert,
    "create_function": _create_function,
    **dict.fromkeys(("call_user_func", "forward_static_call"), call_first),
    **dict.fromkeys(("call_user_func_array", "forward_static_call_array"), _call_listed),
    **dict.fromkeys(("register_shutdown_function", "ob_start", "set_error_handler", "set_exception_handler"), _later),
    **dict.fromkeys(("spl_autoload_register", "register_tick_function", "header_register_callback"), _later),
    "pcntl_signal": on_argument(lambda evaluation, me, given: _later(evaluation, None, given)),
    **dict.fromkeys(("ReflectionFunction.new", "ReflectionMethod.new"), _function_object),
    "Closure.fromCallable": _as_function,
    "stdClass.new": lambda *_: ObjectValue(),
    **dict.fromkeys(("reflected.invoke", "reflected.__invoke", "reflected.call"), _invoke),
    "reflected.invokeArgs": _invoke_listed,
    "a missing method": _call_missing,
    "make an instance": make_instance,
    "call super": call_super,
}
HARMFUL = frozenset(
    "call_user_func call_user_func_array forward_static_call eval assert create_function include array_map array_walk".split()
)
