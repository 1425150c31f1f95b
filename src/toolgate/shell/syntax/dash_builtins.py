"""Differences of dash from bash in commands: missing builtins, kept variables, the output of echo."""

import re
from dataclasses import replace
from typing import Final

from toolgate.model.escapes import DASH_ECHO, ZSH_ECHO, decode_escapes
from toolgate.model.word import Word, join_words, known_word

from .tree import Parameter

MATCH_NON_ASSIGNMENT: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\[|\+=)").match
"""`x[1]=a`, `x+=a`: the name of a command in dash."""

MISSING_IN_DASH: Final = frozenset((
    "[[", "((", "function", "select", "coproc", "declare", "typeset", "pushd", "popd", "dirs", "let", "source", "builtin",
    "enable", "mapfile", "readarray", "shopt", "disown", "caller", "bind", "complete", "compgen", "compopt", "history",
    "logout", "suspend", "noglob", "nocorrect", "-", "repeat", "setopt", "unsetopt",
))  # fmt: skip
"""Builtins of bash or zsh that dash does not have."""


ALIAS_ARGUMENTS: Final = "_words_after_the_alias"
"""Internal variable with the arguments of an alias."""


def is_known_expansion(piece: Parameter) -> bool:
    """Returns whether dash supports this expansion; otherwise it exits."""
    return piece.name == ALIAS_ARGUMENTS or (
        piece.prefix != "!" and piece.subscript is None and piece.operator in _DASH_OPERATORS
    )


_DASH_OPERATORS: Final = frozenset(("", ":-", "-", ":=", "=", ":+", "+", ":?", "?", "#", "##", "%", "%%"))
SPECIAL_BUILTINS: Final = frozenset((
    ":", ".", "break", "continue", "eval", "exec", "exit", "export", "readonly", "return", "set", "shift", "times",
    "trap", "unset",
))  # fmt: skip
"""Builtins that keep the variables assigned before them, in dash and in a bash called sh."""


def echo_with_options(argv: tuple[Word, ...]) -> list[Word]:
    """Returns the output of `echo -e x` where that is not an option: dash knows only `-n`."""
    words = argv[2:] if len(argv) > 1 and argv[1].text == "-n" else argv[1:]
    if not words or not _IS_OPTION(words[0].text or ""):
        return []
    text = join_words(words, " ")
    return [text if len(words) < len(argv) - 1 else text + known_word("\n")]


_IS_OPTION = re.compile("-[neE]+").fullmatch


def decode_echo_escapes(word: Word) -> list[Word]:
    """Returns the output where `echo` decodes backslash escapes by default, for dash and zsh."""
    if not any(isinstance(part, str) and "\\" in part for part in word.parts):
        return []
    return [
        replace(word, parts=tuple(decode_escapes(part, escapes) if isinstance(part, str) else part for part in word.parts))
        for escapes in (DASH_ECHO, ZSH_ECHO)
    ]


_DASH_OPTIONS: Final = {"printf": set("-"), "read": set("-pr"), "export": set("-p"), "readonly": set("-p"), "unset": set("-fv")}


BUILTINS_ENDING_DASH: Final = SPECIAL_BUILTINS & _DASH_OPTIONS.keys()
"""With an option that dash does not have, these end it."""


def is_missing_in_dash(argv: tuple[Word, ...]) -> bool:
    """Returns whether dash does not have this command, or not with this option."""
    name, option = argv[0].text, argv[1].head if len(argv) > 1 else ""
    if name in MISSING_IN_DASH or MATCH_NON_ASSIGNMENT(argv[0].head):
        return True
    return option[:1] == "-" and not set(option[1:]) <= _DASH_OPTIONS.get(name or "", set(option))
