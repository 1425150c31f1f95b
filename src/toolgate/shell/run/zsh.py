"""Expansions after a name that only zsh performs, where other shells see text: `$a`, `$a[1]`, `$x:t`."""

import re
from collections.abc import Callable

from toolgate.model.word import EMPTY, Hole, HoleKind, Word, join_words, known_word, unknown_named, unknown_word
from toolgate.shell.domain.state import Shell
from toolgate.shell.domain.values import list_positional_values
from toolgate.shell.syntax.tree import AndOr, Background, Parameter, Piece, Text

from .arithmetic import evaluate_number
from .parameters import Item, item_as_word
from .word_splitting import Segment


def expand_whole_array(piece: Parameter, shell: Shell) -> list[Item]:
    """Expands `$a` to the whole array, of which other shells take the first element."""
    if piece.subscript is not None or piece.operator or piece.prefix or shell.frame.dialect.is_dash:
        return []
    arrays = [value for value in shell.variables.get(piece.name, ()) if isinstance(value, tuple) and len(value) > 1]
    return [join_words(value, " ").as_single_word() for value in arrays] if piece.quoted else [*arrays]


_MATCH_SUBSCRIPT = re.compile(r"\[(-?\w+)\]").match


_MATCH_INDEX = re.compile(r"\[([^\]]+)\]").match


def _match_subscript(pieces: tuple[Piece, ...], n: int, shell: Shell) -> "re.Match[str] | None":
    """Matches `$a[1]`, an element or a part of a text in zsh, with or without braces."""
    piece, following = pieces[n], pieces[n + 1] if n + 1 < len(pieces) else None
    if type(piece) is not Parameter or type(following) is not Text or following.value[:1] != "[" or piece.subscript is not None:
        return None
    if shell.frame.dialect.may_be_zsh:
        return _MATCH_INDEX(following.value)
    arrays = any(isinstance(value, tuple) for value in shell.variables.get(piece.name, ()))
    return _MATCH_SUBSCRIPT(following.value) if arrays else None


def expand_element(pieces: tuple[Piece, ...], n: int, shell: Shell) -> list[Segment]:
    """Returns what zsh takes a name and the text after it for, in place of the name's value: `$a[1]`, `$10`."""
    piece, match = pieces[n], _match_subscript(pieces, n, shell)
    if type(piece) is not Parameter:
        return []
    if match is None:
        more = _match_rest_of_name(pieces, n, shell)
        if more is not None and piece.name == "#":
            return [(unknown_named(f"$#{more[0]}", like="[0-9]*"), piece.quoted)]
        number = int(piece.name + more[0]) if more is not None else 0
        values = (each for arguments in shell.arguments for each in list_positional_values(arguments, number))
        return [(each, piece.quoted) for each in values] if number else []
    if shell.frame.dialect.may_be_zsh:
        evaluate_number(known_word(match[1]), shell)
    arrays = [value for value in shell.get_values(piece.name) if isinstance(value, tuple)]
    if not arrays:
        return [(unknown_named(f"${piece.name}[{match[1]}]"), piece.quoted)]
    if not match[1].isdigit():  # a key, or counted from the end
        elements: list[Segment] = [(element, True) for value in arrays for element in value]
        return elements if _MATCH_SUBSCRIPT(match[0]) else [*elements, (unknown_named(f"${piece.name}[{match[1]}]"), True)]
    at = int(match[1]) - 1
    return [(value[at] if 0 <= at < len(value) else EMPTY, True) for value in arrays]


def find_program_path(name: str, shell: Shell) -> list[Word]:
    """Returns the path that `=name` stands for."""
    path = Word((Hole("?**", f"$(command -v {name})", kind=HoleKind.NAMED), f"/{name}"))
    return [path] if shell.frame.dialect.may_be_zsh else []


def _match_rest_of_name(pieces: tuple[Piece, ...], n: int, shell: Shell) -> "re.Match[str] | None":
    """Matches the rest of `$10` and `$#name`, which in zsh are the tenth argument and a length."""
    piece, following = pieces[n], pieces[n + 1] if n + 1 < len(pieces) else None
    if type(piece) is not Parameter or type(following) is not Text or not shell.frame.dialect.may_be_zsh:
        return None
    if piece.raw == "$#":
        return _MATCH_NAME(following.value)
    return _MATCH_DIGITS(following.value) if piece.raw[1:] in _DIGITS and len(piece.raw) == 2 else None


_DIGITS = "123456789"
_MATCH_DIGITS, _MATCH_NAME = re.compile("[0-9]{1,4}").match, re.compile(r"[A-Za-z_]\w*", re.ASCII).match


def _match_modifiers(pieces: tuple[Piece, ...], n: int, shell: Shell) -> "re.Match[str] | None":
    """Matches `$x:t`: zsh applies modifiers as csh does, with or without braces."""
    if not shell.frame.dialect.may_be_zsh or n + 1 >= len(pieces):
        return None
    piece, following = pieces[n], pieces[n + 1]
    if type(piece) is not Parameter or type(following) is not Text or piece.raw[1:2] == "{":
        return None
    return _MATCH_MODIFIERS(following.value)


def apply_modifiers(pieces: tuple[Piece, ...], n: int, segments: list[Segment], shell: Shell) -> list[Segment]:
    match = _match_modifiers(pieces, n, shell)
    if match is None:
        return []
    return [(_modify_word(item_as_word(value), match[0]), protected) for value, protected in segments]


def text_after_subscript(pieces: tuple[Piece, ...], n: int, shell: Shell) -> str | None:
    """Returns the text that zsh leaves after a name."""
    before = n - 1
    match = (
        _match_subscript(pieces, before, shell)
        or _match_modifiers(pieces, before, shell)
        or _match_rest_of_name(pieces, before, shell)
    )
    piece = pieces[n]
    return piece.value[match.end() :] if match is not None and type(piece) is Text else None


_MATCH_MODIFIERS = re.compile(r"(?::[aAcehlPqQrtux])+").match
"""Matches modifiers, which zsh does not read as text: `$x:t`."""


def _modify_word(word: Word, modifiers: str) -> Word:
    """Applies modifiers: the folder, the last name, the stem, the extension, another case."""
    text = word.text
    for letter in modifiers.replace(":", ""):
        change = _MODIFIER_FUNCTIONS.get(letter)
        if text is None or change is None:
            return unknown_word(f"{word.display_text}{modifiers}", word.src)
        text = change(text)
    return known_word(text or "", word.src)


def _parent_folder(text: str) -> str:
    folder, slash, _ = text.rstrip("/").rpartition("/")
    return folder or slash or "."


def _strip_extension(text: str) -> str:
    return text[: len(text) - len(match[0])] if (match := _MATCH_EXTENSION(text)) else text


def _extension(text: str) -> str:
    return match[0][1:] if (match := _MATCH_EXTENSION(text)) else ""


_MATCH_EXTENSION = re.compile(r"\.[^./]*$").search
_MODIFIER_FUNCTIONS: dict[str, Callable[[str], str]] = {
    "h": _parent_folder,
    "t": lambda text: text.rstrip("/").rpartition("/")[2],
    "r": _strip_extension,
    "e": _extension,
    "l": str.lower,
    "u": str.upper,
}


def list_in_foreground(node: AndOr) -> AndOr:
    """Returns `a && b &` as zsh runs it: the last pipeline in the background, and the others in this shell."""
    *before, (operator, last) = node.rest
    return AndOr(node.first, (*before, (operator, Background(last, node.span))), node.span)
