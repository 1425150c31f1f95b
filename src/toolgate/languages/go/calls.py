"""Special handlers for Go's values, texts and several results, which the call tables cannot express."""

from __future__ import annotations

from collections.abc import Mapping

from toolgate.languages.evaluation.leaf_texts import text_with_variables
from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.operators import is_huge
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    NEVER_RETURNS,
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
    unknown_from,
)
from toolgate.languages.scripting import texts
from toolgate.languages.scripting.library import pairs_of
from toolgate.languages.scripting.texts import on_argument
from toolgate.model.word import HoleKind, Word, word_of_kind

from . import decoding, flags, settings_libraries, text_functions
from .decoding import is_nothing, value_after_call
from .streams import content_of_stream, fill_buffer

OPEN_FLAGS = {"RDONLY": 0, "WRONLY": 1, "RDWR": 2, "APPEND": 0x400, "CREATE": 0x40, "EXCL": 0x80, "TRUNC": 0x200, "SYNC": 0}
STANDARD_PACKAGES = frozenset(
    (
        *(
            "os",
            "exec",
            "user",
            "signal",
            "io",
            "ioutil",
            "fs",
            "bufio",
            "bytes",
            "strings",
            "strconv",
            "fmt",
            "path",
            "filepath",
        ),
        *(
            "http",
            "net",
            "tls",
            "smtp",
            "url",
            "sql",
            "syscall",
            "log",
            "flag",
            "json",
            "xml",
            "gob",
            "csv",
            "base64",
            "hex",
            "zip",
        ),
        *("tar", "gzip", "zlib", "multipart", "time", "context", "sync", "sort", "slices", "maps", "errors", "embed", "runtime"),
        *("rand", "regexp", "template", "plugin", "tabwriter"),
    )
)
"""Packages of the standard library that the tables describe."""
_ERROR = Unknown("an error")
_NUMBER = Unknown("a number")
_LONGEST_RANGE = 1000


def several_values(*items: Value) -> ListValue:
    return ListValue("values", items)


# ---- several results


def _results_of(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns all results of a call, as many as there are targets. Calls of the tables return the first."""
    value, count = arguments.positional
    assert isinstance(count, Constant)
    assert isinstance(count.value, int)
    if value is NEVER_RETURNS:
        return value
    items = _join_results(evaluation, value)
    return ListValue("values", (*items, *[_ERROR] * (count.value - len(items))))


def _all_results(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    value = arguments.positional[0] if arguments.positional else NULL
    return ListValue("values", _join_results(evaluation, value))


def _join_results(evaluation: Evaluation, value: Value) -> list[Value]:
    """Returns each result as a value that covers those of all paths. What a path returns beside an error is left out if it is
    nothing: the caller uses the results of the paths without one."""
    paths = [list(each.items) if _is_several(each) else [each] for each in list_alternatives(value)]  # type: ignore[union-attr]
    if len(paths) == 1:
        return paths[0]
    succeeds = any(len(each) > 1 and each[-1] is NULL for each in paths)
    joined: list[Value] = []
    for n in range(max(map(len, paths))):
        found = [each[n] for each in paths if n < len(each)]
        if succeeds:
            kept = [
                each[n] for each in paths if n < len(each) and (each[-1] is NULL or n == len(each) - 1 or not is_nothing(each[n]))
            ]
            found = kept or found
        joined.append(evaluation.join_values(*found))
    return joined


def _is_several(value: Value) -> bool:
    return isinstance(value, ListValue) and value.kind == "values"


# ---- built-in functions


def _append(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if not arguments.positional:
        return None
    evaluation.called["list.append"] = evaluation.called.get("list.append", 0) + 1
    first, *more = arguments.positional
    if isinstance(first, Word) and more:  # bytes of a text
        return evaluation.concatenate([first, *more])
    found = list_alternatives(first)
    if len(found) == 1 and isinstance(first, ListValue) and first.rest is None:
        return ListValue(first.kind, (*first.items, *more), arguments.rest)
    items, rest = ([], None) if first is NULL else evaluation.items_of(first)
    if first is NULL:
        return ListValue("array", more, arguments.rest)
    return ListValue("array", (), join_all((*items, rest, *more, arguments.rest)))


def _made_list(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    length = arguments.positional[0] if arguments.positional else Constant(0)
    if is_huge(length):
        evaluation.report.fill_memory()
    return ListValue("array", (), None if length == Constant(0) else Unknown("an item"))


def _copy(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if len(arguments.positional) > 1 and isinstance(source := arguments.positional[1], ListValue):
        fill_buffer(evaluation, arguments.positional[0], evaluation.join_values(*source.items, source.rest))
    elif len(arguments.positional) > 1:
        fill_buffer(evaluation, arguments.positional[0], arguments.positional[1])
    return _NUMBER


def _delete_key(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if len(arguments.positional) > 1:
        evaluation.delete_entry(*arguments.positional[:2])
    return NULL


def _first(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return arguments.positional[0] if arguments.positional else arguments.rest


def _range(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Returns the values that a loop gives its variables: keys or indexes, and items."""
    over, count = arguments.positional
    wanted = count.value if isinstance(count, Constant) else 2
    found = [_rounds_of(evaluation, each, wanted == 1) for each in list_alternatives(over)]
    if len(found) == 1:
        return found[0]
    return ListValue("array", (), join_all(one for each in found for one in (*each.items, each.rest)))


def _rounds_of(evaluation: Evaluation, over: Value, is_single: bool) -> ListValue:
    if isinstance(over, Instance) and over.type == "chan":
        value = _receive(evaluation, over)
        return ListValue("array", (), value if is_single else several_values(value))
    if isinstance(over, Constant):
        length = over.value if isinstance(over.value, int) else None
        numbers = map(Constant, range(length)) if length is not None and length < _LONGEST_RANGE else ()
        return ListValue("array", numbers, None if length is not None and length < _LONGEST_RANGE else _NUMBER)
    if isinstance(over, Function | Reference):
        yielded: list[Value] = []
        collect = Reference("yielded value", Instance("yielded"))
        evaluation.run_possibly(lambda: yielded.append(evaluation.call(over, Arguments((collect,)))))
        return ListValue("array", (), _NUMBER if is_single else several_values(_NUMBER, unknown_from("an item", over)))
    pairs = pairs_of(evaluation, over)
    if pairs.rest is None and not pairs.items and not isinstance(over, ListValue | MapValue):
        pairs = ListValue(
            "array", (), several_values(unknown_from("a key", over), evaluation.items_of(over)[1] or Unknown("an item"))
        )
    if not is_single:
        return pairs
    keys = [each.items[0] for each in pairs.items if isinstance(each, ListValue)]
    rests = [each.items[0] for each in list_alternatives(pairs.rest or NULL) if isinstance(each, ListValue)]
    return ListValue("array", keys, join_all(rests))


# ---- channels, and what runs beside


def _send_value(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    channel, value = arguments.positional
    for each in list_alternatives(channel):
        if isinstance(each, Instance) and each.type == "chan":
            evaluation.journal.put_field(each, "sent", evaluation.join_values(each.fields.get("sent"), value))
    return NULL


def _receive(evaluation: Evaluation, channel: Value) -> Value:
    evaluation.called["wait"] = evaluation.called.get("wait", 0) + 1
    sent = channel.fields.get("sent") if isinstance(channel, Instance) else None
    return sent if sent is not None else Unknown("a received value")


def _receive_value(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return evaluation.map_alternatives(arguments.positional[0], lambda each: _receive(evaluation, each))


def _select(evaluation: Evaluation, _receiver: Value | None, _arguments: Arguments) -> Value | None:
    evaluation.called["wait"] = evaluation.called.get("wait", 0) + 1
    return NULL


# ---- types


def _put_entry(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`values.Set(name, value)`, `header.Add(name, value)`."""
    if isinstance(receiver, MapValue) and len(arguments.positional) == 2:
        evaluation.put_entry(receiver, *arguments.positional)
    return NULL


def _environment(_evaluation: Evaluation, _receiver: Value | None, _arguments: Arguments) -> Value | None:
    return ListValue("array", (), word_of_kind(HoleKind.ENVIRONMENT))


def _look_up(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    found = evaluation.report.variable(arguments.positional[0]) if arguments.positional else Unknown("a variable")
    return several_values(found, Unknown("a test"))


def _set_variable(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if len(arguments.positional) > 1 and (name := text_of(arguments.positional[0])):
        for each in list_alternatives(arguments.positional[1]):
            if isinstance(each, Word):
                evaluation.report.environment(name, each)
    return _ERROR


def _read_into(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`file.Read(buffer)`: the buffer holds what was read."""
    if arguments.positional and receiver is not None:
        fill_buffer(evaluation, arguments.positional[0], content_of_stream(evaluation, receiver))
    return _NUMBER


CALLS: Mapping[str, SpecialCall] = {
    **text_functions.CALLS,
    **flags.CALLS,
    **decoding.CALLS,
    **settings_libraries.CALLS,
    "results of": _results_of,
    "all results": _all_results,
    "append": _append,
    "len": on_argument(texts.length_of),
    "cap": lambda *_: _NUMBER,
    "copy": _copy,
    "delete": _delete_key,
    **dict.fromkeys(("min", "max"), lambda _evaluation, _receiver, arguments: unknown_from("a number", *arguments.positional)),
    "panic": lambda *_: NEVER_RETURNS,
    "recover": lambda *_: Unknown("an error"),
    **dict.fromkeys(("close", "clear"), lambda *_: NULL),
    **dict.fromkeys(("string", "converted value", "any", "error"), _first),
    **dict.fromkeys(
        "int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 float32 float64 byte rune uintptr bool".split(), _first
    ),
    "made list": _made_list,
    "made channel": lambda *_: Instance("chan"),
    "value after a call": lambda evaluation, _receiver, arguments: value_after_call(evaluation, arguments.positional[0]),
    **dict.fromkeys(("object.Set", "object.Add"), _put_entry),
    "object.FormatDSN": lambda _evaluation, receiver, _arguments: receiver,
    "object.Encode": lambda _evaluation, receiver, _arguments: (
        NULL if receiver is None else text_with_variables("a query", receiver)
    ),
    "range": _range,
    "yielded value": lambda *_: Unknown("a test"),
    "sent value": _send_value,
    "received value": _receive_value,
    "select of channels": _select,
    "endless wait": lambda *_: NEVER_RETURNS,
    "started beside": lambda *_: NULL,
    "os.Environ": _environment,
    **dict.fromkeys(("os.LookupEnv", "syscall.Getenv"), _look_up),
    **dict.fromkeys(("os.Setenv", "syscall.Setenv"), _set_variable),
    **dict.fromkeys(("file.Read", "net.Conn.Read", "io.ReadFull", "file.ReadAt"), _read_into),
}
HARMFUL: frozenset[str] = frozenset()
