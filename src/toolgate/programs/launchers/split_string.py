"""The text of `env -S TEXT`, which env splits into words by rules of its own."""

import re
from collections.abc import Callable

from toolgate.model.word import EMPTY, Word, known_word

_TOKENS = re.compile(r"\$\{(?P<name>[A-Za-z_]\w*)\}|\\(?P<escape>.)|(?P<blank>[ \t\n\v\f\r]+)|(?P<plain>.)", re.DOTALL).finditer
_CONTROL_CHARACTERS = {"f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def split_string(text: str, expand_variable: Callable[[str], Word]) -> list[Word]:
    """Returns the words of the text: quotes, escapes and `${NAME}` are read, but nothing else that a shell reads."""
    words: list[Word] = []
    current: Word | None = None
    quote = ""
    for token in _TOKENS(text):
        escape, added = token["escape"], EMPTY
        if token["name"] is not None and quote != "'":
            added = expand_variable(token["name"])
        elif escape is not None and not (quote == "'" and escape not in "'\\"):
            if escape == "c" and not quote:
                break
            if escape == "_" and not quote:
                words, current = _end_word(words, current)
                continue
            added = known_word(" " if escape == "_" else _CONTROL_CHARACTERS.get(escape, escape))
        elif token["blank"] is not None and not quote:
            words, current = _end_word(words, current)
            continue
        elif token[0] == "#" and current is None:
            break
        elif token[0] in ("'", '"') and quote in ("", token[0]):
            quote = "" if quote else token[0]
        else:
            added = known_word(token[0])
        current = (current or EMPTY) + added
    return _end_word(words, current)[0]


def _end_word(words: list[Word], current: Word | None) -> tuple[list[Word], None]:
    return (words if current is None else [*words, current]), None
