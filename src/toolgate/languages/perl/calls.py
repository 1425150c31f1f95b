"""Functions of arrays, hashes and texts, references, methods: what no row can say."""

from __future__ import annotations

import re
from collections.abc import Mapping

from toolgate.languages.evaluation import lists
from toolgate.languages.evaluation.evaluation import UNROLLED, Arguments, Evaluation
from toolgate.languages.evaluation.expressions import Expressions
from toolgate.languages.evaluation.table import Special
from toolgate.languages.evaluation.values import (
    NULL,
    Constant,
    Function,
    Instance,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    alternatives,
    join_all,
    sources_of,
    text_of,
    truth_of,
    unknown_from,
    word_of,
)
from toolgate.languages.scripting import texts
from toolgate.languages.scripting.library import pairs_of
from toolgate.languages.scripting.texts import on_argument, text_method
from toolgate.model.word import Word, known, unknown

from .evaluator import PerlEvaluator

_FLATTENED = ("list", "values", "iterator")


def as_list(value: Value | None) -> ListValue:
    """What another language's list gives, as a list of Perl's."""
    if isinstance(value, ListValue):
        return ListValue("list", value.items, value.rest)
    return ListValue("list") if value is None else ListValue("list", (value,))


def _given(given: Arguments) -> ListValue:
    return ListValue("list", given.positional, given.rest)


def _shared(value: ListValue, kind: str) -> ListValue:
    """The same list, as an array or as a reference to it."""
    made = ListValue(kind)
    made.cell = value.cell
    return made


# ---- lists and references


def _list_of(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """A value where a list is wanted: an array is flattened, a reference is one value."""
    found: list[Value] = []
    rest: Value | None = None
    value = given.positional[0]
    only = len(alternatives(value)) == 1
    for each in alternatives(value):
        if isinstance(each, ListValue) and each.kind in _FLATTENED:
            if only:
                return each
            rest = join_all((rest, *each.items, each.rest))
        else:
            found.append(each)
    if only or len(found) == len(alternatives(value)):
        return ListValue("list", (value,))
    return ListValue("list", (), join_all((*found, rest)))


def _scalar_of(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """A value where one is wanted: of an array how many it has, of another list the last."""
    found = [_scalar_of_one(each) for each in alternatives(given.positional[0])]
    return evaluation.joined(*found)


def _scalar_of_one(value: Value) -> Value:
    if isinstance(value, ListValue) and value.kind in _FLATTENED:
        if value.rest is not None:
            return join_all((*value.items, value.rest, Unknown("a number"))) or NULL
        return value.items[-1] if value.items else NULL
    return value


def _count(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """`scalar @array`."""
    value = given.positional[0] if given.positional else NULL
    if isinstance(value, ListValue):
        return Constant(len(value.items)) if value.rest is None else Unknown("a number")
    return value


def _last_index(_evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    value = given.positional[0]
    return Constant(len(value.items) - 1) if isinstance(value, ListValue) and value.rest is None else Unknown("a number")


def _reference_to(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    found = alternatives(given.positional[0])
    return evaluation.joined(
        *(_shared(each, "array") if isinstance(each, ListValue) and each.kind != "array" else each for each in found)
    )


def _dereferenced(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    found = alternatives(given.positional[0])
    made = [_shared(each, "list") if isinstance(each, ListValue) else each for each in found]
    if len(made) == 1 and isinstance(made[0], Unknown):
        return ListValue("list", (), unknown_from("an item", made[0]))
    return evaluation.joined(*made)


def _fill(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    target, value = given.positional
    for each in alternatives(target):
        if isinstance(each, ListValue) and isinstance(value, ListValue):
            evaluation.journal.replace(each, value.items, value.rest)
        elif isinstance(each, MapValue):
            for pair in pairs_of(evaluation, _hash_of(evaluation, None, Arguments((value,))) or NULL).items:
                assert isinstance(pair, ListValue)
                evaluation.put(each, *pair.items)  # type: ignore[attr-defined]
    return value


def _hash_of(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """A hash of keys and values, one after the other."""
    assert isinstance(evaluation, Expressions)
    positional = list(given.positional)
    if len(positional) == 1 and isinstance(positional[0], MapValue):
        return positional[0]
    made = MapValue((), given.rest)
    for key, value in zip(positional[::2], [*positional[1::2], NULL], strict=False):
        evaluation.put(made, key if not isinstance(key, Constant) else known(str(key.value)), value)
    return made


def _flattened(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """The keys and values of a hash as a list."""
    found = pairs_of(evaluation, given.positional[0])
    items = [one for pair in found.items if isinstance(pair, ListValue) for one in pair.items]
    return ListValue("list", items, None if found.rest is None else unknown_from("an entry", found.rest))


def _keys(which: int) -> Special:
    def call(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
        found = pairs_of(evaluation, given.positional[0])
        rest = (
            join_all(each.items[which] for each in alternatives(found.rest) if isinstance(each, ListValue))
            if found.rest
            else None
        )
        return ListValue("list", [pair.items[which] for pair in found.items if isinstance(pair, ListValue)], rest)

    return call


def _each(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """`each %hash`: any of the pairs, or none."""
    found = pairs_of(evaluation, given.positional[0])
    pairs = [each for each in (*found.items, *alternatives(found.rest or NULL)) if isinstance(each, ListValue)]
    if not pairs:
        return ListValue("list")
    return ListValue(
        "list", (evaluation.joined(*(each.items[0] for each in pairs)), evaluation.joined(*(each.items[1] for each in pairs)))
    )


def _slice(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    assert isinstance(evaluation, Expressions)
    holder, places = given.positional
    assert isinstance(places, ListValue)
    rest = None if places.rest is None else evaluation.index(holder, places.rest)
    return ListValue("list", [evaluation.index(holder, each) for each in places.items], rest)


def _delete(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    assert isinstance(evaluation, Expressions)
    holder, key = given.positional[:2]
    value = evaluation.index(holder, key)
    if isinstance(holder, MapValue) and (name := text_of(key)) is not None:
        evaluation.journal.remove(holder.entries, name)
    return value


def _each_holder(special: Special) -> Special:
    """A function whose first argument is an array, whichever it may be."""

    def call(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
        if not given.positional:
            return None
        holder, *more = given.positional
        rest = Arguments(tuple(more), {}, given.rest)
        return evaluation.joined(*(special(evaluation, each, rest) for each in alternatives(holder)))

    return call


def _push(evaluation: Evaluation, me: Value | None, given: Arguments) -> Value | None:
    evaluation.called["list.push"] = evaluation.called.get("list.push", 0) + 1
    return lists.push_items(evaluation, me, given)


def _splice(evaluation: Evaluation, me: Value | None, given: Arguments) -> Value | None:
    plain = [texts.plain_value(each) for each in given.positional[:2]]
    if isinstance(me, ListValue) and me.rest is None and given.rest is None and all(isinstance(each, int) for each in plain):
        start = plain[0] if plain else 0
        count = plain[1] if plain[1:] else len(me.items)
        assert isinstance(start, int)
        assert isinstance(count, int)
        items = list(me.items)
        start = len(items) + start if start < 0 else start
        taken = items[start : start + count]
        evaluation.journal.replace(me, [*items[:start], *given.positional[2:], *items[start + count :]], None)
        return ListValue("list", taken)
    return as_list(lists.splice_items(evaluation, me, given))


# ---- functions of blocks


def _map(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    function, *items = given.positional
    found: list[Value] = []
    others: list[Value | None] = []
    made, rest = lists.call_each(evaluation, ListValue("list", items, given.rest), function)
    for _, result in made:
        flat = _list_of(evaluation, None, Arguments((result,)))
        assert isinstance(flat, ListValue)
        found += flat.items
        others.append(flat.rest)
    if rest is not None:
        flat = _list_of(evaluation, None, Arguments((rest[1],)))
        assert isinstance(flat, ListValue)
        others += [*flat.items, flat.rest]
    return ListValue("list", found, join_all(others))


def _grep(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    function, *items = given.positional
    made, rest = lists.call_each(evaluation, ListValue("list", items, given.rest), function)
    sure = [each for each, result in made if truth_of(result) is True]
    others = [each for each, result in [*made, *(() if rest is None else (rest,))] if truth_of(result) is None]
    return ListValue("list", sure, join_all(others)) if sure or not others else ListValue("list", (), join_all(others))


def _first(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    found = _grep(evaluation, None, given)
    assert isinstance(found, ListValue)
    return found.items[0] if found.items and found.rest is None else evaluation.joined(*found.items, found.rest, NULL)


def _reduce(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """`reduce { $a . $b } @list`."""
    function, *items = given.positional
    if not isinstance(function, Function):
        return None
    made: Value = items[0] if items else given.rest or NULL
    for each in items[1:UNROLLED]:
        evaluation.top.variables.update({"$a": made, "$b": each})
        made = evaluation.call(function, Arguments((each,)))
    return made if given.rest is None else unknown_from("a value", made, given.rest)


def _sort(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    function, *items = given.positional
    more = (function,) if isinstance(function, Function) else ()
    return as_list(lists.sort_copy(evaluation, ListValue("array", items, given.rest), Arguments(more)))


def _find(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """`find(sub { .. }, @folders)`: called with each path, in `$_` and `$File::Find::name`."""
    from toolgate.languages.evaluation.paths import ALL, join_paths

    function, *folders = given.positional
    if isinstance(function, MapValue):
        function = function.entries.get("wanted", NULL)
    over = evaluation.joined(*(join_paths(evaluation, each, ALL) for each in folders)) if folders else unknown("a path")
    variables = evaluation.top.variables
    before = dict(variables)
    variables.update({"$_": over, "$File::Find::name": over})
    evaluation.perhaps(lambda: evaluation.call(function, Arguments()))
    for name in ("$_", "$File::Find::name"):
        if name in before:
            variables[name] = before[name]
    return NULL


def _call_block(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """`try { .. }` of a module, `async { .. }`."""
    for each in given.positional:
        for function in alternatives(each):
            if isinstance(function, Function):
                evaluation.perhaps(lambda function=function: evaluation.call(function, Arguments()))  # type: ignore[misc]
    return given.positional[0] if given.positional else NULL


# ---- methods and classes


def _evaluator(evaluation: Evaluation) -> PerlEvaluator:
    assert isinstance(evaluation, PerlEvaluator)
    return evaluation


def _bless(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    if not given.positional:
        return None
    value = given.positional[0]
    cls = text_of(given.positional[1]) if given.positional[1:] else "main"
    for each in alternatives(value):
        key = id(each.cell) if isinstance(each, ListValue) else id(each)
        if cls is not None:
            _evaluator(evaluation).classes[key] = cls
    return value


def _call_method(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """`owner->name(..)`, `owner->$name(..)`: the owner, the name, the package that this is said in, what is given."""
    owner, name, package, *more = given.positional
    found = [
        _call_method_of(evaluation, each, one, text_of(package) or "main", Arguments(tuple(more), {}, given.rest))
        for each in alternatives(owner)
        for one in alternatives(name)
    ]
    return evaluation.joined(*found)


def _call_method_of(evaluation: Evaluation, owner: Value, name: Value, package: str, given: Arguments) -> Value:
    self = _evaluator(evaluation)
    if isinstance(name, Function | Reference):
        return self.call(name, given._replace(positional=(owner, *given.positional)))
    text = text_of(name)
    if text is None:
        if not self.report.is_trusted and not isinstance(owner, Unknown):
            self.report.opaque("which method is called is computed")
        return self.call_unknown("a method", given, owner)
    if text.startswith("SUPER::"):
        parents = self.patched.get(f"@{package}::ISA")
        for each in parents.items if isinstance(parents, ListValue) else ():
            found = self.find_method(text_of(each) or "", text.removeprefix("SUPER::"))
            if found is not None:
                return self.call(found, given._replace(positional=(owner, *given.positional)))
    if text in ("can", "isa", "DOES") and given.positional:
        return self.function_named(word_of(given.positional[0])) if text == "can" else Unknown("a test")
    own = self.method_of(owner, text)
    if own is not None:
        return self.call(own, given._replace(positional=(owner, *given.positional)))
    return self.call(self.library_method(owner, text), given)


def _start_by_name(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """`system { $program } @arguments`: the first argument is only what it is called."""
    program, *words = given.positional
    argv = ListValue("array", (program, *words[1:]), given.rest)
    evaluation.report.run(argv, Constant(False))
    return Unknown("a number")


# ---- files


def open_as(evaluation: Evaluation, mode: Value | None, path: Value | None = None, *words: Value | None) -> Value:
    """`open(F, '>', 'x')`, `open F, ">x"`, `open(F, "cmd |")`, `open(F, '-|', @command)`."""
    from toolgate.languages.scripting.words import open_file, shell_line, start_listed

    given = word_of(mode) if mode is not None else known("")
    found = _MODE.match(given.head)
    sign = found[1] if found else ""
    if path is None or path is NULL:
        target: Value = given.cut(len(found[0])) if found else given
        if given.tail.rstrip().endswith("|") and sign not in ("|", "|-"):
            stripped = given.tail.rstrip()[:-1]
            target, sign = Word((*given.parts[:-1], stripped), False, given.src), "-|"
        elif isinstance(target, Word):
            target = Word((*target.parts[:-1], target.tail.rstrip()), False, target.src) if target.tail else target
    else:
        target = path
    if "|" in sign:
        if words or isinstance(target, ListValue):
            start_listed(evaluation, target, *words)
            return Instance("file", {"path": NULL})
        shell_line(evaluation, target)
        return Instance("file", {"path": NULL, "command": target})
    return open_file(
        evaluation,
        target,
        known("a" if ">>" in sign else "w" if ">" in sign or "+" in sign else "r") if given.text is not None or sign else None,
    )


_MODE = re.compile(r"\s*(\+?[<>]{1,2}&?|\|-?|-\|)(?::[\w():-]+)*\s*")


def _open(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    if not given.positional and given.rest is None:
        return Instance("file", {"path": NULL})
    return open_as(evaluation, *(given.positional or (given.rest,)))


def _open_folder(_evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    return Instance("folder", {"path": given.positional[0] if given.positional else NULL})


def _print_to(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    handle, *values = given.positional
    if (name := text_of(handle)) is not None:
        if name == "STDOUT":
            return evaluation.call(Reference("print"), Arguments(tuple(values), {}, given.rest))
        handle = evaluation.patched.get(f"*{name}", handle)
    from .results import write_to

    return write_to(evaluation, handle, ListValue("list", values, given.rest))


# ---- texts


def _matches(_evaluation: Evaluation, _me: Value | None, _given: Arguments) -> Value | None:
    return Unknown("a test")


def _substituted(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    text, pattern, new, modifiers = given.positional
    count = -1 if "g" in (text_of(modifiers) or "") else 1
    return texts.replace_text(count)(evaluation, text, Arguments((pattern, new)))


def _transliterated(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    from toolgate.languages.ruby.methods import translate

    text, old, new, modifiers = given.positional
    flags = text_of(modifiers) or ""
    if set(flags) - {"r"}:
        return unknown("a changed text", sources_of(text))
    new = new if text_of(new) else old
    return text_method(translate)(evaluation, text, Arguments((old, new)))


def _split(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """`split /,/, $text`."""
    if len(given.positional) < 2:
        return ListValue("list", (), unknown("a part", sources_of(*given.values())))
    pattern, text = given.positional[:2]
    method = text_method(lambda value, by: value.split() if by == " " else list(value) if by == "" else value.split(by), "list")
    made = method(evaluation, text, Arguments((pattern,)))
    return as_list(made) if isinstance(made, ListValue) else ListValue("list", (), unknown("a part", sources_of(text)))


def _join(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    if not given.positional:
        return None
    gap, *items = given.positional
    return texts.join_items(evaluation, ListValue("list", items, given.rest), Arguments((gap,)))


def _joined(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """An array in a text."""
    return texts.join_items(evaluation, given.positional[0], Arguments((known(" "),)))


def _repeated(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    value, count = given.positional
    if isinstance(value, ListValue):
        return evaluation.operate("*", value, count)  # type: ignore[attr-defined, no-any-return]
    return text_method(lambda text, times: text * times)(evaluation, value, Arguments((count,)))


def _range(_evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    low, high = (texts.plain_value(each) for each in given.positional)
    if isinstance(low, int) and isinstance(high, int) and high - low < 1000:
        return ListValue("list", [Constant(n) for n in range(low, high + 1)])
    if isinstance(low, str) and isinstance(high, str) and len(low) == len(high) == 1:
        return ListValue("list", [known(chr(n)) for n in range(ord(low), ord(high) + 1)])
    return ListValue("list", (), unknown_from("an item", *given.positional))


def _reverse(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    """In a list its items the other way round; of one text its characters."""
    if len(given.positional) == 1 and given.rest is None and any(isinstance(each, Word) for each in alternatives(given.positional[0])):
        return evaluation.each_of(given.positional[0], _reversed_or_not)
    return as_list(lists.reverse_copy(evaluation, _given(given), Arguments()))


def _reversed_or_not(value: Value) -> Value:
    if not isinstance(value, Word):
        return value
    if value.text is None:
        return unknown("a text", value.src)
    return join_all((value, known(value.text[::-1], value.src))) or value


def _pack(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    how = texts.plain_value(given.positional[0]) if given.positional else ...
    plain = [texts.plain_value(each) for each in given.positional[1:]]
    if isinstance(how, str) and how[:1] in "cCUW" and all(isinstance(each, int) for each in plain) and given.rest is None:
        return evaluation.concatenate(
            [texts.character_of(evaluation, each, Arguments()) or NULL for each in given.positional[1:]]
        )
    if isinstance(how, str) and how[:1] in "aA" and len(plain) == 1:
        return given.positional[1]
    change = texts.from_hex if isinstance(how, str) and how.startswith("H") else _unreadable
    return texts.decoded(change)(evaluation, given.positional[1] if plain else unknown("bytes"), Arguments())


def _unpack(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    value = given.positional[1] if given.positional[1:] else unknown("bytes")
    return texts.decoded(_unreadable)(evaluation, value, Arguments())


def _unreadable(text: str) -> str:
    raise ValueError(text)


def _substring(text: str, start: int, length: int | None = None, *_: object) -> str:
    begin = max(0, len(text) + start) if start < 0 else start
    rest = text[begin:]
    return rest if length is None else rest[:length]


def _number_in_digits(base: int) -> Special:
    """`hex`, `oct`: numbers of digits that are not known are a text in another encoding."""
    known_digits = text_method(lambda text: int(text, 16 if text[:2].lower() == "0x" else base), "number")

    def call(evaluation: Evaluation, me: Value | None, given: Arguments) -> Value | None:
        if (me is None or text_of(me) is None) and not evaluation.report.is_trusted:
            evaluation.report.operation("text.decode")
        return known_digits(evaluation, me, given)

    return call


def _replacement(_evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    return given.positional[0]


def _last_of(_evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    return given.positional[-1]


def _defined(_evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    value = given.positional[0] if given.positional else NULL
    if isinstance(value, Word | ListValue | MapValue | Function) or (isinstance(value, Constant) and value.value is not None):
        return Constant(True)
    return Unknown("a test")


_TEXTS: Mapping[str, Special] = {
    "lc": text_method(str.lower, "same"),
    "uc": text_method(str.upper, "same"),
    "lcfirst": text_method(lambda text: text[:1].lower() + text[1:]),
    "ucfirst": text_method(lambda text: text[:1].upper() + text[1:]),
    "chomp": text_method(lambda text: text.removesuffix("\n"), "same"),
    "chop": text_method(lambda text: text[:-1]),
    "substr": text_method(_substring),
    "quotemeta": text_method(lambda text: re.sub(r"(\W)", r"\\\1", text)),
    "ord": text_method(lambda text: ord(text[0]), "number"),
}
CALLS: Mapping[str, Special] = {
    **{name: on_argument(special) for name, special in _TEXTS.items()},
    **{name: on_argument(_number_in_digits(base)) for name, base in (("hex", 16), ("oct", 8))},
    "length": on_argument(texts.length_of),
    "chr": on_argument(texts.character_of),
    **dict.fromkeys(("int", "abs"), on_argument(texts.to_number)),
    "sprintf": texts.format_text,
    "decode_base64": on_argument(texts.decoded(texts.from_base64)),
    **dict.fromkeys(("uncompress", "gunzip", "inflate", "memGunzip", "decode_qp"), on_argument(texts.decoded(_unreadable))),
    "list of": _list_of,
    "scalar of": _scalar_of,
    "scalar": _count,
    "last index": _last_index,
    "reference to": _reference_to,
    "dereferenced": _dereferenced,
    "fill": _fill,
    "hash of": _hash_of,
    "flattened": _flattened,
    "slice": _slice,
    "keys": _keys(0),
    "values": _keys(1),
    "each": _each,
    "delete": _delete,
    "exists": _matches,
    "defined": _defined,
    "ref": lambda *_: Unknown("a type"),
    "push": _each_holder(_push),
    "unshift": _each_holder(lists.unshift_items),
    "pop": _each_holder(lists.take_item(-1)),
    "shift": _each_holder(lists.take_item(0)),
    "splice": _each_holder(_splice),
    "map": _map,
    "grep": _grep,
    **dict.fromkeys(("first", "any", "all", "none", "List::Util::first"), _first),
    **dict.fromkeys(("reduce",), _reduce),
    "sort": _sort,
    "reverse": _reverse,
    "uniq": lambda _evaluation, _me, given: _given(given),
    "shuffle": lambda evaluation, _me, given: as_list(lists.sort_copy(evaluation, _given(given), Arguments())),
    **dict.fromkeys(("find", "finddepth", "File::Find::find"), _find),
    **dict.fromkeys(("try", "catch", "finally", "async", "lives_ok", "threads.create", "threads.new"), _call_block),
    "bless": _bless,
    "call a method": _call_method,
    "start by name": _start_by_name,
    **dict.fromkeys(("open", "sysopen"), _open),
    "opendir": _open_folder,
    "print to": _print_to,
    "test of a file": _matches,
    "matches": _matches,
    "substituted": _substituted,
    "transliterated": _transliterated,
    "replacement": _replacement,
    "split": _split,
    "join": _join,
    "joined": _joined,
    "repeated": _repeated,
    "range": _range,
    "pack": _pack,
    "unpack": _unpack,
    "last of": _last_of,
}
HARMFUL = frozenset("open sysopen find reduce map grep call_method".split()) | {"call a method", "start by name"}
