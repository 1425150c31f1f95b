"""Parses shell text that consists of plain commands: literal names, joined by the shell's own syntax.

Nothing in it evaluates text, redefines a name or runs in the background.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from toolgate.model.permission import Unreadable
from toolgate.shell.syntax.parser import parse
from toolgate.shell.syntax.tree import (
    AndOr,
    Arithmetic,
    Assignment,
    Case,
    For,
    Group,
    If,
    Node,
    Not,
    Parameter,
    Pipeline,
    Process,
    Redirect,
    RedirectedCommand,
    Sequence,
    ShellWord,
    Simple,
    Span,
    Subshell,
    Substitution,
    Text,
    While,
)

LONGEST = 20_000  # characters
OF_THE_SHELL = frozenset(("cd", "set", "pwd", "true", "false", ":", "exit", "break", "continue"))
"""Builtins that are checked here, because no effect represents them."""


class Written(NamedTuple):
    """The words of a command, up to the first that the shell may expand."""

    words: tuple[str, ...]
    is_whole: bool

    def is_of(self, argv: tuple[str | None, ...]) -> bool:
        """Returns whether a command's arguments may come from these words."""
        return argv == self.words if self.is_whole else argv[: len(self.words)] == self.words


@dataclass
class PlainText:
    """Shell text that consists of plain commands.

    `names`: its commands. `globs`: words that the shell may expand to file names. `written`: the words of each command that is
    not in OF_THE_SHELL, by span. `folders`: the targets of `cd`. `variables` and `expanded`: variables that it sets, and those
    whose values it uses. `expands`: it contains words known only at run time.
    """

    names: set[str] = field(default_factory=set)
    globs: set[str] = field(default_factory=set)
    written: dict[Span, Written] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)
    variables: set[str] = field(default_factory=set)
    expanded: set[str] = field(default_factory=set)
    expands: bool = False


def read_plain_text(text: str) -> PlainText:
    """Parses plain shell text; raises Unreadable for any other text."""
    if len(text) > LONGEST:
        raise Unreadable("the command is too long")
    if not text.replace("\n", "").replace("\t", "").isprintable():
        raise Unreadable("the command holds control characters")
    program = parse(text)
    if program.trouble is not None:
        raise Unreadable(f"the command cannot be read: {program.trouble.why}")
    found = PlainText()
    _Walk(found).node(program.body)
    return found


_NAME = re.compile(r"[A-Za-z_]\w*|[0-9?#@*$]")
_OPERATORS = frozenset(("", "-", ":-", "+", ":+", "#", "##", "%", "%%", "/", "//", "/#", "/%", "^", "^^", ",", ",,"))
_REDIRECTS = frozenset(("<", "<<", "<<-", "<<<", ">", ">>", ">|", "&>", "&>>", ">&", "<&"))
_NUMBERS = re.compile(r"[\d\s+*/%()<>=-]*")
_SET = frozenset(("-e", "-u", "-eu", "-ue", "-o", "pipefail", "-euo", "-eo", "-uo", "+e", "+u"))


class _Walk:
    def __init__(self, plain_text: PlainText) -> None:
        self._found = plain_text

    def node(self, node: Node) -> None:
        match node:
            case Simple():
                self.simple(node)
            case Sequence(items=nodes) | Pipeline(commands=nodes):
                self.nodes(nodes)
            case Not(command=inner) | Group(body=inner) | Subshell(body=inner):
                self.node(inner)
            case If() | While() | For() | Case():
                self.compound(node)
            case AndOr(first=first, rest=rest):
                self.nodes((first, *(command for _, command in rest)))
            case RedirectedCommand(command=command, redirects=redirects):
                self.redirects(redirects)
                self.node(command)
            case _:
                raise Unreadable(f"the command uses {_KINDS.get(type(node).__name__, 'syntax that is not plain')}")

    def compound(self, node: If | While | For | Case) -> None:
        match node:
            case If(branches=branches, otherwise=otherwise):
                for condition, body in branches:
                    self.nodes((condition, body))
                if otherwise is not None:
                    self.node(otherwise)
            case While(condition=condition, body=body):
                self.nodes((condition, body))
            case For(name=name, words=words, body=body):
                if words is None:
                    raise Unreadable("a loop goes over what the shell was given")
                self._found.variables.add(name)
                self.words(words)
                self.node(body)
            case Case(subject=subject, arms=arms):
                self.word(subject)
                for arm in arms:
                    self.words(arm.patterns)
                    self.node(arm.body)

    def nodes(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            self.node(node)

    def simple(self, command: Simple) -> None:
        self.redirects(command.redirects)
        if command.assignments and command.words:
            raise Unreadable("a command is given variables of its own")
        for assignment in command.assignments:
            if assignment.subscript is not None or assignment.elements is not None:
                raise Unreadable("the command sets an array")
            self._found.variables.add(assignment.name)
            if assignment.value is not None:
                self.word(assignment.value)
        words = [word for word in command.words if isinstance(word, ShellWord)]
        if any(isinstance(word, Assignment) for word in command.words):
            raise Unreadable("the command declares variables")
        if not words:
            return
        name = _literal(words[0])
        if not name:
            raise Unreadable("the name of a command is not written out")
        self.words(words[1:])
        self._found.names.add(name)
        if name not in OF_THE_SHELL:
            written = tuple(_written_out(words))
            self._found.written[command.span] = Written(written, len(written) == len(words))
        if name == "cd":
            self.change_directory(words[1:])
        elif name == "set" and not all(_literal(word) in _SET for word in words[1:]):
            raise Unreadable("`set` changes how the shell works")

    def change_directory(self, words: list[ShellWord]) -> None:
        folder = _literal(words[0]) if len(words) == 1 else None
        if not folder or folder.startswith(("-", "~")):
            raise Unreadable("where `cd` goes is not written out")
        self._found.folders.append(folder)

    def redirects(self, redirects: Iterable[Redirect]) -> None:
        for redirect in redirects:
            if redirect.operator not in _REDIRECTS or not (redirect.descriptor == "" or redirect.descriptor.isdigit()):
                raise Unreadable("the command redirects in a way that is not plain")
            self.word(redirect.target)

    def words(self, words: Iterable[ShellWord]) -> None:
        for word in words:
            self.word(word)

    def word(self, word: ShellWord) -> None:
        if _EXPANDED("".join(_unquote_word(word))):
            text = _literal(word)
            if text is None:
                raise Unreadable("a pattern is only known when it runs")
            self._found.globs.update((text,) if text != "[" else ())
        for piece in word.pieces:
            match piece:
                case Text(value=value, quoted=quoted):
                    if not quoted and "(" in value:
                        raise Unreadable("a pattern may hold code")
                case Parameter():
                    self.parameter(piece)
                case Substitution(body=body):
                    self._found.expands = True
                    self.node(body)
                case Process(direction="<", body=body):
                    self._found.expands = True
                    self.node(body)
                case Arithmetic(pieces=pieces):
                    if not all(isinstance(part, Text) and _NUMBERS.fullmatch(part.value) for part in pieces):
                        raise Unreadable("a calculation may evaluate what a variable holds")
                case _:
                    raise Unreadable("a word holds an expansion that is not plain")

    def parameter(self, piece: Parameter) -> None:
        plain = piece.operator in _OPERATORS and piece.prefix in ("", "#") and piece.subscript is None
        if not plain or not _NAME.fullmatch(piece.name):
            raise Unreadable("a variable is expanded in a way that is not plain")
        self._found.expands = True
        self._found.expanded.add(piece.name)
        for inner in (piece.argument, piece.replacement):
            if inner is not None:
                self.word(inner)


def _written_out(words: Iterable[ShellWord]) -> Iterator[str]:
    """Yields the words up to the first that the shell may expand."""
    for word in words:
        text = _literal(word)
        if text is None or (text != "[" and _EXPANDED("".join(_unquote_word(word)))):
            return
        yield text


def _unquote_word(word: ShellWord) -> Iterator[str]:
    return (piece.value for piece in word.pieces if isinstance(piece, Text) and not piece.quoted)


_EXPANDED = re.compile(r"[*?\[{~]").search


def _literal(word: ShellWord) -> str | None:
    """Returns the text of a literal word without quotes, or None for any other word."""
    if not all(isinstance(piece, Text) for piece in word.pieces):
        return None
    return "".join(piece.value for piece in word.pieces if isinstance(piece, Text))


_KINDS = {
    "Background": "the background",
    "Function": "functions of its own",
    "Coprocess": "a coprocess",
    "Condition": "`[[ ]]`, which may evaluate text",
    "ArithmeticCommand": "a calculation",
}
