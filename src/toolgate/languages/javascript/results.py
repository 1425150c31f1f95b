"""What a call gives back, as far as that is known: modules, paths, texts, members of a folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from toolgate.model.seen import Seen
from toolgate.model.word import EMPTY, Hole, Word, joined, known

from .values import (
    LISTED,
    METHODS,
    MOST,
    TEXTS,
    Argument,
    Code,
    Items,
    Name,
    Value,
    module,
    path_joined,
    path_parent,
    path_resolved,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_REQUIRES = frozenset(
    [
        *("require", "module.require", "process.mainModule.require", "require.main.require", "process.getBuiltinModule"),
        *(
            "module.createRequire()",
            "Module.createRequire()",
            "createRequire()",
            "import",
            "module.constructor._load",
            "module._load",
        ),
    ]
)
_SAME = frozenset(
    [
        *(
            "util.promisify",
            "promisify",
            "pify",
            "Promise.resolve",
            "Promise.all",
            "Promise.allSettled",
            "Object.freeze",
            "Array.from",
        ),
        *(
            "Object.values",
            "Array.of",
            "path.normalize",
            "fs.realpath",
            "fs.realpath.native",
            "util.callbackify",
            "url.pathToFileURL",
        ),
    ]
)


class Names(Protocol):
    """Who tells what expressions stand for."""

    seen: Seen
    folders: tuple[Word, ...]

    def unknown(self, node: Node) -> Word: ...
    def sources(self, value: Value) -> frozenset[int]: ...
    def constant(self, name: Name) -> Value: ...
    def returned(self, function: Node) -> list[Value]: ...
    def each(self, value: Value) -> list[Value]: ...
    def words(self, values: tuple[Value, ...]) -> tuple[Word, ...]: ...


def made_by(names: Names, name: Name, arguments: Sequence[Argument], node: Node) -> list[Value]:
    """What a function that has a name gives back."""
    dotted = name.dotted.removesuffix("Sync").removeprefix("?.")
    first = names.words(arguments[0]) if arguments else ()
    if dotted in _REQUIRES:
        return [module(each.text) if each.text is not None else Name("?") for each in first]
    if dotted.endswith(".bind"):
        return [Name(name.dotted.removesuffix(".bind"))]
    if dotted in _SAME and arguments:
        return list(arguments[0])
    if dotted in ("path.join", "path.resolve"):
        return combined(names, arguments, path_joined if dotted == "path.join" else path_resolved, node)
    if dotted.endswith(".then"):
        handed = arguments[0] if arguments else ()
        return [value for each in handed if isinstance(each, Code) for value in names.returned(each.node)]
    if (makes := TEXTS.get(dotted)) is not None and first:
        return combined(names, arguments, lambda way: _text(names, makes, way, node), node)
    known_here = _of_the_moment(names, dotted, first)
    return [Name(f"{name.dotted}()")] if known_here is None else known_here


def _of_the_moment(names: Names, dotted: str, first: tuple[Word, ...]) -> list[Value] | None:
    match dotted:
        case "os.homedir":
            return [names.constant(Name("process.env.HOME"))]
        case "os.tmpdir":
            return [known("/tmp")]
        case "process.cwd" | "Deno.cwd":
            return [*names.folders]
        case "path.dirname":
            return [path_parent(each) for each in first]
        case "fs.mkdtemp" | "Deno.makeTempDir":
            return [(each if each.head else known("/tmp/")) + Word((Hole("*", "a name"),)) for each in first or (EMPTY,)]
        case "fs.readFile" | "Deno.readTextFile" | "Deno.readFile" | "Bun.file":
            return [names.seen.read(each) for each in first]
        case "fs.readdir" | "Deno.readDir" | "glob" | "glob.glob" | "fs.opendir":
            return [Items((LISTED,), True)]
        case "Deno.env.get":
            return [names.constant(Name(f"process.env.{each.shown}")) for each in first]
        case _:
            return None


def _text(names: Names, makes: Callable[[list[str]], str | None], way: Sequence[Word], node: Node) -> Word:
    texts = [word.text for word in way if word.text is not None]
    made = makes(texts) if len(texts) == len(way) else None
    src = frozenset[int]().union(*(word.src for word in way))
    return known(made, src) if made is not None else names.unknown(node).from_commands(src)


def combined(names: Names, arguments: Sequence[Argument], put: Callable[[Sequence[Word]], Word], node: Node) -> list[Value]:
    """What comes of every choice among what the arguments may be."""
    ways: list[list[Word]] = [[]]
    for argument in arguments:
        ways = [[*way, each] for way in ways for each in names.words(argument)]
        if len(ways) > MOST:
            return [names.unknown(node)]
    return [put(way) for way in ways]


def method(names: Names, target: Value, verb: str, arguments: Sequence[Argument], node: Node) -> list[Value]:
    """What a method of a text or an array gives back."""
    found: list[Value] | None = None
    if isinstance(target, Word):
        found = _of_text(names, target, verb, arguments, node)
    elif isinstance(target, Items):
        found = _of_items(names, target, verb, arguments, node)
    return [names.unknown(node).from_commands(names.sources(target))] if found is None else found


def _of_text(names: Names, target: Word, verb: str, arguments: Sequence[Argument], node: Node) -> list[Value] | None:
    own, separator = target.text, _only(arguments[0]) if arguments else None
    if own is None and verb in ("toString", "trim", "toLowerCase", "normalize", "valueOf", "text"):
        return [target]
    if verb == "concat":
        return combined(names, [(target,), *arguments], lambda way: joined(way, ""), node)
    if own is not None and verb == "split" and separator is not None:
        return [Items(tuple((known(part, target.src),) for part in (own.split(separator) if separator else own)))]
    if (makes := METHODS.get(verb)) is not None:
        return combined(
            names, [(target,), *arguments], lambda way: _text(names, lambda all_: makes(all_[0], all_[1:]), way, node), node
        )
    return None


def _of_items(names: Names, target: Items, verb: str, arguments: Sequence[Argument], node: Node) -> list[Value] | None:
    members, first = target.members, _only(arguments[0]) if arguments else None
    match verb:
        case "join" if not target.more:
            separator = known("," if first is None else first)
            return combined(names, members, lambda way: joined(way, separator.shown), node)
        case "reverse" | "toReversed":
            return [Items(members[::-1], target.more)]
        case "slice" if first is not None and first.isdigit() and len(arguments) == 1:
            return [Items(members[int(first) :], target.more)]
        case "concat":
            others = [value for argument in arguments for value in argument]
            rest = tuple(member for other in others for member in (other.members if isinstance(other, Items) else ((other,),)))
            return [Items(members + rest, target.more)]
        case "filter" | "sort" | "flat" | "slice":
            return [Items((tuple(names.each(target)),), True)]
        case "map" | "flatMap" if arguments and isinstance(function := arguments[0][0], Code):
            return [Items((tuple(names.returned(function.node)) or (names.unknown(node),),), True)]
        case "find" | "pop" | "shift" | "at":
            return names.each(target)
        case _:
            return None


def _only(argument: Argument) -> str | None:
    """An argument that can be but one text."""
    return argument[0].text if len(argument) == 1 and isinstance(argument[0], Word) else None
