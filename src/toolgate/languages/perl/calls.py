"""Special handlers for Perl's dynamic calls, references and methods, which the call tables cannot express."""

from __future__ import annotations

import re
from collections.abc import Mapping

from toolgate.languages.evaluation import lists
from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.plain_documents import form_of_file
from toolgate.languages.evaluation.shared_results import content_of
from toolgate.languages.evaluation.shared_state import MAX_UNROLLED, Arguments, Evaluation
from toolgate.languages.evaluation.text_records import join_lines, list_lines
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
    join_all,
    list_alternatives,
    text_of,
    truth_of,
    unknown_from,
    word_of,
)
from toolgate.languages.scripting import texts
from toolgate.languages.scripting.texts import on_argument
from toolgate.model.word import Word, known_word, unknown_word

from . import list_functions, text_functions
from .evaluator import PerlEvaluator

# ---- functions of blocks


def _map(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    function, *items = arguments.positional
    found: list[Value] = []
    others: list[Value | None] = []
    made, rest = lists.call_each(evaluation, ListValue("list", items, arguments.rest), function)
    for _, result in made:
        flat = list_functions.list_of(evaluation, None, Arguments((result,)))
        assert isinstance(flat, ListValue)
        found += flat.items
        others.append(flat.rest)
    if rest is not None:
        flat = list_functions.list_of(evaluation, None, Arguments((rest[1],)))
        assert isinstance(flat, ListValue)
        others += [*flat.items, flat.rest]
    return ListValue("list", found, join_all(others))


def _grep(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    function, *items = arguments.positional
    made, rest = lists.call_each(evaluation, ListValue("list", items, arguments.rest), function)
    sure = [each for each, result in made if truth_of(result) is True]
    others = [each for each, result in [*made, *(() if rest is None else (rest,))] if truth_of(result) is None]
    return ListValue("list", sure, join_all(others)) if sure or not others else ListValue("list", (), join_all(others))


def _first(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    found = _grep(evaluation, None, arguments)
    assert isinstance(found, ListValue)
    return found.items[0] if found.items and found.rest is None else evaluation.join_values(*found.items, found.rest, NULL)


def _reduce(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Evaluates `reduce { $a . $b } @list`."""
    function, *items = arguments.positional
    if not isinstance(function, Function):
        return None
    made: Value = items[0] if items else arguments.rest or NULL
    for each in items[1:MAX_UNROLLED]:
        evaluation.top.variables.update({"$a": made, "$b": each})
        made = evaluation.call(function, Arguments((each,)))
    return made if arguments.rest is None else unknown_from("a value", made, arguments.rest)


def _sort(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    function, *items = arguments.positional
    more = (function,) if isinstance(function, Function) else ()
    return list_functions.as_list(lists.sort_copy(evaluation, ListValue("array", items, arguments.rest), Arguments(more)))


def _find(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Evaluates `find(sub { .. }, @folders)`: calls the function with each path in `$_` and `$File::Find::name`."""
    from toolgate.languages.evaluation.path_words import ANY_PATH, join_paths

    function, *folders = arguments.positional
    if isinstance(function, MapValue):
        function = function.entries.get("wanted", NULL)
    over = (
        evaluation.join_values(*(join_paths(evaluation, each, ANY_PATH) for each in folders))
        if folders
        else unknown_word("a path")
    )
    variables = evaluation.top.variables
    before = dict(variables)
    variables.update({"$_": over, "$File::Find::name": over})
    evaluation.run_possibly(lambda: evaluation.call(function, Arguments()))
    for name in ("$_", "$File::Find::name"):
        if name in before:
            variables[name] = before[name]
    return NULL


def _call_block(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Calls the blocks of a module's `try { .. }` or `async { .. }`."""
    for each in arguments.positional:
        for function in list_alternatives(each):
            if isinstance(function, Function):
                evaluation.run_possibly(lambda function=function: evaluation.call(function, Arguments()))  # type: ignore[misc]
    return arguments.positional[0] if arguments.positional else NULL


# ---- methods and classes


def _evaluator(evaluation: Evaluation) -> PerlEvaluator:
    assert isinstance(evaluation, PerlEvaluator)
    return evaluation


def _bless(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if not arguments.positional:
        return None
    value = arguments.positional[0]
    cls = text_of(arguments.positional[1]) if arguments.positional[1:] else "main"
    for each in list_alternatives(value):
        if cls is not None:
            _evaluator(evaluation).bless(each, cls)
    return value


def _call_method(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Calls `owner->name(..)` or `owner->$name(..)`; the arguments are owner, name, calling package, then the method's own."""
    owner, name, package, *more = arguments.positional
    found = [
        _call_method_of(evaluation, each, one, text_of(package) or "main", Arguments(tuple(more), {}, arguments.rest))
        for each in list_alternatives(owner)
        for one in list_alternatives(name)
    ]
    return evaluation.join_values(*found)


def _call_method_of(evaluation: Evaluation, owner: Value, name: Value, package: str, arguments: Arguments) -> Value:
    self = _evaluator(evaluation)
    if isinstance(name, Function | Reference):
        return self.call(name, arguments._replace(positional=(owner, *arguments.positional)))
    text = text_of(name)
    if text is None:
        if not self.report.is_trusted and not isinstance(owner, Unknown):
            self.report.opaque("which method is called is computed")
        return self.call_unknown("a method", arguments, owner)
    if text.startswith("SUPER::"):
        parents = self.patched.get(f"@{package}::ISA")
        for each in parents.items if isinstance(parents, ListValue) else ():
            found = self.find_method(text_of(each) or "", text.removeprefix("SUPER::"))
            if found is not None:
                return self.call(found, arguments._replace(positional=(owner, *arguments.positional)))
    if text in ("can", "isa", "DOES") and arguments.positional:
        return self.function_named(word_of(arguments.positional[0])) if text == "can" else Unknown("a test")
    own = self.method_of(owner, text)
    if own is not None:
        return self.call(own, arguments._replace(positional=(owner, *arguments.positional)))
    return self.call(self.library_method(owner, text), arguments)


def _start_by_name(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Starts the program of `system { $program } @arguments`; the first argument is only its `argv[0]`."""
    program, *words = arguments.positional
    argv = ListValue("array", (program, *words[1:]), arguments.rest)
    evaluation.report.run(argv, Constant(False))
    return Unknown("a number")


# ---- files


def open_as(evaluation: Evaluation, mode: Value | None, path: Value | None = None, *words: Value | None) -> Value:
    """Opens a file or a command: `open(F, '>', 'x')`, `open F, ">x"`, `open(F, "cmd |")`, `open(F, '-|', @command)`."""
    from toolgate.languages.scripting.words import open_file, shell_line, start_listed

    mode_word = word_of(mode) if mode is not None else known_word("")
    found = _MODE.match(mode_word.head)
    sign = found[1] if found else ""
    if path is None or path is NULL:
        target: Value = mode_word.drop_first(len(found[0])) if found else mode_word
        if mode_word.tail.rstrip().endswith("|") and sign not in ("|", "|-"):
            stripped = mode_word.tail.rstrip()[:-1]
            target, sign = Word((*mode_word.parts[:-1], stripped), False, mode_word.src), "-|"
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
        known_word("a" if ">>" in sign else "w" if ">" in sign or "+" in sign else "r")
        if mode_word.text is not None or sign
        else None,
    )


_MODE = re.compile(r"\s*(\+?[<>]{1,2}&?|\|-?|-\|)(?::[\w():-]+)*\s*")


def _open_file(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if not arguments.positional and arguments.rest is None:
        return Instance("file", {"path": NULL})
    return open_as(evaluation, *(arguments.positional or (arguments.rest,)))


def _open_folder(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return Instance("folder", {"path": arguments.positional[0] if arguments.positional else NULL})


def _print_to(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    handle, *values = arguments.positional
    if (name := text_of(handle)) is not None:
        if name == "STDOUT":
            return evaluation.call(Reference("print"), Arguments(tuple(values), {}, arguments.rest))
        handle = evaluation.patched.get(f"*{name}", handle)
    from toolgate.languages.scripting.words import write_to

    return write_to(evaluation, handle, ListValue("list", values, arguments.rest))


def _read_line(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Reads from a handle: a line of a file that is known, and the whole of one that is a document."""
    handle = arguments.positional[0] if arguments.positional else NULL
    if (name := text_of(handle)) is not None:
        handle = evaluation.patched.get(f"*{name}", handle)
    if isinstance(handle, Instance) and (path := handle.fields.get("path", NULL)) is not NULL:
        content = content_of(evaluation, path)
        if form_of_file(text_of(path) or "") and text_of(content) is not None:
            return content
        return join_lines(evaluation, content) if list_lines(content) else unknown_from("a line", content)
    return unknown_word("a line that is read")


def _replacement(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return arguments.positional[0]


def _last_of(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return arguments.positional[-1]


def _test_defined(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    value = arguments.positional[0] if arguments.positional else NULL
    if isinstance(value, Word | ListValue | MapValue | Function) or (isinstance(value, Constant) and value.value is not None):
        return Constant(True)
    return Unknown("a test")


CALLS: Mapping[str, SpecialCall] = {
    **{name: on_argument(special) for name, special in text_functions.TEXTS.items()},
    **{name: on_argument(text_functions.number_in_digits(base)) for name, base in (("hex", 16), ("oct", 8))},
    "length": on_argument(texts.length_of),
    "chr": on_argument(texts.character_of),
    **dict.fromkeys(("int", "abs"), on_argument(texts.to_number)),
    "sprintf": texts.format_text,
    "decode_base64": on_argument(texts.decode_text(texts.from_base64)),
    **dict.fromkeys(
        ("uncompress", "gunzip", "inflate", "memGunzip", "decode_qp"),
        on_argument(texts.decode_text(text_functions.refuse_to_decode)),
    ),
    "list of": list_functions.list_of,
    "scalar of": list_functions.scalar_of,
    "scalar": list_functions.count_items,
    "last index": list_functions.last_index,
    "reference to": list_functions.reference_to,
    "dereferenced": list_functions.dereference,
    "fill": list_functions.fill_holder,
    "hash of": list_functions.hash_of,
    "flattened": list_functions.flatten_hash,
    "slice": list_functions.slice_of,
    "keys": list_functions.keys_or_values(0),
    "values": list_functions.keys_or_values(1),
    "each": list_functions.each_pair,
    "delete": list_functions.delete_entry,
    "delete slice": list_functions.delete_slice,
    "exists": text_functions.match_anything,
    "defined": _test_defined,
    "ref": lambda *_: Unknown("a type"),
    "push": list_functions.on_each_holder(list_functions.push_items),
    "unshift": list_functions.on_each_holder(lists.unshift_items),
    "pop": list_functions.on_each_holder(lists.take_item(-1)),
    "shift": list_functions.on_each_holder(lists.take_item(0)),
    "splice": list_functions.on_each_holder(list_functions.splice_items),
    "map": _map,
    "grep": _grep,
    **dict.fromkeys(("first", "any", "all", "none", "List::Util::first"), _first),
    **dict.fromkeys(("reduce",), _reduce),
    "sort": _sort,
    "reverse": text_functions.reverse_values,
    "uniq": lambda _evaluation, _receiver, arguments: list_functions.list_of_arguments(arguments),
    "shuffle": lambda evaluation, _receiver, arguments: list_functions.as_list(
        lists.sort_copy(evaluation, list_functions.list_of_arguments(arguments), Arguments())
    ),
    **dict.fromkeys(("find", "finddepth", "File::Find::find"), _find),
    **dict.fromkeys(("try", "catch", "finally", "async", "lives_ok", "threads.create", "threads.new"), _call_block),
    "bless": _bless,
    "call a method": _call_method,
    "start by name": _start_by_name,
    **dict.fromkeys(("open", "sysopen"), _open_file),
    "opendir": _open_folder,
    "print to": _print_to,
    "readline": _read_line,
    "test of a file": text_functions.match_anything,
    "matches": text_functions.match_anything,
    "substituted": text_functions.substitute_pattern,
    "transliterated": text_functions.transliterate,
    "replacement": _replacement,
    "split": text_functions.split_text,
    "join": text_functions.join_list,
    "joined": text_functions.interpolate_list,
    "repeated": text_functions.repeat_value,
    "range": text_functions.make_range,
    "pack": text_functions.pack_values,
    "unpack": text_functions.unpack_value,
    "last of": _last_of,
}
HARMFUL = frozenset("open sysopen find reduce map grep call_method".split()) | {"call a method", "start by name"}
