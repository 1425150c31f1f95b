"""Parses the members of a team from its roster, as people write it: a table, a list, or a heading for each member."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from .tables import MAX_LINE_LENGTH, iter_table_rows

HEADING = re.compile(r"#{1,6}\s+(.+?)\s*#*$")
ROSTER_HEADING = re.compile(r"\b(?:members?|roster|agents?|people|crew)\b|^(?:the |our )?team$", re.IGNORECASE)
_BULLET = re.compile(r"\s{0,3}(?:[-*+]|\d{1,2}[.)])\s+(.+)$")
_ENTRY = re.compile(
    r"(?P<name>[^\W\d_][\w'.-]*(?: [^\W\d_][\w'.-]*){0,2})"
    r"(?:\s+[-\u2013\u2014]+\s+|\s*[:,\u2192]\s*|\s*\((?=.+\)))(?P<role>.+?)\)?"
)
"""`Name: role`, `Name - role`, `Name (role)`, once emphasis and emoji are removed."""
_ROLE_LINE = re.compile(r"\s*(?:[-*+]\s+)?role\s*[:\u2013\u2014-]\s*(.+)$", re.IGNORECASE)
_ROLE_NAMES = frozenset(("coordinator", "lead", "reviewer", "scribe"))
_MARKUP = re.compile(r"[*_`]{1,3}|\[([^\]]*)\]\([^)]*\)|[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f]")


@lru_cache(8)
def parse_roster(text: str) -> Mapping[str, str]:
    """Returns name -> role: from every table with these columns, else from lists and headings."""
    found: dict[str, str] = {}
    for row in iter_table_rows(text):
        name, role = row.get("name", row.get("agent", row.get("member", ""))), row.get("role", "")
        if name:
            found.setdefault(name, role)
    if not found:
        for name, role in (*_iter_list_members(text), *_iter_heading_members(text)):
            found.setdefault(name, role)
    return found


def _iter_list_members(text: str) -> Iterator[tuple[str, str]]:
    """Yields the entries of lists beneath a heading that announces members."""
    announced = False
    for whole in text.splitlines():
        line = whole[:MAX_LINE_LENGTH]
        if heading := HEADING.match(line):
            announced = ROSTER_HEADING.search(heading[1]) is not None
        elif announced and (bullet := _BULLET.match(line)) and (entry := _read_entry(bullet[1])):
            yield entry


def _iter_heading_members(text: str) -> Iterator[tuple[str, str]]:
    """Yields members that have a heading each: with the role in it, or in a line `Role: ...` beneath it."""
    waiting = ""
    for line in text.splitlines():
        plain = _strip_markup(line[:MAX_LINE_LENGTH])
        if heading := HEADING.match(plain):
            entry = _read_entry(heading[1])
            waiting = "" if entry else heading[1]
            if entry and line.startswith("##"):
                yield entry
        elif waiting and (role := _ROLE_LINE.match(plain)):
            yield waiting, role[1].strip()
            waiting = ""


def _read_entry(text: str) -> tuple[str, str] | None:
    """Returns name and role of `Name: role`; of `Role: name`, too."""
    found = _ENTRY.fullmatch(_strip_markup(text).strip())
    if found is None:
        return None
    name, role = found["name"].strip(), found["role"].strip()
    return (role, name) if name.casefold() in _ROLE_NAMES else (name, role)


def _strip_markup(text: str) -> str:
    return _MARKUP.sub(lambda found: found[1] or "", text)
