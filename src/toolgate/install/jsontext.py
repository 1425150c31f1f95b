"""Edits JSON text in place: members are added and removed, and every other byte stays.

Removing is the exact reverse of adding, without a record of what was done: **a container that existed before has its closing
bracket directly after the added member; a container that was added has white space before it.** So an empty `{}` of the user's is
restored, and an added `hooks` is removed.
"""

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from json.decoder import JSONDecodeError

Steps = tuple[str | int, ...]
_SPACE = " \t\n\r"
_BLANK = re.compile(r"[ \t\n\r]*")
_DEEPEST = 100


class NotJson(Exception):
    """`line` counts from 1."""

    def __init__(self, problem: str, line: int) -> None:
        self.problem, self.line = problem, line
        super().__init__(f"line {line}: {problem}")


@dataclass(frozen=True, slots=True)
class Node:
    """A value and its position: `text[start:end]`. `members` of an object or a list, in the order of the text."""

    start: int
    end: int
    kind: str
    value: object
    members: "tuple[Member, ...]" = ()


@dataclass(frozen=True, slots=True)
class Member:
    """`start`: the beginning of the key; in a list, of the value."""

    key: str | int
    start: int
    node: Node


# --- reading -------------------------------------------------------------------------------------------------------------


@lru_cache(64)
def parse(text: str) -> Node:
    """Parses the one value in the text. Strict: no comments, no trailing commas, no duplicate keys. Raises NotJson.

    The result is cached and must not be changed."""
    reader = _Reader(text)
    root = reader.value(reader.skip(1 if text.startswith("\ufeff") else 0), 0)
    end = reader.skip(root.end)
    if end < len(text):
        raise reader.fault("something stands behind the end of the settings", end)
    return root


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.decoder = json.JSONDecoder(parse_constant=self._constant)

    def value(self, at: int, depth: int) -> Node:
        if depth > _DEEPEST:
            raise self.fault("nested too deep", at)
        char = self.text[at : at + 1]
        if char == "{":
            return self._container(at, depth, "object", "}")
        if char == "[":
            return self._container(at, depth, "list", "]")
        value, end = self._decoded(at)
        return Node(at, end, "text" if char == '"' else "scalar", value)

    def skip(self, at: int) -> int:
        """Returns the position of the next character that is not white space."""
        found = _BLANK.match(self.text, at)
        at = found.end() if found else at
        if self.text.startswith(("//", "/*"), at):
            raise self.fault("a comment, which JSON has not", at)
        return at

    def fault(self, problem: str, at: int) -> NotJson:
        return NotJson(problem, self.text.count("\n", 0, at) + 1)

    def _container(self, start: int, depth: int, kind: str, close: str) -> Node:
        members: list[Member] = []
        whole: dict[str | int, object] = {}
        at = self.skip(start + 1)
        while not self.text.startswith(close, at):
            member = self._member(at, depth, None if kind == "object" else len(members))
            if member.key in whole:
                raise self.fault(f"the key {member.key!r} stands there twice", at)
            whole[member.key] = member.node.value
            members.append(member)
            at = self.skip(member.node.end)
            if self.text.startswith(",", at):
                at = self.skip(at + 1)
                if self.text.startswith(close, at):
                    raise self.fault(f"a comma before the closing {close}", at)
            elif not self.text.startswith(close, at):
                raise self.fault(f"a comma or {close} is missing" if at < len(self.text) else f"{close} is missing", at)
        value: object = whole if kind == "object" else [*whole.values()]
        return Node(start, at + 1, kind, value, tuple(members))

    def _member(self, at: int, depth: int, index: int | None) -> Member:
        if index is not None:
            return Member(index, at, self.value(at, depth + 1))
        if not self.text.startswith('"', at):
            raise self.fault("a key in quotes is missing", at)
        key, end = self._decoded(at)
        colon = self.skip(end)
        if not self.text.startswith(":", colon):
            raise self.fault(f"a colon behind the key {key!r} is missing", colon)
        return Member(str(key), at, self.value(self.skip(colon + 1), depth + 1))

    def _decoded(self, at: int) -> tuple[object, int]:
        try:
            value, end = self.decoder.raw_decode(self.text, at)
        except JSONDecodeError as error:
            problem = "a value is missing" if error.msg == "Expecting value" else error.msg[0].lower() + error.msg[1:]
            raise self.fault(problem, error.pos) from None
        except ValueError as error:
            raise self.fault(str(error), at) from None
        return value, end

    def _constant(self, name: str) -> object:
        raise ValueError(f"{name} is no JSON")


# --- adding ----------------------------------------------------------------------------------------------------------------


def appended(text: str, to: Steps, value: object) -> str:
    """Returns the text with `value` at the end of the list at `to`. Missing containers are created; for an empty text, a whole
    file. Raises NotJson where another value is in the way."""
    style = _Style.of(text)
    if not text:
        return style.wrapped(to, value, "") + style.newline
    node = parse(text)
    for depth, step in enumerate(to):
        if node.kind != "object":
            raise _Reader(text).fault(f"{_shown(to[:depth])} is not an object", node.start)
        member = next((member for member in node.members if member.key == step), None)
        if member is None:
            return _put(text, node, style, style.indent * depth, to[depth:], value)
        node = member.node
    if node.kind != "list":
        raise _Reader(text).fault(f"{_shown(to)} is not a list", node.start)
    return _put(text, node, style, style.indent * len(to), (), value)


def with_member(text: str, key: str, value: object) -> str:
    """The text with a last member of its outermost object; of no text at all, a whole file. Raises NotJson for another text."""
    style = _Style.of(text)
    member = f"{json.dumps(key)}: {style.lines(value, style.indent)}"
    if not text:
        return f"{{{style.newline}{style.indent}{member}{style.newline}}}{style.newline}"
    root = parse(text)
    if root.kind != "object":
        raise _Reader(text).fault("what the file holds is not an object", root.start)
    if not root.members:
        return text[: root.end - 1] + member + text[root.end - 1 :]
    end = root.members[-1].node.end
    return f"{text[:end]},{_gap(text, root) or ' '}{member}{text[end:]}"


def _put(text: str, container: Node, style: "_Style", indent: str, steps: Steps, value: object) -> str:
    """Adds a last member: `value` itself, or the list that holds it, inside the objects on its path."""
    name = json.dumps(steps[0]) + ": " if steps else ""

    def made(indent: str) -> str:
        return style.wrapped(steps[1:], value, indent) if steps else style.lines(value, indent)

    if not container.members:
        close = container.end - 1
        return text[:close] + name + made(indent) + text[close:]
    last, gap = container.members[-1], _gap(text, container)
    if "\n" in gap:
        whole = made(gap[gap.rindex("\n") + 1 :])
    else:
        gap, whole = gap or " ", (_in_one_line(steps[1:], value) if steps else json.dumps(value))
    return f"{text[: last.node.end]},{gap}{name}{whole}{text[last.node.end :]}"


def _gap(text: str, container: Node) -> str:
    """Returns the white space before the last member."""
    start = container.members[-1].start
    head = text[:start]
    return head[len(head.rstrip(_SPACE)) :]


def _in_one_line(steps: Steps, value: object) -> str:
    """Renders the value with the white space that marks added containers."""
    made = f"[ {json.dumps(value)} ]"
    for step in reversed(steps):
        made = f"{{ {json.dumps(step)}: {made} }}"
    return made


def _shown(steps: Steps) -> str:
    return f"`{'.'.join(map(str, steps))}`" if steps else "what the file holds"


@dataclass(frozen=True, slots=True)
class _Style:
    indent: str
    newline: str

    @classmethod
    def of(cls, text: str) -> "_Style":
        """Returns the style of the file: its line ends, and the indentation of its first indented line."""
        indented = (line for line in text.splitlines() if line[:1] in (" ", "\t") and line.strip(_SPACE))
        first = next(indented, "  .")
        return cls(first[: len(first) - len(first.lstrip(" \t"))], "\r\n" if "\r\n" in text else "\n")

    def wrapped(self, steps: Steps, value: object, indent: str) -> str:
        """Renders the list that holds the value, inside the objects on its path: always over several lines, so that each closing
        bracket has white space before it."""
        inner = indent + self.indent
        if steps:
            return self._container("{", [f"{json.dumps(steps[0])}: {self.wrapped(steps[1:], value, inner)}"], "}", indent)
        return self._container("[", [self.lines(value, inner)], "]", indent)

    def lines(self, value: object, indent: str) -> str:
        """Renders a value as people write one: a value without nested containers is on one line."""
        inner = indent + self.indent
        inside = [*value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
        if not any(isinstance(each, dict | list) for each in inside):
            return json.dumps(value)
        if isinstance(value, dict):
            return self._container(
                "{", [f"{json.dumps(key)}: {self.lines(each, inner)}" for key, each in value.items()], "}", indent
            )
        return self._container("[", [self.lines(each, inner) for each in inside], "]", indent)

    def _container(self, opening: str, members: list[str], closing: str, indent: str) -> str:
        start = self.newline + indent
        return opening + ",".join(start + self.indent + member for member in members) + start + closing


# --- removing --------------------------------------------------------------------------------------------------------------


def without(text: str, steps: Steps) -> str:
    """Returns the text without the member at the steps, and without the containers added for it that are now empty. Returns
    nothing when that is the whole text."""
    trail = [parse(text)]
    for step in steps:
        trail.append(next(member.node for member in trail[-1].members if member.key == step))
    for depth in range(len(steps) - 1, -1, -1):
        container = trail[depth]
        place = next(number for number, member in enumerate(container.members) if member.key == steps[depth])
        if len(container.members) > 1:
            return _cut(text, container, place)
        end = container.members[0].node.end
        if end == container.end - 1:
            return text[: container.members[0].start] + text[end:]
    return ""


def _cut(text: str, container: Node, place: int) -> str:
    members = container.members
    if place:
        return text[: members[place - 1].node.end] + text[members[place].node.end :]
    return text[: members[0].start] + text[members[1].start :]
