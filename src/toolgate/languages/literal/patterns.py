"""Patterns that Perl looks for, such as `/unlink|system/`: what stands in one is looked for and not called."""

import re

_PIECE = re.compile(
    r"""(?sx)
    (?P<string> "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*' | `(?:\\.|[^`\\])*` )
  | (?P<opening> (?:^ | [({\[,;!~=&|?] | (?<![\w$@%&>:.]) (?:if|unless|while|until|and|or|not|when|grep|split) \b )
        \s* (?:m|qr)? )
    / (?P<pattern> (?:\\.|[^/\\\n])* ) / (?P<flags> [a-z]* )
  | .
    """
)
_RUNS_CODE = re.compile(r"\(\?\??\{|[$@][\w{(\[:]|\#\{")
"""Code, or a variable, in a pattern."""
_TOO_MUCH = re.compile(r"<<|#|\bq[qwrx]?\b|%[qQwWixr]?[^\w\s]|(?<![\w$@])(?:s|tr|y)\b\s*[^\w\s=,;)]|__(?:END|DATA)__|\n=")
"""Quotes of other kinds, comments and substitutions: where patterns begin and end is not told there."""


def blank_patterns(text: str, language: str) -> str:
    """Returns Perl code with spaces in the place of what its patterns hold; unchanged where that cannot be told."""
    if language != "perl" or "/" not in text or _TOO_MUCH.search(text):
        return text
    out, at = "", 0
    while at < len(text):
        found = _PIECE.match(text, at)
        if found is None:
            return text
        pattern = found["pattern"]
        if pattern is not None:
            if _RUNS_CODE.search(pattern) or "e" in found["flags"]:
                return text
            start, end = found.span("pattern")
            out += text[at:start] + " " * (end - start) + text[end : found.end()]
        elif found[0] in "\"'`":
            return text  # a string without an end
        else:
            out += found[0]
        at = found.end()
    return out
