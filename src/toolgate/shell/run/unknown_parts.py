"""Shell text with unknown parts (`bash -c "cd $DIR && make"`), which is read nonetheless.

Each unknown part becomes a variable with that part as its value. Whether it could end a command or begin one is unknown; the
caller reports that if the part is a command's output.
"""

import re
from collections.abc import Mapping
from itertools import count

from toolgate.model.word import Hole, HoleKind, Word
from toolgate.shell.domain.protocol import Values

_VARIABLE_PREFIX = "unknown_part_"
_FIND_NAMES = re.compile(rf"{_VARIABLE_PREFIX}\d+").findall


def replace_unknown_parts(code: Word, variables: Mapping[str, Values]) -> tuple[str, dict[str, Word]] | None:
    """Returns the text with a variable for each unknown part, and their values; None if it does not begin with a known command.

    `variables`: those of the shell. Functions and aliases of other texts may use them when this one runs, so no variable gets
    another value."""
    if code.text is not None:
        return code.text, {}
    first = code.parts[0] if code.parts else None
    if not isinstance(first, str) or not first.strip():
        return None
    mentioned = {name for part in code.parts if isinstance(part, str) for name in _FIND_NAMES(part)}
    names = {values[0]: name for name, values in variables.items() if name.startswith(_VARIABLE_PREFIX) and len(values) == 1}
    names = {value: name for value, name in names.items() if name not in mentioned}
    unused = (name for number in count() if (name := f"{_VARIABLE_PREFIX}{number}") not in variables and name not in mentioned)
    text, parts, quote = "", dict[str, Word](), ""
    for part in code.parts:
        if isinstance(part, Hole):
            named = quote != "'" and _ends_in_unescaped_dollar(text)  # the value of an unknown name
            if quote != "'" and _ends_in_odd_run(text, "\\"):  # it protects the first character of the value
                text = text[:-1]
            value = Word((Hole("**", f"${part.why}", kind=HoleKind.NAMED) if named else part,), src=code.src)
            if value not in names:
                names[value] = next(unused)
            name = names[value]
            parts[name] = value
            text = text[:-1] if named else text
            text += f"'\"${{{name}}}\"'" if quote == "'" else f"${{{name}}}"
        else:
            quote = _quote_after(part, quote)
            text += part
    return text, parts


def _ends_in_unescaped_dollar(text: str) -> bool:
    """Returns whether the text ends in a dollar sign that is not escaped."""
    return text.endswith("$") and not _ends_in_odd_run(text[:-1], "\\")


def _ends_in_odd_run(text: str, character: str) -> bool:
    return (len(text) - len(text.rstrip(character))) % 2 == 1


def _quote_after(text: str, quote: str) -> str:
    """Returns the quotes in which the text ends, if it began within `quote`."""
    at = 0
    while at < len(text):
        char = text[at]
        if char == "\\" and quote != "'":
            at += 1
        elif quote:
            quote = "" if char == quote else quote
        elif char in ("'", '"'):
            quote = char
        at += 1
    return quote
