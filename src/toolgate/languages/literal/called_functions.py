"""Functions that code calls with literal arguments, or that return a literal: `connect("warehouse")`, `fn root() { "/x" }`."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from .texts import TEXT, find_closing, split_arguments, write_name

_DEFINITION = re.compile(
    r"(?<![\w.:])(?P<name>\w+)\s*(?:(?:<-|=)\s*function\s*)?(?:<[^<>()]{0,60}>)?\((?P<parameters>[^()]{0,300})\)"
    r"\s*(?:->\s*[^{};=\n]{1,120}|:\s*[\w<>?.]{1,60}|throws\s+[\w., ]{1,100})?\s*(?P<mark>\{|=>?(?![=>]))"
)
_KEYWORDS = frozenset(
    "if for while switch match when catch else function return using lock synchronized foreach try with".split()
)
_RETURNS = re.compile(rf"\s*(?:return\s+|return\()?({TEXT})\)?\s*;?\s*$")
_BEGINS_BODY = re.compile(r"\s*(?:->[^{;\n]*|:\s*[\w<>?]+)?\s*\{")
_LABEL = re.compile(r"^\w+\s*=\s*(?=\")|^&")
_MOST_FUNCTIONS = 60
_MOST_BLOCKS = 4


class LiteralFunction(NamedTuple):
    """A function of the code, with the positions of its definition and its body."""

    name: str
    parameters: tuple[str, ...]
    start: int
    body: int
    end: int


def write_literal_calls(text: str) -> str:
    """Returns the code with the parameters of functions that are called once with literal texts written out in their bodies, and
    with the texts that functions return in place of their calls."""
    for function in reversed(list(list_functions(text))):
        calls = list(find_calls(text, function))
        returned = _find_returned(text, function)
        if returned is not None:
            for at, end in reversed(calls):
                text = f"{text[:at]}{returned}{text[end:]}"
        elif len(calls) == 1:
            given = [_LABEL.sub("", each) for each in split_arguments(text, text.index("(", calls[0][0]))]
            bound = [
                (name, value)
                for name, value in zip(function.parameters, given, strict=False)
                if name and len(given) <= len(function.parameters) and re.fullmatch(TEXT, value)
            ]
            body = text[function.body : function.end]
            for name, value in bound:
                used = re.compile(rf"{TEXT}|(?<![\w.$@]){re.escape(name)}(?![\w(])(?!\s*(?::\s*\w|=(?!=)|<-))")
                body = write_name(used, value, body)
            text = f"{text[: function.body]}{body}{text[function.end :]}"
    return text


def list_functions(text: str) -> Iterator[LiteralFunction]:
    """Yields the functions that code defines."""
    for match, _ in zip(_DEFINITION.finditer(text), range(_MOST_FUNCTIONS), strict=False):
        if match["name"] in _KEYWORDS:
            continue
        parameters = tuple(map(_name_parameter, match["parameters"].split(",")))
        opening = match.end() - 1
        if match["mark"] == "{":
            yield LiteralFunction(match["name"], parameters, match.start(), opening, find_closing(text, opening))
        elif re.search(r"(?:\bfun\s+|\bstatic\s+[\w<>]+\s+)$", text[max(0, match.start() - 60) : match.start()]):
            line = text.find("\n", match.end())
            yield LiteralFunction(match["name"], parameters, match.start(), match.end(), line if line >= 0 else len(text))


def _name_parameter(parameter: str) -> str:
    """Returns the name of a parameter: `which: &str`, `String which`, `pattern = NULL`."""
    before = re.split(r"[:=]", parameter, maxsplit=1)[0].split()
    return re.sub(r"\W", "", before[-1]) if before else ""


def find_calls(text: str, function: LiteralFunction) -> Iterator[tuple[int, int]]:
    """Yields the spans of a function's calls, besides those in its own body."""
    for match in re.finditer(rf"(?<![\w.])(?:(?:\w+::)+|this\.|self\.|Self::)?{re.escape(function.name)}\s*\(", text):
        if not function.start <= match.start() < function.end:
            end = find_closing(text, match.end() - 1)
            if not _BEGINS_BODY.match(text, end):
                yield match.start(), end


def _find_returned(text: str, function: LiteralFunction) -> str | None:
    body = text[function.body : function.end].strip()
    body = body[1:-1] if body.startswith("{") else body
    for _ in range(_MOST_BLOCKS):
        inner = body.strip()
        if inner.startswith("{") and find_closing(inner, 0) == len(inner):
            body = inner[1:-1]
    found = _RETURNS.match(body)
    return found[1] if found is not None else None
