"""Globs for the lines that a simple regular expression matches."""

import re

_EXPRESSION_TOKEN = re.compile(r"(?P<any>\.\*)|(?P<one>\.)|\\(?P<escaped>[.$^/-])|(?P<plain>[\w/ ,:=@%~-])")


def globs_of_expression(expression: str, *, extended: bool) -> tuple[str, ...] | None:
    """Returns a glob for each alternative of the expression; None if one of them is not simple."""
    each = [_glob_of_expression(part) for part in _split_alternatives(expression, extended=extended)]
    return None if None in each else tuple(glob for glob in each if glob is not None)


def _split_alternatives(expression: str, *, extended: bool) -> list[str]:
    """Splits `a|b`, `x(a|b)y` into alternatives."""
    group = _ALTERNATIVES_GROUP.fullmatch(expression) if extended else None
    if group is None:
        return expression.split("|" if extended else "\\|")
    return [group["before"] + part + group["after"] for part in group["inner"].split("|")]


_ALTERNATIVES_GROUP = re.compile(r"(?P<before>[^()|]*)(?<!\\)\((?P<inner>[^()]*)\)(?P<after>[^()|]*)")


def _glob_of_expression(expression: str) -> str | None:
    ends = expression.endswith("$") and not expression.endswith("\\$")
    body, begins = expression[: len(expression) - ends].removeprefix("^"), expression.startswith("^")
    made, at = "", 0
    while at < len(body):
        found = _EXPRESSION_TOKEN.match(body, at)
        if found is None:
            return None
        made += "*" if found["any"] else "?" if found["one"] else found["escaped"] or found["plain"]
        at = found.end()
    return f"{'' if begins else '**'}{made}{'' if ends else '**'}" if made else None
