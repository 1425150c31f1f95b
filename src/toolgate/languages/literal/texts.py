"""Literal texts in code of many languages: patterns that match them, and names replaced by them."""

import re
from collections.abc import Mapping

TEXT = r'"(?:[^"\\\n]|\\.){0,300}+"'
IS_DECLARED = r"(?!\s*,\s*\w+\s*:=)(?!\s*(?::=|<-|[-+*/.|]?=(?![=>~])|:\s*[&\w]))"
_PIECE = re.compile(rf"{TEXT}|[()\[\]{{}}]")
_IS_TEXT = re.compile(TEXT)


def write_out(constants: Mapping[str, str], text: str) -> str:
    """Writes constants out where code refers to them, or a text does: `"${name}/x"`, `"$name/x"`, `"#{name}/x"`."""
    name = f"({'|'.join(map(re.escape, constants))})"
    in_code = re.compile(rf"{TEXT}|(?<![\w.-]){name}(?![\w-]){IS_DECLARED}")
    in_text = re.compile(rf"[$#]?\{{\s*{name}\s*\}}|\${name}(?!\w)|\\\({name}\)")

    def write_value(found: re.Match[str]) -> str:
        value = constants[found[1] or found[2] or found[3]]
        return value[value.index('"') + 1 : value.rindex('"')] if len(_IS_TEXT.findall(value)) == 1 else found[0]

    return in_code.sub(lambda found: constants[found[1]] if found[1] else in_text.sub(write_value, found[0]), text)


def find_closing(text: str, opening: int) -> int:
    """Returns where the bracket at `opening` is closed: the position after it, or the end of the text."""
    depth = 0
    for piece in _PIECE.finditer(text, opening):
        depth += 1 if piece[0] in "([{" else -1 if piece[0] in ")]}" else 0
        if depth <= 0:
            return piece.end() if depth == 0 else piece.start()
    return len(text)
