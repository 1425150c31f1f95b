"""What the variable of a loop stands for where it goes through a literal list or all files that a literal glob finds:
`for my $f (glob("*.log")) { unlink $f }`."""

import re
from collections.abc import Iterable, Mapping

_TEXT = r"\"[^\"$#`]*\"|'[^']*'"
_GLOBBED = rf"<[\w./~*?\[\]-]+>|glob\s*\(?\s*(?:{_TEXT})\s*\)?|qw\s*(?:\([^)]*\)|\[[^\]]*\])"
_PERL = re.compile(
    rf"\bfor(?:each)?\s+(?:my\s+)?(?P<name>\$\w+)?\s*\(?\s*(?P<over>{_GLOBBED})"
    rf"|\bfor(?:each)?\s*\(\s*(?P<more>{_GLOBBED}|(?:(?:{_TEXT})\s*,?\s*)+)\s*\)"
)
_LOOPS = {"perl": _PERL}
_ARGUMENT = re.compile(r"\s*(\$?\w+)(?=\s*(?:[,);}\n]|$|\b(?:if|unless|for|foreach|and|or|end)\b))")
_STRINGS = re.compile(_TEXT)
_WORDS = re.compile(r"qw\s*[(\[]([^)\]]*)")
_ANGLES = re.compile(r"<(.*)>")


def with_members(text: str, language: str, calls: Iterable[re.Pattern[str]]) -> str:
    """The text with what such a variable stands for in its place, where it is the first argument of one of these calls."""
    loops = _LOOPS.get(language)
    bound = _find_loop_values(text, loops) if loops is not None else {}
    if not bound:
        return text
    for at in sorted({match.end() for pattern in calls for match in pattern.finditer(text)}, reverse=True):
        argument = _ARGUMENT.match(text, at)
        if argument is not None and argument[1] in bound:
            text = text[: argument.start(1)] + bound[argument[1]] + text[argument.end(1) :]
    return text


def _find_loop_values(text: str, loops: re.Pattern[str]) -> Mapping[str, str]:
    """Returns the values of each variable that belongs to one loop and that nothing else assigns."""
    found: dict[str, str] = {}
    twice: set[str] = set()
    for match in loops.finditer(text):
        groups = match.groupdict()
        name = groups["name"] or "$_"
        twice.update({name} & found.keys())
        found[name] = _spell_items(groups["over"] or groups["more"])
    return {
        name: over
        for name, over in found.items()
        if name not in twice and not re.search(rf"{re.escape(name)}\s*=(?![=~>])", text)
    }


def _spell_items(iterable: str) -> str:
    if (words := _WORDS.match(iterable)) is not None:
        return "[" + ", ".join(f'"{word}"' for word in words[1].split()) + "]"
    if (glob := _ANGLES.match(iterable)) is not None:
        return f'glob("{glob[1]}")'
    texts = [each.group()[1:-1] for each in _STRINGS.finditer(iterable)]
    if iterable.startswith(("Dir", "glob")):
        return f'glob("{texts[0]}")'
    return "[" + ", ".join(f'"{each}"' for each in texts) + "]"
