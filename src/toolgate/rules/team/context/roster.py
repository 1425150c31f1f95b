"""Parses the members of a team from its roster, as people write it: a table, a list, or a heading for each member."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from toolgate.designs import COORDINATOR

from .tables import MAX_LINE_LENGTH, iter_table_rows

ROSTER_HEADING = re.compile(rf"\b(?:members?|roster|agents?|people|crew)\b|^(?:the |our )?(?:team|{COORDINATOR})$", re.IGNORECASE)
_NAME = r"[^\W\d_][\w'.-]*(?: [^\W\d_][\w'.-]*){0,2}"
_BARE_NAME = re.compile(r"@?(?P<name>[^\W\d_a-z][\w'.-]*(?: [^\W\d_a-z][\w'.-]*){0,2})")
_ENTRY = re.compile(
    rf"@?(?P<name>{_NAME})(?:\s*\((?P<aside>[^()]+)\)|(?:\s+(?:[-\u2013\u2014]+>?|=>)\s+|\s*[:,\u2192]\s*)(?P<role>.+))"
)
"""`Name: role`, `Name - role`, `Name -> role`, `Name (role)`, once emphasis and emoji are removed."""
_HEADING = re.compile(r"(?P<level>#{1,6})\s+(?P<text>.+?)\s*#*$")
_UNDERLINE = re.compile(r"\s{0,3}(?:=+|-+)\s*$")
_LABEL = re.compile(r"(?:\*\*|__)?(?P<text>[^*_:]{1,60}?)(?::(?:\*\*|__)?|(?:\*\*|__):?)\s*$")
"""`Members:`, `**Members**`: a line that announces a list, without being a heading."""
_BULLET = re.compile(r"(?P<indent>\s*)(?:[-*+]|\d{1,2}[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>.+)$")
_FIELD = re.compile(r"\s*(?:[-*+]\s+)?(?P<key>name|role)\s*[:\u2013\u2014-]\s*(?P<value>.+)$", re.IGNORECASE)
_ROLE_WORDS = re.compile(
    r"\b(?:coordinator|lead|review(?:s|er)?|scribe|(?:back|front)[- ]?end|full[- ]?stack|dev(?:eloper|ops)?|engineer|tester|qa|"
    r"designer|architect|writer|docs|security|data|product|ops)\b",
    re.IGNORECASE,
)
_PRONOUNS = re.compile(r"\((?:she|he|they|it|xe)/[\w/]+\)", re.IGNORECASE)
_MARKUP = re.compile(r"[*_`]{1,3}|\[([^\]]*)\]\([^)]*\)|[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f]")
_ROLE_COLUMNS = ("role", "responsibility", "responsibilities", "function", "title", "position")


class Roster(NamedTuple):
    """`members`: name -> role. `heading`: the line that announces members, 1 where none does. `unread`: lines of the list of
    members that name none."""

    members: Mapping[str, str]
    heading: int
    unread: tuple[int, ...]


def parse_roster(text: str) -> Mapping[str, str]:
    """Returns name -> role: from every table with these columns, else from lists and headings."""
    return read_roster(text).members


@lru_cache(8)
def read_roster(text: str) -> Roster:
    found: dict[str, str] = {}
    for row in iter_table_rows(text):
        name = row.get("name", row.get("agent", row.get("member", "")))
        if name:
            found.setdefault(name, next((row[column] for column in _ROLE_COLUMNS if column in row), ""))
    lines = _LineReader()
    texts = [line[:MAX_LINE_LENGTH] for line in text.splitlines()]
    for number, line in enumerate(texts, 1):
        lines.read(number, line, texts[number] if number < len(texts) else "")
    return Roster(found, lines.heading, ()) if found else Roster(lines.found, lines.heading, tuple(lines.unread))


class _LineReader:
    """Reads lists and headings, line by line. A name whose role has not been read yet waits for a line `Role: ...`."""

    def __init__(self) -> None:
        self.found: dict[str, str] = {}
        self.unread: list[int] = []
        self.heading = 1
        self._announced, self._waiting, self._indent = False, "", -1

    def read(self, number: int, line: str, following: str) -> None:
        if (heading := _read_heading(line, following)) is not None:
            self._read_heading(number, *heading)
        elif self._waiting and (field := _FIELD.match(_strip_markup(line))) and field["key"].lower() == "role":
            self.found[self._waiting] = field["value"].strip()
        elif self._announced and (bullet := _BULLET.match(line)):
            self._indent = len(bullet["indent"]) if self._indent < 0 else self._indent
            if len(bullet["indent"]) <= self._indent:  # deeper ones describe a member
                self._read_bullet(number, _strip_markup(bullet["text"]).strip())

    def _read_heading(self, number: int, level: int, text: str) -> None:
        self._announced, self._waiting, self._indent = ROSTER_HEADING.search(text) is not None, "", -1
        if self._announced:
            self.heading = number if level != 1 else self.heading
        elif level > 1 and (entry := _read_entry(text)):
            self.found.setdefault(*entry)
        elif level > 1 and (name := _BARE_NAME.fullmatch(text)):
            self._waiting = name["name"]

    def _read_bullet(self, number: int, text: str) -> None:
        field, bare = _FIELD.match(text), _BARE_NAME.fullmatch(text)
        if field and field["key"].lower() == "name":
            self._waiting = field["value"].strip()
            self.found.setdefault(self._waiting, "")
        elif entry := _read_entry(text):
            self.found.setdefault(*entry)
        elif bare:
            self._waiting = bare["name"]
            self.found.setdefault(self._waiting, "")
        else:
            self.unread.append(number)


def _read_heading(line: str, following: str) -> tuple[int, str] | None:
    """Returns level and text of a heading, in any of its forms; a label that announces members is one of the last level."""
    if heading := _HEADING.match(line):
        return len(heading["level"]), _strip_markup(heading["text"]).strip()
    if not line.strip() or _BULLET.match(line) or "|" in line:
        return None
    if _UNDERLINE.match(following) and not line.startswith("    ") and not _UNDERLINE.match(line):
        return 1 if following.strip().startswith("=") else 2, _strip_markup(line).strip()
    label = _LABEL.match(line.strip())
    return (6, label["text"]) if label and ROSTER_HEADING.search(label["text"]) else None


def _read_entry(text: str) -> tuple[str, str] | None:
    """Returns name and role of `Name: role`; of `Role: name`, too."""
    found = _ENTRY.fullmatch(_PRONOUNS.sub("", text).strip())
    if found is None:
        return None
    name, role = found["name"].strip(), (found["role"] or found["aside"]).strip()
    return (role, name) if _ROLE_WORDS.search(name) and not _ROLE_WORDS.search(role) else (name, role)


def _strip_markup(text: str) -> str:
    return _MARKUP.sub(lambda found: found[1] or "", text)
