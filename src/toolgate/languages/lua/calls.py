"""Special handlers for Lua's tables, texts and multiple values, which the call tables cannot express."""

from __future__ import annotations

import re
from collections.abc import Mapping

from toolgate.languages.evaluation import lists
from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    NEVER_RETURNS,
    NULL,
    TRUE,
    Constant,
    Function,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    join_all,
    list_alternatives,
    text_of,
    unknown_from,
    word_of,
)
from toolgate.languages.scripting import texts
from toolgate.languages.scripting.library import pairs_of
from toolgate.languages.scripting.texts import on_argument, text_method
from toolgate.model.word import Word, known_word, unknown_word

from .evaluator import LuaEvaluator


def several_values(*items: Value) -> ListValue:
    return ListValue("values", items)


def _first_value(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    found = (first_of(each) for each in list_alternatives(arguments.positional[0]))
    return evaluation.join_values(*found)


def first_of(value: Value) -> Value:
    if isinstance(value, ListValue) and value.kind == "values":
        return value.items[0] if value.items else value.rest or NULL
    return value


def _all_values(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    value = arguments.positional[0] if arguments.positional else NULL
    if isinstance(value, ListValue) and value.kind == "values":
        return value
    if any(isinstance(each, ListValue) and each.kind == "values" for each in list_alternatives(value)):
        firsts = _first_value(evaluation, None, arguments)
        items = (one for each in list_alternatives(value) if isinstance(each, ListValue) for one in (*each.items, each.rest))
        return ListValue("values", (firsts or NULL,), join_all(items))
    return several_values(value)


def _number_entries(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns the values of a list as table entries, numbered from a start."""
    start, values = arguments.positional
    assert isinstance(start, Constant)
    assert isinstance(start.value, int)
    items, rest = (list(values.items), values.rest) if isinstance(values, ListValue) else ([], values)
    return MapValue([(start.value + n, each) for n, each in enumerate(items)], rest)


def items_of_table(table: Value | None) -> tuple[list[Value], Value | None]:
    """Returns the values that a table stores under 1, 2, .., and the value that it may store besides."""
    if isinstance(table, ListValue):
        return list(table.items), table.rest
    if not isinstance(table, MapValue):
        return [], unknown_from("an item", table)
    found: list[Value] = []
    while (value := table.entries.get(len(found) + 1)) is not None:
        found.append(value)
    return found, table.rest


def _insert(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    table = arguments.positional[0] if arguments.positional else NULL
    items, rest = items_of_table(table)
    evaluation.called["list.push"] = evaluation.called.get("list.push", 0) + 1
    for each in list_alternatives(table):
        if not isinstance(each, MapValue) or len(arguments.positional) < 2:
            continue
        if len(arguments.positional) > 2 or rest is not None:
            value = evaluation.join_values(*items, rest, arguments.positional[-1])
            evaluation.put_entry(each, Unknown("a place"), value)
            for n in range(len(items)):
                evaluation.journal.put_entry(each, n + 1, value)
        else:
            evaluation.journal.put_entry(each, len(items_of_table(each)[0]) + 1, arguments.positional[1])
    return NULL


def _remove(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    table = arguments.positional[0] if arguments.positional else NULL
    items, rest = items_of_table(table)
    if isinstance(table, MapValue) and rest is None and items and len(arguments.positional) == 1:
        evaluation.journal.remove_key(table.entries, len(items))
        return items[-1]
    if isinstance(table, MapValue) and rest is None and items:
        at = texts.plain_value(arguments.positional[1])
        if isinstance(at, int) and 1 <= at <= len(items):
            kept = [*items[: at - 1], *items[at:]]
            for n, each in enumerate(kept):
                evaluation.journal.put_entry(table, n + 1, each)
            evaluation.journal.remove_key(table.entries, len(items))
            return items[at - 1]
    return evaluation.join_values(*items, rest, NULL)


def _concat(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if not arguments.positional:
        return None
    items, rest = items_of_table(arguments.positional[0])
    return texts.join_items(evaluation, ListValue("array", items, rest), Arguments(arguments.positional[1:2]))


def _unpack(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    found = [items_of_table(each) for each in list_alternatives(arguments.positional[0])] if arguments.positional else []
    if len(found) == 1:
        start = texts.plain_value(arguments.positional[1]) if arguments.positional[1:] else 1
        return ListValue("values", found[0][0][start - 1 if isinstance(start, int) else 0 :], found[0][1])
    return ListValue("values", (), join_all(one for items, rest in found for one in (*items, rest)))


def _sort(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    table = arguments.positional[0] if arguments.positional else NULL
    items, rest = items_of_table(table)
    if isinstance(table, MapValue) and items:
        value = evaluation.join_values(*items, rest)
        for function in arguments.positional[1:2]:
            evaluation.run_possibly(lambda: evaluation.call(function, Arguments((value, value))))  # noqa: B023
        for n in range(len(items)):
            evaluation.journal.put_entry(table, n + 1, value)
    return NULL


def _pairs(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    found = pairs_of(evaluation, arguments.positional[0]) if arguments.positional else ListValue("iterator")
    return ListValue("iterator", found.items, found.rest)


def _ipairs(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    items, rest = items_of_table(arguments.positional[0] if arguments.positional else NULL)
    pairs = [several_values(Constant(n + 1), each) for n, each in enumerate(items)]
    return ListValue("iterator", pairs, None if rest is None else several_values(Unknown("a number"), rest))


def _iterations(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns the values that a loop iterates over: from a library iterator, or from a function called until it returns nil."""
    function = arguments.positional[0] if arguments.positional else arguments.rest
    found: list[Value | None] = []
    for each in list_alternatives(function) if function is not None else ():
        if isinstance(each, ListValue) and each.kind == "iterator":
            if len(list_alternatives(function)) == 1:  # type: ignore[arg-type]
                return each
            found += [*each.items, each.rest]
        elif isinstance(each, Function):
            made: list[Value] = [evaluation.call(each, Arguments(arguments.positional[1:])) for _ in range(8)]
            found += [_all_values(evaluation, None, Arguments((one,))) for one in made]
        else:
            found.append(several_values(unknown_from("an item", *arguments.all_values())))
    return ListValue("iterator", (), join_all(found))


def _numbers(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    plain = [texts.plain_value(each) for each in arguments.positional]
    step = plain[2] if plain[2:] else 1
    if isinstance(plain[0], int) and isinstance(plain[1], int) and isinstance(step, int) and step:
        found = range(plain[0], plain[1] + (1 if step > 0 else -1), step)
        if len(found) < 1000:
            return ListValue("array", map(Constant, found))
    return ListValue("array", (), Unknown("a number"))


def _call_method(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Calls a method (`owner:name(..)`): a function of a table receives the table first."""
    owner, name, *more = arguments.positional
    found: list[Value] = []
    for one in list_alternatives(owner):
        function = evaluation.read_attribute(one, text_of(name) or "")
        for each in list_alternatives(function):
            is_library = isinstance(each, Reference) and each.receiver is not None
            receiver = () if is_library else (one,)
            found.append(evaluation.call(each, Arguments((*receiver, *more), {}, arguments.rest)))
    return evaluation.join_values(*found)


def _set_metatable(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    assert isinstance(evaluation, LuaEvaluator)
    if len(arguments.positional) > 1:
        for table in list_alternatives(arguments.positional[0]):
            for each in list_alternatives(arguments.positional[1]):
                if isinstance(table, MapValue) and isinstance(each, MapValue):
                    evaluation.set_metatable(table, each)
    return arguments.positional[0] if arguments.positional else None


def _first(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return arguments.positional[0] if arguments.positional else arguments.rest


def _call_safely(skipped: int) -> SpecialCall:
    """Returns a handler for `pcall(function, ..)` and `xpcall(function, handler, ..)`."""

    def call(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
        if not arguments.positional:
            return None
        function, *more = arguments.positional
        if skipped:
            evaluation.run_possibly(lambda: evaluation.call(more[0], Arguments((Unknown("an error"),))) if more else NULL)
        made = evaluation.call(function, Arguments(tuple(more[skipped:]), {}, arguments.rest))
        return ListValue("values", (Unknown("a test"), *_items(_all_values(evaluation, None, Arguments((made,))))))

    return call


def _items(values: Value | None) -> tuple[Value, ...]:
    return values.items if isinstance(values, ListValue) else ()


def _load(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns a function that runs the code (`load(code)`)."""
    code = arguments.positional[0] if arguments.positional else NULL
    if isinstance(code, Function):
        code = evaluation.call(code, Arguments())
    return Reference("evaluate text", None, (code,))


def _call_first(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Evaluates `coroutine.resume(function, ..)`."""
    if not arguments.positional:
        return None
    made = evaluation.call(arguments.positional[0], Arguments(arguments.positional[1:], {}, arguments.rest))
    return several_values(TRUE, made)


def _select(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    at = texts.plain_value(arguments.positional[0]) if arguments.positional else ...
    if isinstance(at, int) and at > 0:
        return ListValue("values", arguments.positional[at:], arguments.rest)
    return Unknown("a number") if at == "#" else ListValue("values", (), join_all((*arguments.positional[1:], arguments.rest)))


def _require(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    name = text_of(arguments.positional[0]) if arguments.positional else None
    if name is None:
        return Unknown("a module")
    added = word_of(evaluation.patched.get("package.path", NULL)).head.split(";")
    found_by_pattern = (each.replace("?", name.replace(".", "/")) for each in added if each.endswith("/?.lua"))
    for file in (f"{name.replace('.', '/')}.lua", f"./{name}.lua", *found_by_pattern):
        if (found := evaluation.load_module(file)) is not None:
            return found
    return evaluation.library.module_reference(name)


def _do_file(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns what a file of the project returns; another one is read as any script that is run."""
    path = arguments.positional[0] if arguments.positional else Unknown("standard input")
    name = text_of(path)
    found = evaluation.load_module(name) if name is not None else None
    if found is None:
        evaluation.report.interpret_file(path)
    return found if found is not None else Unknown("what a file returns")


def _next(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    pairs = pairs_of(evaluation, arguments.positional[0]) if arguments.positional else ListValue("array")
    return pairs.items[0] if pairs.items else pairs.rest or NULL


def _length(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    value = arguments.positional[0]
    if isinstance(value, Word) and value.text is not None:
        return Constant(len(value.text))
    items, rest = items_of_table(value)
    return Constant(len(items)) if rest is None else Unknown("a number")


def _pick(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return evaluation.read_index(*arguments.positional[:2]) if len(arguments.positional) > 1 else None


def _store_raw(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if len(arguments.positional) > 2 and isinstance(arguments.positional[0], MapValue):
        evaluation.put_entry(arguments.positional[0], arguments.positional[1], arguments.positional[2])
    return arguments.positional[0] if arguments.positional else None


def _cut_substring(text: str, start: int = 1, end: int = -1) -> str:
    begin = max(0, len(text) + start) if start < 0 else max(0, start - 1)
    return text[begin : len(text) + end + 1 if end < 0 else end]


_PLAIN_PATTERN = re.compile(r"(?:[^\^$()%.\[\]*+\-?]|%[^\w])+")


def _substitute(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """Evaluates `gsub`; a pattern without metacharacters is a literal text."""
    old = text_of(arguments.positional[0]) if arguments.positional else None
    pattern: Value = unknown_word("a pattern")
    if old is not None and _PLAIN_PATTERN.fullmatch(old):
        pattern = known_word(re.sub(r"%(\W)", r"\1", old))
    new = text_of(arguments.positional[1]) if arguments.positional[1:] else None
    more = (
        (known_word(new.replace("%%", "%")),)
        if new is not None and "%" not in new.replace("%%", "")
        else arguments.positional[1:2]
    )
    return texts.replace_text(-1)(evaluation, receiver, Arguments((pattern, *more)))


def _codes(text: str, *_: object) -> int:
    return ord(text[0])


_TEXTS: Mapping[str, SpecialCall] = {
    "sub": text_method(_cut_substring),
    "rep": text_method(lambda text, count, gap="": gap.join([text] * count)),
    "reverse": text_method(lambda text: text[::-1]),
    "lower": text_method(str.lower, "same"),
    "upper": text_method(str.upper, "same"),
    "len": texts.length_of,
    "byte": text_method(_codes, "number"),
    "gsub": _substitute,
    "format": lambda evaluation, receiver, arguments: texts.format_text(
        evaluation, None, Arguments((receiver or NULL, *arguments.positional))
    ),
    "find": lambda *_: Unknown("a place"),
    "match": lambda _evaluation, receiver, _arguments: unknown_from("a match", receiver),
    "gmatch": lambda _evaluation, receiver, _arguments: ListValue(
        "iterator", (), several_values(unknown_from("a match", receiver))
    ),
}


def _characters(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return evaluation.concatenate([texts.character_of(evaluation, each, Arguments()) or NULL for each in arguments.positional])


CALLS: Mapping[str, SpecialCall] = {
    **{f"str.{name}": special for name, special in _TEXTS.items()},
    **{f"string.{name}": on_argument(special) for name, special in _TEXTS.items()},
    **dict.fromkeys(("string.char", "utf8.char"), _characters),
    "tostring": on_argument(texts.as_text),
    "table.insert": _insert,
    "table.remove": _remove,
    "table.concat": _concat,
    "table.sort": _sort,
    "table.pack": lambda evaluation, _receiver, arguments: _number_entries(
        evaluation, None, Arguments((Constant(1), ListValue("values", arguments.positional, arguments.rest)))
    ),
    **dict.fromkeys(("table.unpack", "unpack"), _unpack),
    "pairs": _pairs,
    "ipairs": _ipairs,
    "next": _next,
    "iterations": _iterations,
    "numbers": _numbers,
    "numbered": _number_entries,
    "first value": _first_value,
    "all values": _all_values,
    "length of": _length,
    "call a method": _call_method,
    "setmetatable": _set_metatable,
    "getmetatable": lambda evaluation, _receiver, arguments: (
        evaluation.metatable_of(arguments.positional[0]) or Unknown("a table")  # type: ignore[attr-defined]
    ),
    **dict.fromkeys(("coroutine.wrap", "coroutine.create", "rawlen"), _first),
    "assert": lambda _evaluation, _receiver, arguments: ListValue("values", arguments.positional, arguments.rest),
    "coroutine.resume": _call_first,
    "coroutine.yield": lambda *_: Unknown("sent data"),
    "pcall": _call_safely(0),
    "xpcall": _call_safely(1),
    "error": lambda *_: NEVER_RETURNS,
    **dict.fromkeys(("load", "loadstring"), _load),
    "select": _select,
    "require": _require,
    "dofile": _do_file,
    "rawget": _pick,
    "rawset": _store_raw,
    "lists.concat": lists.concatenate_lists,
    "mime.unb64": on_argument(texts.decode_text(texts.from_base64)),
}
HARMFUL = frozenset(("load", "loadstring", "pcall", "xpcall", "coroutine.resume", "call a method"))
