"""Parses a team's files: the Source-of-Truth table, what a charter grants its agent. Pure functions of text."""

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from toolgate.designs import COORDINATOR, TEAM_PROMPT

from .tables import MAX_LINE_LENGTH, iter_table_rows

Role = Literal["coordinator", "reviewer", "scribe", "agent"]


class Entry(NamedTuple):
    """A row of the Source-of-Truth table. `pattern` is a glob inside the project, with `*` where the table has `{name}`;
    `writers` is the cell as written."""

    pattern: str
    writers: str


OWNING_AGENT = "owning agent"
EVERYBODY = ("all agents", "any agent", "every agent", "everyone", "everybody")

BUILT_IN = (
    Entry(TEAM_PROMPT, "repository maintainer"),
    Entry("{team}/decisions/inbox/**", "all agents"),
    Entry("{team}/skills/**", "all agents"),
    Entry("{team}/agents/*/history.md", "owning agent, Scribe"),
    Entry("{team}/agents/*/history-archive.md", "Scribe"),
    Entry("{team}/orchestration-log/**", "Scribe"),
    Entry("{team}/log/**", "Scribe"),
    Entry("{team}/**", f"{COORDINATOR} (Coordinator)"),
)
"""The design's own table. `{team}` is the team's folder; the coordinator may write in all of it."""


def guess_role(name: str, wording: str) -> Role:
    """Returns the role that the roster's words mean: `Code Reviewer`, `Ada (Coordinator)`, `Scribe`."""
    words = f"{name} {wording}".casefold()
    if "coordinator" in wording.casefold():
        return "coordinator"
    if "scribe" in words:
        return "scribe"
    return "reviewer" if "review" in wording.casefold() else "agent"


@lru_cache(8)
def parse_ownership_table(text: str) -> tuple[Entry, ...]:
    """Returns the rows of a table with a column `Who May Write`."""
    found: list[Entry] = []
    for row in iter_table_rows(text):
        if (writers := row.get("who may write", row.get("may write"))) is None:
            continue
        file = row.get("file", row.get("path", row.get("artifact", "")))
        found += [Entry(_read_pattern(each), writers) for each in re.split(r",\s*| and ", file) if each]
    return tuple(found)


def may_write(entry: Entry, name: str, role: str, owner: str) -> bool:
    """Returns whether somebody of this name and role is among the writers. `owner`: the file's owner, by its folder."""
    writers = entry.writers.casefold()
    if any(words in writers for words in EVERYBODY):
        return True
    if OWNING_AGENT in writers and name and owner.casefold() == name.casefold():
        return True
    if role in ("coordinator", "scribe", "reviewer") and re.search(rf"\b{role}\b", writers):
        return True
    others = re.sub(
        rf"[\w-]+ \(coordinator\)|\bcoordinator\b|\b{COORDINATOR.lower()}\b", "", writers
    )  # a role that no name gives
    return bool(name) and re.search(rf"(?<![\w-]){re.escape(name.casefold())}(?![\w-])", others) is not None


@lru_cache(32)
def parse_owned_paths(charter: str) -> tuple[str, ...]:
    """Returns the paths that a charter gives its agent: code spans that look like paths, in a section on what it owns or may
    write."""
    found: list[str] = []
    within = False
    for line in charter.splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ").casefold()
            within = "own" in heading.split() or "owns" in heading or "may write" in heading
        elif within and len(line) <= MAX_LINE_LENGTH:
            found += [each for each in re.findall(r"`([^`\s]+)`", line) if "/" in each or "*" in each]
    return tuple(dict.fromkeys(found))


def _read_pattern(cell: str) -> str:
    """Returns `agents/{name}/charter.md` as a glob; a folder covers everything in it."""
    path = re.sub(r"\{[^}]*\}", "*", cell.strip().strip("`").strip())
    return f"{path}**" if path.endswith("/") else path
