"""Which functions a call calls: by their names, bound, applied, or handed on to be called."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolgate.model.word import unknown

from .grammar import text
from .names import Names
from .table import ACTS, BY_VERB, UNMISTAKABLE
from .values import Argument, Items, Name

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True, slots=True)
class Call:
    """`name` as it is known here, without `Sync`; `given`: its arguments, each with what it may be."""

    name: str
    given: tuple[Argument, ...]
    node: Node

    def at(self, n: int) -> Argument:
        return self.given[n] if n < len(self.given) else ()


class Calls:
    def __init__(self, names: Names) -> None:
        self._names, self._src = names, names.src

    def of(self, node: Node) -> Iterator[Call]:
        """What a call may call, as far as it has a name; and what it hands on to be called."""
        template = node.child_by_field_name("arguments")
        if template is not None and template.type == "template_string":
            yield from (Call(f"{name.dotted}`", (), template) for name in self._names_of(node) if _is_shell_tag(name.dotted))
            return
        given = tuple(self._names.arguments(node))
        for name in self._names_of(node):
            yield self._call(name.dotted, given, node)
        for n, argument in enumerate(given):
            for value in argument:
                if isinstance(value, Name) and value.dotted.removesuffix("Sync") in ACTS:
                    yield from self._handed(node, value.dotted, given[n + 1 :])

    def _handed(self, node: Node, name: str, rest: tuple[Argument, ...]) -> Iterator[Call]:
        """`[..].forEach(fs.rmSync)`, `.then(eval)`, `setTimeout(f, 0, x)`."""
        callee = node.child_by_field_name("function")
        called = {each.dotted for each in self._names_of(node)}
        if called & {"util.promisify", "promisify", "pify", "console.log", "typeof", "Reflect.apply"} or any(
            each.endswith((".bind", ".call", ".apply")) for each in called
        ):
            return
        if called & {"setTimeout", "setImmediate", "process.nextTick", "setInterval", "queueMicrotask"}:
            yield self._call(name, rest if called & {"setImmediate", "process.nextTick"} else rest[1:], node)
            return
        made: Argument = (unknown("what is handed on", self._src),)
        if callee is not None and callee.type == "member_expression":
            targets = self._names.values(callee.child_by_field_name("object"))
            made = tuple(each for target in targets if not isinstance(target, Name) for each in self._names.each(target)) or made
        yield self._call(name, (made,), node)

    def _names_of(self, node: Node) -> list[Name]:
        """What is called, by name. A method that everyone calls by that name alone counts wherever it is found."""
        names = [value for value in self._names.called(node) if isinstance(value, Name)]
        callee = node.child_by_field_name("function")
        if not any(_known(name.dotted) for name in names) and callee is not None and callee.type == "member_expression":
            verb = text(callee.child_by_field_name("property"))
            if (meant := BY_VERB.get(verb.removesuffix("Sync"))) and (verb.endswith("Sync") or verb in UNMISTAKABLE):
                return [*names, Name(meant)]
        return names

    def _call(self, dotted: str, given: tuple[Argument, ...], node: Node) -> Call:
        if dotted == "Reflect.apply" and len(given) > 2:
            target = next((value.dotted for value in given[0] if isinstance(value, Name)), "?")
            return self._call(f"{target}.apply", given[1:], node)
        if dotted.endswith((".call", ".bind")):
            dotted, given = dotted[:-5], given[1:]
        elif dotted.endswith(".apply"):
            lists = [value.members for value in (given[1] if len(given) > 1 else ()) if isinstance(value, Items)]
            dotted, given = dotted[:-6], lists[0] if lists else ((unknown("arguments", self._src),),)
        return Call(dotted.removesuffix(".sync").removesuffix("Sync"), given, node)


def _is_shell_tag(name: str) -> bool:
    return (
        name in ("$", "execa")
        or name.endswith((".$", "$()", "$.sync"))
        or name in ("execa.execa", "execa.execaCommand", "zx.$sync")
    )


def _known(name: str) -> bool:
    bare = name.removesuffix("Sync")
    return bare in ACTS or bare.endswith((".call", ".apply", ".bind")) or name.startswith(("RegExp", "shelljs."))
