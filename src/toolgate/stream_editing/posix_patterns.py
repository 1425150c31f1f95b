"""Regular expressions of POSIX, with GNU's extensions, as patterns of Python.

A pattern is translated only if both find the same text: POSIX takes the longest of several alternatives, Python the first one.
"""

import re

_CLASSES = {
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "alnum": "a-zA-Z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "space": r" \t\n\r\f\v",
    "blank": r" \t",
    "xdigit": "0-9A-Fa-f",
    "punct": r"!-/:-@\[-`{-~",
}
_ESCAPES = {"n": r"\n", "t": r"\t", "w": "[A-Za-z0-9_]", "W": "[^A-Za-z0-9_]", "s": r"\s", "S": r"\S", "b": r"\b", "B": r"\B"}
_ESCAPES |= {"<": r"\b(?=\w)", ">": r"\b(?<=\w)", "`": r"\A", "'": r"\Z"}
_PIECE = re.compile(r"\\(?P<escaped>.)|(?P<set>\[\^?\]?(?:\[:\w+:\]|[^\]])*\])|(?P<plain>.)", re.DOTALL)
MAX_WORK = 5_000_000
"""Characters of a line to the power of the repetitions in the pattern, of all lines: more may take seconds to match."""


class UnsupportedPatternError(Exception):
    """The pattern may find another text in Python."""


def translate_pattern(source: str, *, extended: bool) -> str:
    """Translates a pattern. Raises UnsupportedPatternError."""
    result: list[str] = []
    at = 0
    while at < len(source):
        if (choice := _CHOICE[extended].match(source, at)) is not None and _exclude_each_other(
            words := choice[1].split(choice[2])
        ):
            result += ["(", "|".join(words), ")"]
            at = choice.end()
            continue
        found = _PIECE.match(source, at)
        if found is None:
            raise UnsupportedPatternError
        at = found.end()
        char = found["escaped"] or found["plain"]
        if found["set"]:
            result.append(_translate_set(found["set"]))
        elif char in "(){}|+?" and (found["escaped"] is None) == extended:  # a special character of this syntax
            special = _INTERVAL[extended].match(source, at) if char == "{" else None
            result.append(_translate_special(char, special, result))
            at = special.end() if special is not None else at
        elif found["escaped"] is not None:
            result.append(_translate_escape(char))
        else:
            result.append(_translate_plain(char, source[at:], result, extended=extended))
    pattern = "".join(result)
    if result.count("(") != result.count(")") or _REPEATED_GROUP.search(pattern):
        raise UnsupportedPatternError
    return pattern


_CHOICE = {
    True: re.compile(r"\((\w+(?:(\|)\w+)+)\)"),
    False: re.compile(r"\\\((\w+(?:(\\\|)\w+)+)\\\)"),
}
"""Matches a group of words of which one is there: `(KEY|TOKEN)`."""


def _exclude_each_other(words: list[str]) -> bool:
    """Returns whether no word begins with another one: which is found does not depend on whether the longest or the first is."""
    return not any(one is not other and one.startswith(other) for one in words for other in words)


def _translate_special(char: str, interval: re.Match[str] | None, result: list[str]) -> str:
    if char == "(" or (char == ")" and result.count("(") > result.count(")")):
        return char
    if char in ")|}" or result[-1:] == [] or result[-1] in _CANNOT_REPEAT or (char == "{" and interval is None):
        raise UnsupportedPatternError
    return f"{{{interval[1]}}}" if interval is not None else char


def _translate_plain(char: str, rest: str, result: list[str], *, extended: bool) -> str:
    if char == "*":
        begins = not result or result[-1] in ("(", "^")
        if (begins and extended) or (not begins and result[-1] in _CANNOT_REPEAT):
            raise UnsupportedPatternError
        return r"\*" if begins else "*"
    if char == "^":
        return "^" if not result or result[-1] == "(" else _literal_anchor(char, extended=extended)
    if char == "$":
        ends = not rest or rest.startswith(")" if extended else r"\)")
        return r"\Z" if ends else _literal_anchor(char, extended=extended)
    return "." if char == "." else re.escape(char)


def _literal_anchor(char: str, *, extended: bool) -> str:
    """An anchor within a pattern is a character in the basic syntax; in the extended one it can never match."""
    if extended:
        raise UnsupportedPatternError
    return re.escape(char)


_INTERVAL = {False: re.compile(r"(\d+(?:,\d*)?|,\d+)\\\}"), True: re.compile(r"(\d+(?:,\d*)?|,\d+)\}")}
_CANNOT_REPEAT = frozenset(("(", "^", r"\Z", r"\A", r"\b", r"\B", r"\b(?=\w)", r"\b(?<=\w)"))
_REPEATED_GROUP = re.compile(r"\)[*+{?]|[*+?}][*+?{]")
"""A repeated group may match in exponential time, and Python reads `a*?` otherwise."""


def _translate_escape(char: str) -> str:
    if char.isdigit():
        return f"(?:\\{char})"
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isalnum():
        raise UnsupportedPatternError
    return re.escape(char)


def _translate_set(source: str) -> str:
    """Translates `[...]`, in which a backslash is a character, but for GNU's `\\n` and `\\t`."""
    negation = "^" if source[1] == "^" else ""
    inside = source[1 + len(negation) : -1]
    parts: list[str] = []
    for name, escape, char in re.findall(r"\[:(\w+):\]|\\([nt])|(.)", inside, re.DOTALL):
        if name and name not in _CLASSES:
            raise UnsupportedPatternError
        parts.append(_CLASSES[name] if name else f"\\{escape}" if escape else char if char == "-" else re.escape(char))
    if "[." in inside or "[=" in inside:
        raise UnsupportedPatternError
    return f"[{negation}{''.join(parts)}]"


def count_repetitions(pattern: str) -> int:
    """Returns how many parts of a translated pattern match any number of characters; what was found before is compared again."""
    outside_sets = re.sub(r"\[\^?\]?[^\]]*\]", "", pattern)
    return len(re.findall(r"(?<!\\)[*+]|\{\d*,\d*\}|\(\?:\\\d\)", outside_sets))
