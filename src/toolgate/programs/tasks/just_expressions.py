"""just's expressions: joins, functions, conditions and commands in backticks.

The result is text for the shell that runs the recipe. What the shell expands equally is left to it: a variable of the environment
becomes `${NAME?}`, a command in backticks becomes `$(command)`, a condition becomes `$(if ...)`. What is not evaluated is unknown.
"""

import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from toolgate.model.word import EMPTY, Unread, Word, join_words, known_word, unread_word

from .make_expansion import UNKNOWN_TEXT, escape_in_quotes

_TOKEN = re.compile(
    r"\s*(?:(?P<text>[xf]?(?:\"\"\"(?:\\.|[^\\])*?\"\"\"|'''.*?'''|\"(?:\\.|[^\"\\])*\"|'[^']*'))"
    r"|(?P<command>```.*?```|`[^`]*`)|(?P<name>[A-Za-z_][\w-]*)|(?P<mark>==|!=|=~|!~|&&|\|\||[(){},+/]))",
    re.DOTALL,
)
_MAX_DEPTH = 12
_TOO_DEEP = unread_word("a variable", Unread(f"its value is nested deeper than {_MAX_DEPTH} levels"))
_COMPARISONS = {"==": "=", "!=": "!=", "=~": "=~", "!~": "!="}
Values = Mapping[str, Word]


@dataclass(frozen=True, slots=True)
class Expressions:
    """Evaluates expressions of one module. `assigned`: the source of each variable; `given`: values of parameters and of the
    command line, which override them; `folder`: that of the justfile; `home`: the user's; `exported`: the variables that recipes
    have in their environment."""

    assigned: Mapping[str, str]
    given: Values
    folder: str
    home: str
    exported: frozenset[str] = frozenset()
    depth: int = 0

    def evaluate(self, source: str) -> Word:
        """Returns the value of an expression."""
        if self.depth > _MAX_DEPTH:
            return _TOO_DEEP
        parser = _Parser(self, list(_TOKEN.finditer(source)))
        value = parser.parse_expression()
        return value if parser.at == len(parser.tokens) else UNKNOWN_TEXT

    def value_of(self, name: str) -> Word:
        if name in self.given:
            return self.given[name]
        if name in self.assigned:
            return replace(self, depth=self.depth + 1).evaluate(self.assigned[name])
        return UNKNOWN_TEXT

    def interpolate(self, line: str) -> Word:
        """Returns a line of a recipe with the values of its `{{...}}`."""
        result = EMPTY
        for n, piece in enumerate(re.split(r"\{\{(.*?)\}\}", line)):
            result = result + (escape_in_quotes(self.evaluate(piece), result) if n % 2 else known_word(piece))
        return result


@dataclass(slots=True)
class _Parser:
    expressions: Expressions
    tokens: list[re.Match[str]]
    at: int = 0

    def parse_expression(self) -> Word:
        if self._take("if"):
            return self._parse_condition()
        value = EMPTY if self._next() == "/" else self._parse_value()
        while (mark := self._next()) in ("+", "/", "||", "&&"):
            self.at += 1
            following = self.parse_expression()
            value = value + known_word("/") + following if mark == "/" else value + following if mark == "+" else UNKNOWN_TEXT
        return value

    def _parse_condition(self) -> Word:
        left = self.parse_expression()
        comparison = _COMPARISONS.get(self._next(), "")
        self.at += 1
        right = self.parse_expression()
        chosen = self._parse_block()
        self._take("else")
        otherwise = self._parse_condition() if self._take("if") else self._parse_block()
        test = [known_word('$(if [ "'), left, known_word(f'" {comparison} "'), right, known_word('" ]; then echo "'), chosen]
        return join_words([*test, known_word('"; else echo "'), otherwise, known_word('"; fi)')], "")

    def _parse_block(self) -> Word:
        self._take("{")
        value = self.parse_expression()
        self._take("}")
        return value

    def _parse_value(self) -> Word:
        if self.at >= len(self.tokens):
            return UNKNOWN_TEXT
        token = self.tokens[self.at]
        self.at += 1
        if token["text"] is not None:
            return known_word(_decode_text(token["text"]))
        if token["command"] is not None:
            return known_word(f"$({token['command'].strip('`')})")
        if token["mark"] == "(":
            value = self.parse_expression()
            self._take(")")
            return value
        if token["name"] is None:
            return UNKNOWN_TEXT
        if self._take("("):
            return self._call_function(token["name"], self._parse_arguments())
        return self.expressions.value_of(token["name"])

    def _parse_arguments(self) -> list[Word]:
        values: list[Word] = []
        while self.at < len(self.tokens) and not self._take(")"):
            values.append(self.parse_expression())
            if not self._take(",") and self._next() != ")":
                self.at += 1  # an operator that is not known
        return values

    def _call_function(self, name: str, values: list[Word]) -> Word:
        folder = _FOLDERS.get(name)
        if folder is not None:
            return known_word(self.expressions.home + folder)
        if name in _OWN_FOLDERS:
            return known_word(self.expressions.folder)
        if name.startswith("env") and values and values[0].text == "HOME":
            return known_word(self.expressions.home)
        function = _FUNCTIONS.get(name)
        return function(*values) if function is not None and values else UNKNOWN_TEXT

    def _next(self) -> str:
        return self.tokens[self.at][0].strip() if self.at < len(self.tokens) else ""

    def _take(self, mark: str) -> bool:
        """Skips this token if it is the next one; returns whether it was."""
        found = self._next() == mark
        self.at += found
        return found


def _decode_text(source: str) -> str:
    text = source.lstrip("xf")
    for quote in ('"""', "'''", '"', "'"):
        if text.startswith(quote):
            text = text[len(quote) : -len(quote)]
            break
    escaped = quote.startswith('"')
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), text) if escaped else text


# ---- functions

_FOLDERS = {
    **dict.fromkeys(("home_directory", "home_dir"), ""),
    **dict.fromkeys(("config_directory", "config_dir"), "/.config"),
    **dict.fromkeys(("cache_directory", "cache_dir"), "/.cache"),
    **dict.fromkeys(("data_directory", "data_dir", "data_local_directory", "data_local_dir"), "/.local/share"),
    **dict.fromkeys(("executable_directory", "executable_dir"), "/.local/bin"),
}
"""Functions that return a folder of the user: what follows the home folder."""
_OWN_FOLDERS = frozenset(
    f"{start}_{end}" for start in ("justfile", "source", "invocation", "module") for end in ("directory", "dir")
)


def _read_variable(name: Word, *default: Word) -> Word:
    if name.text is None or not name.text.isidentifier():
        return UNKNOWN_TEXT
    if not default:
        return known_word(f"${{{name.text}?}}")
    return known_word(f"${{{name.text}-") + default[0] + known_word("}")


def _run_command(command: Word, *arguments: Word) -> Word:
    return join_words([known_word("$(set --"), *arguments, known_word(";"), command, known_word(")")], " ")


def _change_text(change: Callable[[str], str]) -> Callable[..., Word]:
    """Returns a function of one text. A text that the shell has to expand is unknown."""

    def apply_change(value: Word, *_more: Word) -> Word:
        return UNKNOWN_TEXT if value.text is None or "$" in value.text else known_word(change(value.text))

    return apply_change


def _replace_text(value: Word, before: Word = UNKNOWN_TEXT, after: Word = UNKNOWN_TEXT, *_more: Word) -> Word:
    if value.text is None or before.text is None or after.text is None:
        return UNKNOWN_TEXT
    return known_word(value.text.replace(before.text, after.text))


_FUNCTIONS: dict[str, Callable[..., Word]] = {
    **dict.fromkeys(("env", "env_var", "env_var_or_default"), _read_variable),
    "shell": _run_command,
    "join": lambda *parts: join_words(parts, "/"),
    **dict.fromkeys(
        ("quote", "clean", "absolute_path", "canonicalize", "trim", "trim_end", "trim_start"), lambda value, *_more: value
    ),
    "read": lambda path, *_more: known_word("$(cat ") + path + known_word(")"),
    **dict.fromkeys(("parent_directory", "parent_dir"), _change_text(posixpath.dirname)),
    "file_name": _change_text(posixpath.basename),
    "without_extension": _change_text(lambda text: posixpath.splitext(text)[0]),
    "lowercase": _change_text(str.lower),
    "uppercase": _change_text(str.upper),
    "replace": _replace_text,
}
