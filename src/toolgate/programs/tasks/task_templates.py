"""Templates of Task (Go's text/template): `{{.NAME}}`, pipes, and functions of paths and of the environment."""

import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from toolgate.model.word import EMPTY, Hole, Word, join_words, known_word

from .make_expansion import escape_in_quotes

UNKNOWN_VALUE = Word((Hole("?*", "a variable of the task"),))
_ACTION = re.compile(r"\{\{-?\s*(.*?)\s*-?\}\}", re.DOTALL)
_find_tokens = re.compile(r"\"(?:\\.|[^\"\\])*\"|`[^`]*`|[()|]|[^\s()|]+").findall


def interpolate(text: str, values: Mapping[str, Word]) -> Word:
    """Returns a text with the values of its `{{...}}`; what is not evaluated is unknown."""
    result = EMPTY
    for n, piece in enumerate(_ACTION.split(text)):
        value = _Action(_find_tokens(piece), values).evaluate_pipe() if n % 2 else known_word(piece)
        result = result + (escape_in_quotes(value, result) if n % 2 else value)
    return result


@dataclass(slots=True)
class _Action:
    tokens: list[str]
    values: Mapping[str, Word]
    at: int = 0

    def evaluate_pipe(self) -> Word:
        """Evaluates commands up to the closing parenthesis, each with the value of the one before as its last operand."""
        piped: list[Word] = []
        while True:
            name, operands = self._read_command()
            operands += piped
            function = _FUNCTIONS.get(name)
            piped = [function(*operands) if function is not None and operands else UNKNOWN_VALUE if name else operands[0]]
            if not self._take("|"):
                self._take(")")
                return piped[0]

    def _read_command(self) -> tuple[str, list[Word]]:
        """Returns the function of a command, empty for a plain value, and its operands."""
        name, operands = "", list[Word]()
        while self.at < len(self.tokens) and self.tokens[self.at] not in ("|", ")"):
            token = self.tokens[self.at]
            self.at += 1
            if token == "(":
                operands.append(self.evaluate_pipe())
            elif token[0] in '"`':
                operands.append(known_word(token[1:-1]))
            elif token[0] == "." and token[1:].isidentifier():
                operands.append(self.values.get(token[1:], UNKNOWN_VALUE))
            elif not operands and not name:
                name = token
            else:
                operands.append(UNKNOWN_VALUE)
        return (name, operands) if name or operands else ("?", [])

    def _take(self, mark: str) -> bool:
        found = self.tokens[self.at : self.at + 1] == [mark]
        self.at += found
        return found


def _read_variable(name: Word, *_more: Word) -> Word:
    return known_word(f"${{{name.text}-}}") if name.text is not None and name.text.isidentifier() else UNKNOWN_VALUE


def _choose_default(default: Word, *value: Word) -> Word:
    return value[0] if value and value[0].text else default


def _format_text(pattern: Word, *values: Word) -> Word:
    pieces = (pattern.text or "").split("%s")
    if pattern.text is None or len(pieces) != len(values) + 1:
        return UNKNOWN_VALUE
    result = known_word(pieces[0])
    for value, piece in zip(values, pieces[1:], strict=True):
        result = result + value + known_word(piece)
    return result


def _change_path(change: Callable[[str], str]) -> Callable[..., Word]:
    return lambda *values: known_word(change(values[-1].text)) if values[-1].text is not None else UNKNOWN_VALUE


_FUNCTIONS: dict[str, Callable[..., Word]] = {
    "joinPath": lambda *parts: join_words(parts, "/"),
    "env": _read_variable,
    "default": _choose_default,
    "printf": _format_text,
    **dict.fromkeys(
        "q quote squote shellQuote toString trim clean osClean fromSlash toSlash abs".split(), lambda *values: values[-1]
    ),
    **dict.fromkeys(("dir", "osDir"), _change_path(posixpath.dirname)),
    **dict.fromkeys(("base", "osBase"), _change_path(posixpath.basename)),
}
