"""Callables that are passed, decorated or bound, and classes created at run time."""

from __future__ import annotations

from collections.abc import Mapping

from toolgate.languages.evaluation.library_table import SpecialCall, invoke_function
from toolgate.languages.evaluation.printed_text import print_text
from toolgate.languages.evaluation.secret_variables import narrow_item
from toolgate.languages.evaluation.shared_state import MAX_UNROLLED, Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    NULL,
    ClassValue,
    Function,
    Instance,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    iter_callables,
    join_all,
    list_alternatives,
    text_of,
    word_of,
)
from toolgate.model.word import Word, known_word

from .dynamic_code import get_attribute
from .files import print_into


def _map_items(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if not arguments.positional:
        return None
    function = arguments.positional[0]
    if len(arguments.positional) == 1 and not arguments.named:
        return None  # over unknown items
    lists = [evaluation.items_of(each) for each in (*arguments.positional[1:], *arguments.named.values())]
    count = min(max([len(items) for items, _ in lists] or [0]), MAX_UNROLLED)
    made: list[Value] = []
    for at in range(count):
        args = [items[at] if at < len(items) else rest or Unknown("an item") for items, rest in lists]
        made.append(evaluation.call(function, Arguments(tuple(args))))
    rest: list[Value] = []
    if any(more is not None or len(items) > MAX_UNROLLED for items, more in lists):
        general = tuple(
            evaluation.join_values(more, *items[MAX_UNROLLED:]) if more is not None else evaluation.join_values(*items)
            for items, more in lists
        )
        evaluation.run_possibly(lambda: rest.append(evaluation.call(function, Arguments(general))))
    return ListValue("iterator", made, join_all(rest))


def _map_partially(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`numpy.vectorize(f)`: returns what calls the function with each item."""
    return Reference("map", None, arguments.positional[:1]) if len(arguments.positional) == 1 else None


def _call_until(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`iter(f, sentinel)`: what the function returns, again and again. `iter(items)`: the items."""
    if len(arguments.positional) < 2:
        items, rest = evaluation.items_of(arguments.positional[0]) if arguments.positional else ([], arguments.rest)
        return ListValue("iterator", items, rest)
    made: list[Value] = []
    evaluation.run_possibly(lambda: made.append(evaluation.call(arguments.positional[0], Arguments())))
    return ListValue("iterator", (), join_all(made))


def _apply_function(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`pool.apply(f, (path,))`. Without a tuple, as in `series.apply(f)`, the object's items are the function's arguments."""
    given = [*arguments.positional[1:2], *(arguments.named[key] for key in ("args", "kwds") if key in arguments.named)]
    if arguments.positional and any(isinstance(each, ListValue) for each in given):
        invoke_function(evaluation, arguments.positional[0], *given[:1], *arguments.positional[2:3])
        return Unknown("a result")
    return None


def _star_map(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if len(arguments.positional) < 2:
        return None
    items, rest = evaluation.items_of(arguments.positional[1])
    made: list[Value] = []
    for each in [*items[:MAX_UNROLLED], *(() if rest is None else (rest,))]:
        args, more = evaluation.items_of(each)
        made.append(evaluation.call(arguments.positional[0], Arguments(tuple(args), {}, more)))
    return ListValue("iterator", (), join_all(made))


def _filter_items(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if len(arguments.positional) < 2:
        return None
    items, rest = evaluation.items_of(arguments.positional[1])
    if arguments.positional[0] is not NULL:
        for each in [*items[:MAX_UNROLLED], *(() if rest is None else (rest,))]:
            evaluation.call(arguments.positional[0], Arguments((each,)))
    kept = join_all((*items, rest))
    return ListValue("iterator", (), kept if kept is None else narrow_item(evaluation, arguments.positional[0], kept))


def _reduce_items(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if len(arguments.positional) < 2:
        return None
    items, rest = evaluation.items_of(arguments.positional[1])
    items = [*arguments.positional[2:], *items]
    made = items[0] if items else Unknown("an item")
    for each in [*items[1:MAX_UNROLLED], *(() if rest is None else (rest,))]:
        made = evaluation.call(arguments.positional[0], Arguments((made, each)))
    return made


def _bind_partially(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if not arguments.positional:
        return None
    found: list[Value] = []
    for each in list_alternatives(arguments.positional[0]):
        more, named = arguments.positional[1:], tuple(arguments.named.items())
        if isinstance(each, Reference):
            found.append(Reference(each.name, each.receiver, (*each.positional, *more), (*each.named, *named)))
        else:
            found.append(Reference("functools.partial()", each, more, named))
    return evaluation.join_values(*found)


def _call_receiver(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    return None if receiver is None else evaluation.call(receiver, arguments)


def _method_caller(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if not arguments.positional:
        return None
    bound = ListValue("tuple", arguments.positional[1:]), MapValue(arguments.named.items())
    return Reference("operator.methodcaller()", None, (arguments.positional[0], *bound))


def _call_method(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if len(arguments.positional) < 3:
        return None
    name, args, named, *targets = arguments.positional
    assert isinstance(args, ListValue)
    assert isinstance(named, MapValue)
    target = targets[0] if targets else arguments.rest or Unknown()
    keywords = {str(key): value for key, value in named.known_entries}
    return evaluation.call(evaluation.read_attribute(target, word_of(name).text or "?"), Arguments(args.items, keywords))


def _attribute_getter(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return Reference("operator.attrgetter()", None, arguments.positional[:1]) if arguments.positional else None


def _get_attribute_of(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if len(arguments.positional) < 2:
        return None
    return get_attribute(evaluation, None, Arguments((arguments.positional[1], arguments.positional[0])))


def _make_super(evaluation: Evaluation, _receiver: Value | None, _arguments: Arguments) -> Value | None:
    from toolgate.languages.evaluation.assignment_targets import find_in_class

    frame = evaluation.frame
    while frame.receiver is None and frame.parent is not None:
        frame = frame.parent
    me = frame.receiver
    cls = me.cls if isinstance(me, Instance) else me if isinstance(me, ClassValue) else None
    if cls is None:
        return Unknown("super()")
    fields: dict[str, Value] = {}
    for base in (each for value in cls.bases for each in list_alternatives(value)):
        if isinstance(base, Reference):
            return Reference(base.name, me)
        names = base.fields if isinstance(base, ClassValue) else {}
        for name in names:
            found = find_in_class(base, name) if isinstance(base, ClassValue) else None
            if isinstance(found, Function):
                fields.setdefault(name, found._replace(receiver=me))
    return Instance("super", fields)


def _make_property(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return Instance("property", {"get": arguments.positional[0]}) if arguments.positional else None


def _make_binding_call(binding: str) -> SpecialCall:
    def call_binding(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
        value = arguments.positional[0] if arguments.positional else None
        return value._replace(binding=binding) if isinstance(value, Function) else value

    return call_binding


def _return_first(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return arguments.positional[0] if arguments.positional else Reference("identity")


def _decorate(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """A decorator that leaves the function unchanged, with and without arguments of its own."""
    first = arguments.positional[0] if len(arguments.positional) == 1 and not arguments.named else None
    return first if first is not None and any(True for _ in iter_callables(first, 0)) else Reference("identity")


def _context_manager(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Converts a generator to a manager: `with` enters it with what it yields."""
    return Reference("managed generator", arguments.positional[0]) if arguments.positional else None


def _enter_generator(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    made = None if receiver is None else evaluation.call(receiver, arguments)
    return Instance("manager", {"items": made if made is not None else Unknown()})


def _start_thread(evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    """Calls `run` of a thread or process whose class is in the text."""
    if isinstance(receiver, Instance) and receiver.cls is not None:
        evaluation.call(evaluation.read_attribute(receiver, "run"), Arguments())
    return NULL


def _make_namespace(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return Instance("types.SimpleNamespace", dict(arguments.named))


def _named_tuple(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    if len(arguments.positional) < 2:
        return None
    fields = arguments.positional[1]
    names = (text_of(fields) or "").replace(",", " ").split() if isinstance(fields, Word) else []
    names += [text_of(each) or "" for each in evaluation.items_of(fields)[0]] if isinstance(fields, ListValue) else []
    return ClassValue(text_of(arguments.positional[0]) or "", (), {}, tuple(names))


def _print_values(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    line = Word()
    gap = word_of(arguments.named["sep"]) if "sep" in arguments.named else known_word(" ")
    for n, each in enumerate(arguments.positional):
        line = line + (gap if n else Word()) + word_of(each)
    end = word_of(arguments.named["end"]) if "end" in arguments.named else known_word("\n")
    if "file" in arguments.named:
        print_into(evaluation, arguments.named["file"], line + end, is_whole=arguments.rest is None)
    else:
        print_text(evaluation, line + end, *arguments.all_values(), is_whole=arguments.rest is None)
    return NULL


_LOGGING_CALLS = ("sys.stderr.write", *(f"logging.{level}" for level in ("debug", "info", "warning", "error", "critical")))


def _print_errors(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Standard error reaches the caller, too, but no pipe."""
    for each in arguments.all_values():
        print_text(evaluation, word_of(each), each, is_whole=False)
    return NULL


def _write_out(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    for each in arguments.positional[:1]:
        print_text(evaluation, word_of(each), each)
    return NULL


CALLABLE_CALLS: Mapping[str, SpecialCall] = {
    **dict.fromkeys(("map", "?.map", "?.imap", "?.imap_unordered"), _map_items),
    **dict.fromkeys(("numpy.vectorize", "numpy.frompyfunc"), _map_partially),
    "iter": _call_until,
    "?.apply": _apply_function,
    **dict.fromkeys(("itertools.starmap", "?.starmap"), _star_map),
    **dict.fromkeys(("filter", "itertools.filterfalse", "itertools.takewhile", "itertools.dropwhile"), _filter_items),
    "functools.reduce": _reduce_items,
    **dict.fromkeys(("functools.partial", "functools.partialmethod"), _bind_partially),
    **dict.fromkeys(("functools.partial()", "function.__call__"), _call_receiver),
    "operator.call": lambda evaluation, _receiver, arguments: (
        evaluation.call(arguments.positional[0], arguments._replace(positional=arguments.positional[1:]))
        if arguments.positional
        else None
    ),
    "operator.methodcaller": _method_caller,
    "operator.methodcaller()": _call_method,
    "operator.attrgetter": _attribute_getter,
    "operator.attrgetter()": _get_attribute_of,
    "super": _make_super,
    **dict.fromkeys(("property", "functools.cached_property"), _make_property),
    "staticmethod": _make_binding_call("static"),
    "classmethod": _make_binding_call("class"),
    **dict.fromkeys(
        ("identity", "joblib.delayed", "dask.delayed", "dask.delayed.delayed", "toolz.curry", "cytoolz.curry"), _return_first
    ),
    **dict.fromkeys(
        ("functools.lru_cache", "functools.cache", "dataclasses.dataclass", "abc.abstractmethod"),
        _decorate,
    ),
    **dict.fromkeys(("contextlib.contextmanager", "contextlib.asynccontextmanager"), _context_manager),
    "managed generator": _enter_generator,
    "functools.wraps": lambda _evaluation, _receiver, _arguments: Reference("identity"),
    "?.start": _start_thread,
    "types.SimpleNamespace": _make_namespace,
    "collections.namedtuple": _named_tuple,
    **dict.fromkeys(("print", "pprint.pprint", "pprint.pp", "rich.print"), _print_values),
    "sys.stdout.write": _write_out,
    **dict.fromkeys(_LOGGING_CALLS, _print_errors),
}
HARMFUL_CALLS = frozenset(
    (
        *("exec", "eval", "__import__", "importlib.import_module", "getattr", "operator.methodcaller()", "functools.partial()"),
        *("open", "io.open", "os.open", "codecs.open"),
    )
)
