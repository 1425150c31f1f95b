"""Lists that code builds item by item: `cmd.add("rm"); cmd.addAll(List.of("-rf", dir))`, written out where it hands them on."""

import re

from .texts import TEXT, find_closing

_MADE = re.compile(
    r"(?<![\w.])(?P<name>\w+)\s*(?::\s*[\w.<>]+\s*)?=\s*(?:new\s+(?:java\.util\.)?(?:ArrayList|LinkedList|List)(?:<[^<>]*>)?\s*(?=\()|mutableListOf(?:<\w+>)?\s*(?=\()"
    r"|(?:[A-Z]\w*\.)?ArrayList(?:<[^<>]*>)?\s*(?=\()|Vec::new\s*(?=\()|vec!\s*(?=\[))"
)
_MOST_LISTS = 10
_ITEM = re.compile(rf"{TEXT}|[^\[\](){{}},]+")


def write_built_lists(text: str) -> str:
    """Returns the code with the items of a list in place of its name, where a call is given nothing else but that."""
    for match in list(_MADE.finditer(text))[:_MOST_LISTS]:
        name, end = re.escape(match["name"]), find_closing(text, match.end())
        items = _list_items(text[match.end() + 1 : end - 1])
        for added in re.compile(_ADDED.format(name=name)).finditer(text, end):
            at = added.end()
            items += _list_items(text[at : find_closing(text, at)] if text[at] in "([" else text[at : at + _REACH])
        if any(item.startswith('"') for item in items):
            used = re.compile(rf"(?<=[(])\s*(?:\*|&)?{name}(?:\.toTypedArray\(\)|\.ToArray\(\))?\s*(?=\))")
            text = text[:end] + used.sub(lambda _, items=items: f"[{', '.join(items)}]", text[end:])  # type: ignore[misc]
    return text


_ADDED = (
    r"(?<![\w.]){name}\.(?:add|addAll|Add|AddRange|push|extend|plusAssign)\s*(?=\()"
    r"|(?<![\w.]){name}\s*\+=\s*(?:listOf\s*)?(?=[\[(])"
)
_REACH = 300


def _list_items(source: str) -> list[str]:
    """Returns the items of a list, or of the arguments of a call: texts, and what is computed."""
    found = [each.strip() for each in _ITEM.findall(source)]
    return [each for each in found if each and not each.endswith(("listOf", "of", "asList"))]
