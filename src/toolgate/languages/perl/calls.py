"""Functions of arrays, hashes and texts, references, methods: what no row can say."""

from __future__ import annotations

import re
from collections.abc import Mapping

from toolgate.languages.evaluation import lists
from toolgate.languages.evaluation.evaluation import UNROLLED, Arguments, Evaluation
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
    text_of,
    truth_of,
    unknown_from,
    word_of,
)
from toolgate.languages.scripting import texts
from toolgate.languages.scripting.texts import on_argument
from toolgate.model.word import Word, known, unknown

from . import lists_of_perl, texts_of_perl
from .evaluator import PerlEvaluator

# ---- functions of blocks


def _map(evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    function, *items = given.positional
    found: list[Value] = []
    others: list[Value | None] = []
    made, rest = lists.call_each(evaluation, ListValue("list", items, given.rest), function)
    for _, result in made:
        flat = lists_of_perl.list_of(evaluation, None, Arguments((result,)))
        assert isinstance(flat, ListValue)
        found += flat.items
        others.append(flat.rest)
    if rest is not None:
        flat = lists_of_perl.list_of(evaluation, None, Arguments((rest[1],)))
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
    return lists_of_perl.as_list(lists.sort_copy(evaluation, ListValue("array", items, given.rest), Arguments(more)))


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
    from toolgate.languages.scripting.words import write_to

    return write_to(evaluation, handle, ListValue("list", values, given.rest))


def _replacement(_evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    return given.positional[0]


def _last_of(_evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    return given.positional[-1]


def _defined(_evaluation: Evaluation, _me: Value | None, given: Arguments) -> Value | None:
    value = given.positional[0] if given.positional else NULL
    if isinstance(value, Word | ListValue | MapValue | Function) or (isinstance(value, Constant) and value.value is not None):
        return Constant(True)
    return Unknown("a test")


CALLS: Mapping[str, Special] = {
    **{name: on_argument(special) for name, special in texts_of_perl.TEXTS.items()},
    **{name: on_argument(texts_of_perl.number_in_digits(base)) for name, base in (("hex", 16), ("oct", 8))},
    "length": on_argument(texts.length_of),
    "chr": on_argument(texts.character_of),
    **dict.fromkeys(("int", "abs"), on_argument(texts.to_number)),
    "sprintf": texts.format_text,
    "decode_base64": on_argument(texts.decoded(texts.from_base64)),
    **dict.fromkeys(
        ("uncompress", "gunzip", "inflate", "memGunzip", "decode_qp"), on_argument(texts.decoded(texts_of_perl.refuse_to_decode))
    ),
    "list of": lists_of_perl.list_of,
    "scalar of": lists_of_perl.scalar_of,
    "scalar": lists_of_perl.count_items,
    "last index": lists_of_perl.last_index,
    "reference to": lists_of_perl.reference_to,
    "dereferenced": lists_of_perl.dereference,
    "fill": lists_of_perl.fill_holder,
    "hash of": lists_of_perl.hash_of,
    "flattened": lists_of_perl.flatten_hash,
    "slice": lists_of_perl.slice_of,
    "keys": lists_of_perl.keys_or_values(0),
    "values": lists_of_perl.keys_or_values(1),
    "each": lists_of_perl.each_pair,
    "delete": lists_of_perl.delete_entry,
    "exists": texts_of_perl.match_anything,
    "defined": _defined,
    "ref": lambda *_: Unknown("a type"),
    "push": lists_of_perl.on_each_holder(lists_of_perl.push_items),
    "unshift": lists_of_perl.on_each_holder(lists.unshift_items),
    "pop": lists_of_perl.on_each_holder(lists.take_item(-1)),
    "shift": lists_of_perl.on_each_holder(lists.take_item(0)),
    "splice": lists_of_perl.on_each_holder(lists_of_perl.splice_items),
    "map": _map,
    "grep": _grep,
    **dict.fromkeys(("first", "any", "all", "none", "List::Util::first"), _first),
    **dict.fromkeys(("reduce",), _reduce),
    "sort": _sort,
    "reverse": texts_of_perl.reverse_values,
    "uniq": lambda _evaluation, _me, given: lists_of_perl.list_of_arguments(given),
    "shuffle": lambda evaluation, _me, given: lists_of_perl.as_list(
        lists.sort_copy(evaluation, lists_of_perl.list_of_arguments(given), Arguments())
    ),
    **dict.fromkeys(("find", "finddepth", "File::Find::find"), _find),
    **dict.fromkeys(("try", "catch", "finally", "async", "lives_ok", "threads.create", "threads.new"), _call_block),
    "bless": _bless,
    "call a method": _call_method,
    "start by name": _start_by_name,
    **dict.fromkeys(("open", "sysopen"), _open),
    "opendir": _open_folder,
    "print to": _print_to,
    "test of a file": texts_of_perl.match_anything,
    "matches": texts_of_perl.match_anything,
    "substituted": texts_of_perl.substitute_pattern,
    "transliterated": texts_of_perl.transliterate,
    "replacement": _replacement,
    "split": texts_of_perl.split_text,
    "join": texts_of_perl.join_list,
    "joined": texts_of_perl.interpolate_list,
    "repeated": texts_of_perl.repeat_value,
    "range": texts_of_perl.make_range,
    "pack": texts_of_perl.pack_values,
    "unpack": texts_of_perl.unpack_value,
    "last of": _last_of,
}
HARMFUL = frozenset("open sysopen find reduce map grep call_method".split()) | {"call a method", "start by name"}
