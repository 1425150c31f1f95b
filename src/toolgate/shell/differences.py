"""What dash does otherwise than bash with the same words: what it does not have, what it keeps, what its echo prints."""

import re
from dataclasses import replace
from typing import Final

from toolgate.model.escapes import ECHO_OF_DASH, ECHO_OF_ZSH, spelled
from toolgate.model.word import Word, joined, known

from .syntax import Parameter

NO_ASSIGNMENT: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\[|\+=)").match
"""`x[1]=a`, `x+=a`: to dash a command's name."""

LACKED: Final = frozenset((
    "[[", "((", "function", "select", "coproc", "declare", "typeset", "pushd", "popd", "dirs", "let", "source", "builtin",
    "enable", "mapfile", "readarray", "shopt", "disown", "caller", "bind", "complete", "compgen", "compopt", "history",
    "logout", "suspend", "noglob", "nocorrect", "-", "repeat", "setopt", "unsetopt",
))  # fmt: skip
"""What bash or zsh does itself, and dash looks for in vain."""


GIVEN: Final = "_words_after_the_alias"
"""No variable of anybody's: it holds what an alias is given."""


def expands(piece: Parameter) -> bool:
    """Does dash know this expansion? Where it does not, it stops."""
    return piece.name == GIVEN or (piece.prefix != "!" and piece.subscript is None and piece.operator in _OPERATORS)


_OPERATORS: Final = frozenset(("", ":-", "-", ":=", "=", ":+", "+", ":?", "?", "#", "##", "%", "%%"))
SPECIAL: Final = frozenset((
    ":", ".", "break", "continue", "eval", "exec", "exit", "export", "readonly", "return", "set", "shift", "times",
    "trap", "unset",
))  # fmt: skip
"""What keeps the variables that are assigned before it, in dash and in a bash that is called sh."""


def told(argv: tuple[Word, ...]) -> list[Word]:
    """What `echo -e x` prints where that is no option: dash knows `-n` alone."""
    words = argv[2:] if len(argv) > 1 and argv[1].text == "-n" else argv[1:]
    if not words or not _IS_OPTION(words[0].text or ""):
        return []
    said = joined(words, " ")
    return [said if len(words) < len(argv) - 1 else said + known("\n")]


_IS_OPTION = re.compile("-[neE]+").fullmatch


def echoed(word: Word) -> list[Word]:
    """What a text becomes where `echo` knows backslash escapes without being asked: dash's, and zsh's."""
    if not any(isinstance(part, str) and "\\" in part for part in word.parts):
        return []
    return [
        replace(word, parts=tuple(spelled(part, escapes) if isinstance(part, str) else part for part in word.parts))
        for escapes in (ECHO_OF_DASH, ECHO_OF_ZSH)
    ]


_OPTIONS: Final = {"printf": set("-"), "read": set("-pr"), "export": set("-p"), "readonly": set("-p"), "unset": set("-fv")}


ENDING: Final = SPECIAL & _OPTIONS.keys()
"""With an option that dash does not have, these end it."""


def lacks(argv: tuple[Word, ...]) -> bool:
    """Is this a command that dash does not have, or not with this option?"""
    name, option = argv[0].text, argv[1].head if len(argv) > 1 else ""
    if name in LACKED or NO_ASSIGNMENT(argv[0].head):
        return True
    return option[:1] == "-" and not set(option[1:]) <= _OPTIONS.get(name or "", set(option))
