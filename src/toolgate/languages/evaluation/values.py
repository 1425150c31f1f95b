"""Values of expressions. Text is the shell's `Word`; the other types are defined here.

Lists, maps and instances are shared and mutable, as in the code that is read. Every change goes through `journal.Journal`, so
that it can be rolled back where paths meet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from toolgate.model.generalization import generalize
from toolgate.model.word import NO_SOURCES, Hole, HoleKind, Maybe, Word, is_never_empty, known_word, unknown_word

if TYPE_CHECKING:
    from .journal import Frame
    from .nodes import Block, Parameter

MAX_ALTERNATIVES = 12
"""Maximum alternatives; more are widened to one unknown value, which keeps the callables among them."""
MAX_CARRIED = 16
"""Maximum callables that an unknown value keeps."""
_MAX_DEPTH = 3
"""Depth to which containers are searched for callables and sources."""


class Constant(NamedTuple):
    """A number, a truth value, or the language's null."""

    value: object


class ListContent(NamedTuple):
    """The items of a list in order. `rest`: any number of further items may follow, each of this value."""

    items: tuple[Value, ...] = ()
    rest: Value | None = None


class ListValue:
    """A list, tuple, set or iterator. An `array` is true even if empty."""

    __slots__ = ("cell", "kind")

    def __init__(self, kind: str, items: Iterable[Value] = (), rest: Value | None = None) -> None:
        self.kind = kind
        self.cell: dict[str, ListContent] = {"content": ListContent(tuple(items), rest)}

    @property
    def items(self) -> tuple[Value, ...]:
        return self.cell["content"].items

    @property
    def rest(self) -> Value | None:
        return self.cell["content"].rest


class MapEntries(dict[object, "Value"]):
    """The entries of a map: a key missing on one of two paths may be missing after the join."""


REST_KEY = object()
"""The key, in the entries of a map, for the value of all unknown keys."""


class MapValue:
    __slots__ = ("entries",)

    def __init__(self, entries: Iterable[tuple[object, Value]] = (), rest: Value | None = None) -> None:
        self.entries = MapEntries(entries)
        if rest is not None:
            self.entries[REST_KEY] = rest

    @property
    def rest(self) -> Value | None:
        return self.entries.get(REST_KEY)

    @property
    def known_entries(self) -> list[tuple[object, Value]]:
        return [(key, value) for key, value in self.entries.items() if key is not REST_KEY]


class ObjectValue(MapValue):
    """A map that is true even if empty."""

    __slots__ = ()


class Instance:
    """An object: of a class in the text (`cls`) or of a library's (`type`). `text`: the text of a path."""

    __slots__ = ("cls", "fields", "text", "type")

    def __init__(
        self, type_: str, fields: dict[str, Value] | None = None, text: Word | None = None, cls: ClassValue | None = None
    ) -> None:
        self.type, self.fields, self.text, self.cls = type_, {} if fields is None else fields, text, cls


class ClassValue:
    """A class in the text. `annotated`: the fields its body declares, in order, as a dataclass takes them."""

    __slots__ = ("annotated", "bases", "fields", "name")

    def __init__(self, name: str, bases: tuple[Value, ...], fields: dict[str, Value], annotated: tuple[str, ...]) -> None:
        self.name, self.bases, self.fields, self.annotated = name, bases, fields, annotated


class Function(NamedTuple):
    """A function in the text. `receiver`: the object it is bound to; `binding`: `method`, `static` or `class`."""

    name: str
    parameters: tuple[Parameter, ...]
    body: Block
    frame: Frame
    generates: bool = False
    receiver: Value | None = None
    binding: str = "method"
    is_async: bool = False

    def __hash__(self) -> int:
        return id(self.body)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Function)
            and other.body is self.body
            and other.receiver is self.receiver
            and other.frame is self.frame
        )


class Reference(NamedTuple):
    """A module, or a part of one, by its dotted name. `receiver`: the value whose method it is. `positional`, `named`:
    arguments bound beforehand. `matters`: a call may do harm; only such references are carried by an unknown value."""

    name: str
    receiver: Value | None = None
    positional: tuple[Value, ...] = ()
    named: tuple[tuple[str, Value], ...] = ()
    matters: bool = True

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Reference)
            and other.name == self.name
            and other.receiver is self.receiver
            and other.positional is self.positional
        )


class Unknown(NamedTuple):
    """An unknown value. `name`: the dotted name of what made it in the text, `User.objects.all`; otherwise a phrase that
    describes it. `carries`: callables that it may be or hold, so that harm in a lost value is still found. `has_lost`: there
    were more callables than are kept."""

    name: str = "a value"
    carries: tuple[Callable_, ...] = ()
    src: frozenset[int] = NO_SOURCES
    has_lost: bool = False
    kind: HoleKind = HoleKind.UNKNOWN


class Choice(NamedTuple):
    """One of several values."""

    alternatives: tuple[Value, ...]


Callable_: TypeAlias = Function | Reference | ClassValue
Value: TypeAlias = Word | Constant | ListValue | MapValue | Instance | ClassValue | Function | Reference | Unknown | Choice

NULL, TRUE, FALSE = Constant(None), Constant(True), Constant(False)
NEVER_RETURNS = Unknown("nothing, for it never returns")


def list_alternatives(value: Value) -> tuple[Value, ...]:
    """Returns every value that this one may be."""
    return value.alternatives if type(value) is Choice else (value,)


def identity_of(value: Value) -> object:
    """Returns a key that is equal for values that are certainly the same. Lists, maps and instances are compared by identity."""
    if isinstance(value, Constant):
        return type(value.value), value.value
    return value if isinstance(value, Word | Function | Reference) else id(value)


def is_same(left: Value, right: Value) -> bool:
    """Returns whether these are certainly the same value."""
    return left is right or (type(left) is type(right) and identity_of(left) == identity_of(right))


def join_two(left: Value | None, right: Value | None) -> Value | None:
    """Returns a value that covers both."""
    if left is None or right is None or left is right:
        return right if left is None else left
    return join_all((left, right))


def join_all(values: Iterable[Value | None]) -> Value | None:
    """Returns a value that covers all of these; None if there are none."""
    found: dict[object, Value] = {}
    strange: list[Unknown] = []
    for value in values:
        for each in list_alternatives(value) if value is not None else ():
            if isinstance(each, Unknown):
                if not any(each is other for other in strange):
                    strange.append(each)
            else:
                found.setdefault(identity_of(each), each)
                if len(found) > 4 * MAX_ALTERNATIVES:
                    found = {None: widen_values(list(found.values()))}
    kept = list(found.values())
    if len(kept) > MAX_ALTERNATIVES:
        kept = [widen_values(kept)]
    if strange:
        kept.append(strange[0] if len(strange) == 1 else unknown_from(strange[0].name, *strange))
    if not kept:
        return None
    return kept[0] if len(kept) == 1 else Choice(tuple(kept))


def widen_values(values: list[Value]) -> Value:
    """Returns one value that covers many: texts by common prefix and suffix, otherwise an unknown value."""
    if all(isinstance(each, Word) for each in values):
        return generalize([each for each in values if isinstance(each, Word)])
    if all(isinstance(each, Instance) and each.text is not None for each in values):
        paths = [each for each in values if isinstance(each, Instance)]
        return Instance(paths[0].type, None, generalize([each.text for each in paths if each.text is not None]))
    return _widen_to_unknown("one of many values", values)


def unknown_of_kind(kind: HoleKind, src: frozenset[int] = NO_SOURCES) -> Unknown:
    """Returns an unknown value that its kind describes."""
    return Unknown(kind.value, src=src, kind=kind)


def _widen_to_unknown(name: str, values: Iterable[Value], kind: HoleKind = HoleKind.UNKNOWN) -> Unknown:
    values = list(values)
    if all(isinstance(each, Unknown) and not each.carries and not each.has_lost for each in values):
        return Unknown(name, (), collect_sources(*values), kind=kind)
    carried = tuple(dict.fromkeys(each for value in values for each in iter_callables(value)))
    has_lost = len(carried) > MAX_CARRIED or any(isinstance(each, Unknown) and each.has_lost for each in values)
    return Unknown(name, carried[:MAX_CARRIED], collect_sources(*values), has_lost, kind)


def holds_environment(value: Value, depth: int = 3) -> bool:
    """Returns whether a value holds all environment variables at once."""
    return holds_kind(value, HoleKind.ENVIRONMENT, depth)


def holds_kind(value: Value, kind: HoleKind, depth: int) -> bool:
    """Returns whether a value holds an unknown one of this kind: the environment, a secret of a service, a response."""
    if isinstance(value, Word):
        return any(isinstance(part, Hole) and part.kind is kind for part in value.parts)
    if isinstance(value, Unknown) or (isinstance(value, Instance) and value.type == "os.environ"):
        return kind is (value.kind if isinstance(value, Unknown) else HoleKind.ENVIRONMENT)
    held = (value.receiver,) if isinstance(value, Reference) and value.receiver is not None else list_parts(value)
    return depth > 0 and any(holds_kind(each, kind, depth - 1) for each in held)


def stands_in(value: Value) -> bool:
    """Returns whether a value certainly comes from what stands in for a service within this process."""
    return all(holds_kind(each, HoleKind.STAND_IN, 2) for each in list_alternatives(value))


def unknown_from(name: str, *values: Value | None) -> Unknown:
    """Returns an unknown value made of these. It stays the environment, a secret or a response, if one of them is, and what
    stands in for a service, if all that is unknown among them is."""
    made_of = [each for each in values if each is not None]
    kind = next((kind for kind in _LASTING_KINDS if any(holds_kind(each, kind, 1) for each in made_of)), HoleKind.UNKNOWN)
    if kind is HoleKind.UNKNOWN and any(holds_kind(each, HoleKind.STAND_IN, 1) for each in made_of):
        others = (each for each in made_of if isinstance(each, Unknown | Choice | Word) and text_of(each) is None)
        kind = HoleKind.STAND_IN if all(map(stands_in, others)) else kind
    return _widen_to_unknown(name if kind is HoleKind.UNKNOWN else kind.value, made_of, kind)


_LASTING_KINDS = (HoleKind.ENVIRONMENT, HoleKind.SECRET, HoleKind.RESPONSE)


def unknown_item_of(owner: Value) -> Unknown:
    """Returns an unknown item of a list that is not known, by the call that made the list: `client.list_servers[]`."""
    made_by = owner.name if isinstance(owner, Unknown | Reference) else ""
    return unknown_from(f"{made_by.removesuffix('[]')}[]" if _CALL_NAME.fullmatch(made_by) else "an item", owner)


_CALL_NAME = re.compile(r"[\w.?$/@-]+(?:\[\])?")


def iter_callables(value: Value, depth: int = _MAX_DEPTH) -> Iterator[Callable_]:
    """Yields every callable in a value, or in a container."""
    match value:
        case Reference():
            if value.matters:
                yield value
        case Function() | ClassValue():
            yield value
        case Unknown():
            yield from value.carries
        case _ if depth:
            for each in list_parts(value):
                yield from iter_callables(each, depth - 1)
        case _:
            pass


def list_parts(value: Value) -> list[Value]:
    """Returns the values in a container or a choice."""
    match value:
        case Choice():
            return list(value.alternatives)
        case ListValue():
            return [*value.items[:64], *(() if value.rest is None else (value.rest,))]
        case MapValue():
            return list(value.entries.values())[:64]
        case Instance():
            return list(value.fields.values())[:64]
        case _:
            return []


def collect_sources(*values: Value | None, depth: int = _MAX_DEPTH) -> frozenset[int]:
    """Returns the numbers of the commands that these come from."""
    found = NO_SOURCES
    for value in values:
        if isinstance(value, Word | Unknown):
            found |= value.src
        elif value is not None and depth:
            if isinstance(value, Instance) and value.text is not None:
                found |= value.text.src
            if parts := list_parts(value):
                found |= collect_sources(*parts, depth=depth - (not isinstance(value, Choice)))
    return found


def words_of(value: Value) -> list[Word]:
    """Returns a value as text: every alternative."""
    found: list[Word] = []
    for each in list_alternatives(value):
        match each:
            case Word():
                found.append(each)
            case Constant():
                found.append(known_word(str(each.value)))
            case Instance() if each.text is not None:
                found.append(each.text)
            case Instance():
                kind = HoleKind.ENVIRONMENT if each.type == "os.environ" else HoleKind.UNKNOWN
                found.append(Word((Hole("**", each.type, kind=kind),), False, collect_sources(each)))
            case Reference():
                is_secret = holds_kind(each, HoleKind.SECRET, 1) and not each.name.endswith((".name", ".id", ".version"))
                found.append(Word((Hole("**", each.name, kind=HoleKind.SECRET if is_secret else HoleKind.UNKNOWN),)))
            case Unknown():
                found.append(Word((Hole("**", each.name, kind=each.kind),), False, each.src))
            case _:
                found.append(unknown_word("a value", collect_sources(each)))
    return list(dict.fromkeys(found))


def word_of(value: Value) -> Word:
    """Returns one text for a value, which generalizes its alternatives."""
    return generalize(words_of(value))


def text_of(value: Value | None) -> str | None:
    """Returns the text of a value if all of it is known."""
    return value.text if isinstance(value, Word) else None


def truth_of(value: Value) -> Maybe:
    """Returns whether it counts as true."""
    answers = {_truth_of_one(each) for each in list_alternatives(value)}
    return answers.pop() if len(answers) == 1 else None


def _truth_of_one(value: Value) -> Maybe:
    match value:
        case Constant():
            return bool(value.value)
        case Word():
            if value.text is not None:
                return bool(value.text)
            return True if is_never_empty(value) else None
        case ObjectValue() | ListValue(kind="array"):
            return True
        case ListValue() if value.kind != "iterator":
            return True if value.items else None if value.rest is not None else False
        case MapValue():
            if any(not isinstance(each, Choice | Unknown) for key, each in value.known_entries):
                return True
            return None if value.entries else False
        case Function() | ClassValue():
            return True
        case _:
            return None
