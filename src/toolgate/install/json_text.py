"""Edits JSON text in place: members are added and removed, and every other byte stays.

Removing is the exact reverse of adding, without a record of what was done: **a container that existed before has its closing
bracket directly after the added member; a container that was added has white space before it.** So an empty `{}` of the user's is
restored, and an added `hooks` is removed.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from json.decoder import JSONDecodeError

Steps = tuple[str | int, ...]
_WHITE_SPACE = " \t\n\r"
_BLANK = re.compile(r"[ \t\n\r]*")
_MAX_DEPTH = 100


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
    reader = _Parser(text)
    root = reader.parse_value(reader.skip_space(1 if text.startswith("\ufeff") else 0), 0)
    end = reader.skip_space(root.end)
    if end < len(text):
        raise reader.build_fault("something stands behind the end of the settings", end)
    return root


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.decoder = json.JSONDecoder(parse_constant=self._reject_constant)

    def parse_value(self, at: int, depth: int) -> Node:
        if depth > _MAX_DEPTH:
            raise self.build_fault("nested too deep", at)
        char = self.text[at : at + 1]
        if char == "{":
            return self._parse_container(at, depth, "object", "}")
        if char == "[":
            return self._parse_container(at, depth, "list", "]")
        value, end = self._decode_scalar(at)
        return Node(at, end, "text" if char == '"' else "scalar", value)

    def skip_space(self, at: int) -> int:
        """Returns the position of the next character that is not white space."""
        found = _BLANK.match(self.text, at)
        at = found.end() if found else at
        if self.text.startswith(("//", "/*"), at):
            raise self.build_fault("a comment, which JSON does not allow", at)
        return at

    def build_fault(self, problem: str, at: int) -> NotJson:
        return NotJson(problem, self.text.count("\n", 0, at) + 1)

    def _parse_container(self, start: int, depth: int, kind: str, close: str) -> Node:
        members: list[Member] = []
        container: dict[str | int, object] = {}
        at = self.skip_space(start + 1)
        while not self.text.startswith(close, at):
            member = self._parse_member(at, depth, None if kind == "object" else len(members))
            if member.key in container:
                raise self.build_fault(f"the key {member.key!r} stands there twice", at)
            container[member.key] = member.node.value
            members.append(member)
            at = self.skip_space(member.node.end)
            if self.text.startswith(",", at):
                at = self.skip_space(at + 1)
                if self.text.startswith(close, at):
                    raise self.build_fault(f"a comma before the closing {close}", at)
            elif not self.text.startswith(close, at):
                raise self.build_fault(f"a comma or {close} is missing" if at < len(self.text) else f"{close} is missing", at)
        value: object = container if kind == "object" else [*container.values()]
        return Node(start, at + 1, kind, value, tuple(members))

    def _parse_member(self, at: int, depth: int, index: int | None) -> Member:
        if index is not None:
            return Member(index, at, self.parse_value(at, depth + 1))
        if not self.text.startswith('"', at):
            raise self.build_fault("a key in quotes is missing", at)
        key, end = self._decode_scalar(at)
        colon = self.skip_space(end)
        if not self.text.startswith(":", colon):
            raise self.build_fault(f"a colon behind the key {key!r} is missing", colon)
        return Member(str(key), at, self.parse_value(self.skip_space(colon + 1), depth + 1))

    def _decode_scalar(self, at: int) -> tuple[object, int]:
        try:
            value, end = self.decoder.raw_decode(self.text, at)
        except JSONDecodeError as error:
            problem = "a value is missing" if error.msg == "Expecting value" else error.msg[0].lower() + error.msg[1:]
            raise self.build_fault(problem, error.pos) from None
        except ValueError as error:
            raise self.build_fault(str(error), at) from None
        return value, end

    def _reject_constant(self, name: str) -> object:
        raise ValueError(f"{name} is no JSON")


# --- adding ----------------------------------------------------------------------------------------------------------------


def append_value(text: str, steps: Steps, value: object) -> str:
    """Returns the text with `value` at the end of the list at `steps`. Missing containers are created; for an empty text, a whole
    file. Raises NotJson where another value is in the way."""
    style = _Style.detect(text)
    if not text:
        return style.render_wrapped(steps, value, "") + style.newline
    node = parse(text)
    for depth, step in enumerate(steps):
        if node.kind != "object":
            raise _Parser(text).build_fault(f"{_describe_path(steps[:depth])} is not an object", node.start)
        member = next((member for member in node.members if member.key == step), None)
        if member is None:
            return _add_member(text, node, style, style.indent * depth, steps[depth:], value)
        node = member.node
    if node.kind != "list":
        raise _Parser(text).build_fault(f"{_describe_path(steps)} is not a list", node.start)
    return _add_member(text, node, style, style.indent * len(steps), (), value)


def append_values(text: str, steps: Steps, values: Sequence[object]) -> str:
    """Returns the text with these values at the end of the list at `steps`, as `append_value` appends one after the other."""
    text = append_value(text, steps, values[0])
    style, container = _Style.detect(text), _find_node(parse(text), steps)
    gap, end = _read_gap(text, container), container.members[-1].node.end
    indent = gap.rpartition("\n")[2] if "\n" in gap else None
    members = (json.dumps(value) if indent is None else style.render_value(value, indent) for value in values[1:])
    return text[:end] + "".join(f",{gap or ' '}{member}" for member in members) + text[end:]


def with_member(text: str, key: str, value: object) -> str:
    """The text with a last member of its outermost object; of no text at all, a whole file. Raises NotJson for another text."""
    style = _Style.detect(text)
    member = f"{json.dumps(key)}: {style.render_value(value, style.indent)}"
    if not text:
        return f"{{{style.newline}{style.indent}{member}{style.newline}}}{style.newline}"
    root = parse(text)
    if root.kind != "object":
        raise _Parser(text).build_fault("what the file holds is not an object", root.start)
    if not root.members:
        return text[: root.end - 1] + member + text[root.end - 1 :]
    end = root.members[-1].node.end
    return f"{text[:end]},{_read_gap(text, root) or ' '}{member}{text[end:]}"


def _add_member(text: str, container: Node, style: "_Style", indent: str, steps: Steps, value: object) -> str:
    """Adds a last member: `value` itself, or the list that holds it, inside the objects on its path."""
    name = json.dumps(steps[0]) + ": " if steps else ""

    def render_member(indent: str) -> str:
        return style.render_wrapped(steps[1:], value, indent) if steps else style.render_value(value, indent)

    if not container.members:
        close = container.end - 1
        return text[:close] + name + render_member(indent) + text[close:]
    last, gap = container.members[-1], _read_gap(text, container)
    if "\n" in gap:
        member = render_member(gap[gap.rindex("\n") + 1 :])
    else:
        gap, member = gap or " ", (_render_on_one_line(steps[1:], value) if steps else json.dumps(value))
    return f"{text[: last.node.end]},{gap}{name}{member}{text[last.node.end :]}"


def _read_gap(text: str, container: Node) -> str:
    """Returns the white space before the last member."""
    start = container.members[-1].start
    head = text[:start]
    return head[len(head.rstrip(_WHITE_SPACE)) :]


def _render_on_one_line(steps: Steps, value: object) -> str:
    """Renders the value with the white space that marks added containers."""
    made = f"[ {json.dumps(value)} ]"
    for step in reversed(steps):
        made = f"{{ {json.dumps(step)}: {made} }}"
    return made


def _describe_path(steps: Steps) -> str:
    return f"`{'.'.join(map(str, steps))}`" if steps else "what the file holds"


@dataclass(frozen=True, slots=True)
class _Style:
    indent: str
    newline: str

    @classmethod
    def detect(cls, text: str) -> "_Style":
        """Returns the style of the file: its line ends, and the indentation of its first indented line."""
        indented = (line for line in text.splitlines() if line[:1] in (" ", "\t") and line.strip(_WHITE_SPACE))
        first = next(indented, "  .")
        return cls(first[: len(first) - len(first.lstrip(" \t"))], "\r\n" if "\r\n" in text else "\n")

    def render_wrapped(self, steps: Steps, value: object, indent: str) -> str:
        """Renders the list that holds the value, inside the objects on its path: always over several lines, so that each closing
        bracket has white space before it."""
        inner = indent + self.indent
        if steps:
            return self._render_container(
                "{", [f"{json.dumps(steps[0])}: {self.render_wrapped(steps[1:], value, inner)}"], "}", indent
            )
        return self._render_container("[", [self.render_value(value, inner)], "]", indent)

    def render_value(self, value: object, indent: str) -> str:
        """Renders a value as people write one: a value without nested containers is on one line."""
        inner = indent + self.indent
        inside = [*value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
        if not any(isinstance(each, dict | list) for each in inside):
            return json.dumps(value)
        if isinstance(value, dict):
            return self._render_container(
                "{", [f"{json.dumps(key)}: {self.render_value(each, inner)}" for key, each in value.items()], "}", indent
            )
        return self._render_container("[", [self.render_value(each, inner) for each in inside], "]", indent)

    def _render_container(self, opening: str, members: list[str], closing_bracket: str, indent: str) -> str:
        start = self.newline + indent
        return opening + ",".join(start + self.indent + member for member in members) + start + closing_bracket


# --- removing --------------------------------------------------------------------------------------------------------------


def remove_member(text: str, steps: Steps) -> str:
    """Returns the text without the member at the steps, and without the containers added for it that are now empty. Returns
    nothing when that is the whole text."""
    trail = [parse(text)]
    for step in steps:
        trail.append(next(member.node for member in trail[-1].members if member.key == step))
    for depth in range(len(steps) - 1, -1, -1):
        container = trail[depth]
        place = next(number for number, member in enumerate(container.members) if member.key == steps[depth])
        if len(container.members) > 1:
            return _cut_member(text, container, place)
        end = container.members[0].node.end
        if end == container.end - 1:
            return text[: container.members[0].start] + text[end:]
    return ""


def remove_last_members(text: str, places: Sequence[Steps]) -> str:
    """Returns the text without the last of these members of lists, and without the others in the same list: cut from the end,
    none moves those before it."""
    beside = [steps for steps in places if steps[:-1] == places[-1][:-1]]
    container = _find_node(parse(text), places[-1][:-1])
    for steps in reversed(beside[1:]):
        text = _cut_member(text, container, int(steps[-1]))
    return remove_member(text, beside[0])


def _find_node(root: Node, steps: Steps) -> Node:
    for step in steps:
        root = next(member.node for member in root.members if member.key == step)
    return root


def _cut_member(text: str, container: Node, place: int) -> str:
    members = container.members
    if place:
        return text[: members[place - 1].node.end] + text[members[place].node.end :]
    return text[: members[0].start] + text[members[1].start :]
