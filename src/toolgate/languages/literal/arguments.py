"""The literal arguments of a call, as words."""

import re
from collections.abc import Iterator

from toolgate.languages import glob_word, word_from_text
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word, unknown_word

from .calls import NEVER
from .texts import split_arguments

_STRING = re.compile(r"""\s*(?:"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|`((?:\\.|[^`\\])*)`)""")
_OPENING = re.compile(r"\s*\[")
GLOB = re.compile(
    r"""\s*(?:(?:Sys\.)?glob\s*\(?|Dir\.glob\s*\(?|Dir\s*\[|(?P<folder>list\.files\s*\(\s*(?:path\s*=)?))\s*(?:"([^"$#]*)"|'([^']*)')"""
    r"""|\s*<([\w./~*?\[\]-]+)>"""
)
"""All files that a literal glob finds, or R's `list.files` in a folder."""
_SEPARATOR = re.compile(
    r"\s*,\s*(?:\w+\s*[=:]\s*(?=[@&]?[\[{]))?(?:\((?:const\s+)?char\s*\*[^()]*\))?[@&]?[\[{]?\s*|\s*\[\s*|\s*;\s*(?=\")|\s+(?:(?:nil|t|0)\s+)*(?=\")"
)
"""Between two arguments; in Lisp that is a space, or arguments that are no text. The second may be a list, with a name or
without."""


def find_first_arguments(text: str, functions: re.Pattern[str], context: ExecutionContext) -> Iterator[Word]:
    """Yields the literal first argument of each call of these functions; several for a glob."""
    for match in functions.finditer(text):
        yield from read_arguments(text, match.end(), context)[:1]


def is_computed(text: str, match: re.Match[str]) -> bool:
    """Returns whether the first argument is no literal."""
    opening = _OPENING.match(text, match.end())
    return _STRING.match(text, opening.end() if opening else match.end()) is None


def is_found_in_folder(text: str, match: re.Match[str], walks: re.Pattern[str]) -> bool:
    """Returns whether the first argument is the variable of a loop over what a literal folder or pattern holds, whose deletion
    is read as that of the folder's content."""
    argument = _NAME.match(text, match.end())
    if argument is None or walks is NEVER:
        return False
    loop = re.compile(rf"\bfor\s+\(?{re.escape(argument[1])}\s*(?:in|<-|=|∈)\s*(?:{walks.pattern})")
    found = list(loop.finditer(text, 0, match.start()))
    return bool(found) and _STRING.match(text, found[-1].end()) is not None


_NAME = re.compile(r"\s*([A-Za-z_]\w*)\s*(?=[,;)\n])")


def is_derived(text: str, match: re.Match[str], language: str) -> bool:
    """Returns whether the call takes what a literal is made into: the output of a command in backquotes, `["726d"].pack(..)`."""
    opening = _OPENING.match(text, match.end())
    literal = _STRING.match(text, opening.end() if opening else match.end())
    if literal is None:
        return False
    if literal[0].lstrip().startswith("`"):
        return language == "perl"
    return _METHOD.match(text, literal.end()) is not None


_METHOD = re.compile(r"\s*+\]?\s*+\.\s*(?:pack|unpack1?|tr|reverse|gsub|sub|swapcase|map|join|split)\b")


def read_arguments(text: str, at: int, context: ExecutionContext) -> list[Word]:
    """Returns the literal arguments from here on."""
    words: list[Word] = []
    if (found := GLOB.match(text, at)) is not None:
        pattern = next(group for group in found.groups()[1:] if group is not None)
        return [glob_word(_build_literal(f"{pattern}/*" if found["folder"] else pattern, context))]
    opening = _OPENING.match(text, at)
    at = opening.end() if opening else at
    while len(words) < 16:
        match = _STRING.match(text, at)
        if match is None:
            break
        made = _build_literal(_literal(match), context)
        while (more := _JOINED.match(text, match.end())) is not None:
            following = _STRING.match(text, more.end())
            if following is None:
                made = made + unknown_word("text added to it")
                break
            made, match = made + _build_literal(_literal(following), context), following
        words.append(made)
        separator = _SEPARATOR.match(text, match.end())
        if separator is None:
            break
        at = separator.end()
    return words


_MOST_ARGUMENTS = 40


def _find_bracket(text: str, at: int) -> int | None:
    """Returns the bracket that the arguments follow at once."""
    opening = _OPENING.match(text, at)
    if opening is not None:
        return opening.end() - 1
    before = text[:at].rstrip()
    return len(before) - 1 if before[-1:] in ("(", "[") else None


def read_command(text: str, at: int, context: ExecutionContext) -> list[Word]:
    """Returns the literal arguments of a command from here on, with unknown words for computed ones between them."""
    words = read_arguments(text, at, context)
    opening = _find_bracket(text, at)
    if not words or opening is None:
        return words
    parts = split_arguments(text, opening)[:_MOST_ARGUMENTS]
    literal = [n for n, part in enumerate(parts) if _STRING.fullmatch(part)]
    if len(literal) <= len(words) or literal[: len(words)] != list(range(len(words))):
        return words
    return [
        _build_literal(_literal(found), context) if (found := _STRING.fullmatch(part)) is not None else unknown_word(part[:60])
        for part in parts[: literal[-1] + 1]
    ]


def _literal(match: re.Match[str]) -> str:
    return next(group for group in match.groups() if group is not None)


_JOINED = re.compile(r"\s*(?:\+|\.(?=\s*[\"'$])|\.\.(?!\.))")
"""Between two halves of a text: `+`, Perl's and PHP's dot, Lua's two."""


def _build_literal(literal: str, context: ExecutionContext) -> Word:
    if "${" in literal or "#{" in literal:
        return unknown_word(literal[:60])
    literal = literal.replace('\\"', '"').replace("\\'", "'").replace("\\n", "\n")
    return known_word(context.home + literal[1:]) if literal == "~" or literal.startswith("~/") else word_from_text(literal)
