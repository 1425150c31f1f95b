"""Determines what an agent may write, and which source grants it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from toolgate.designs import TEAM_FOLDERS
from toolgate.model.glob import matches_path, overlaps_pattern
from toolgate.model.rule import RuleContext

from . import Agent, Team, compute_once, find_file_owner, find_team, read_charter, read_ownership_table, sources


@dataclass(frozen=True, slots=True)
class Grant:
    """Globs as written, and the source that grants them."""

    patterns: tuple[str, ...]
    source: str


@dataclass(frozen=True, slots=True)
class Scope:
    """`limited`: only granted paths. Otherwise all paths are open that no row of the table covers."""

    agent: Agent
    team: Team
    grants: tuple[Grant, ...]
    rows: tuple[sources.Entry, ...]
    limited: bool

    @property
    def display_paths(self) -> tuple[str, ...]:
        granted = tuple(dict.fromkeys(each for grant in self.grants for each in grant.patterns))
        return granted if self.limited else (*granted, "files that are not the team's own")

    def may_write(self, path: str) -> bool:
        """Returns whether the agent may write an absolute path with links resolved."""
        if any(matches_path(each, path.replace("\\", "/")) is True for each in self._absolute_globs()):
            return True
        row = self.find_row(path)
        if row is not None:
            whose = find_file_owner(self.team.inner_path(path) or "")
            return self._is_table_used and sources.may_write(row, self.agent.name, self.agent.role, whose)
        return not self.limited

    def find_row(self, path: str) -> sources.Entry | None:
        """Returns the first row of the table that covers a file."""
        unified = path.replace("\\", "/")
        for row in self.rows:
            if any(matches_path(each, unified) is True for each in _expand_glob(row.pattern, self.team)):
                return row
        return None

    def is_folder_covered(self, folder: str) -> bool:
        return any(overlaps_pattern(each, folder, "**") is True for each in self._absolute_globs())

    @property
    def _is_table_used(self) -> bool:
        return not self.agent.writes

    def _absolute_globs(self) -> tuple[str, ...]:
        return tuple(each for grant in self.grants for pattern in grant.patterns for each in _expand_glob(pattern, self.team))


def find_scope(agent: Agent, additional: Mapping[str, tuple[str, ...]], context: RuleContext) -> Scope:
    """Returns an agent's scope: what it was started with, else what its charter and the table grant. `policies.json` adds to
    either."""
    return compute_once(context.world, ("scope", agent, *additional.items()), lambda: _build_scope(agent, additional, context))


def _build_scope(agent: Agent, additional: Mapping[str, tuple[str, ...]], context: RuleContext) -> Scope:
    grants: list[Grant] = []
    if agent.writes:
        grants.append(Grant(agent.writes, "what it was started with"))
    elif agent.name and (owned := sources.parse_owned_paths(read_charter(context, agent.name))):
        grants.append(Grant(owned, "its charter"))
    more = tuple(each for name, paths in additional.items() if agent.has_name(name) for each in paths)
    if more:
        grants.append(Grant(more, "policies.json"))
    limited = bool(grants)
    if not agent.writes:
        grants.append(Grant(tuple(_list_table_grants(agent, context)), "the Source-of-Truth table"))
    return Scope(agent, find_team(context), tuple(grants), read_ownership_table(context), limited)


def _list_table_grants(agent: Agent, context: RuleContext) -> list[str]:
    """Returns the files that rows of the table grant the agent, for display."""
    found = []
    for row in read_ownership_table(context):
        if sources.may_write(row, agent.name, agent.role, agent.name):
            every = sources.may_write(row, agent.name, agent.role, "")
            pattern = row.pattern.replace("{team}", TEAM_FOLDERS[0])
            found.append(pattern if every else pattern.replace("/agents/*/", f"/agents/{agent.name}/"))
    return found


@lru_cache(512)
def _expand_glob(pattern: str, team: Team) -> tuple[str, ...]:
    """Returns a glob under every folder that it may be relative to."""
    unified = pattern.replace("\\", "/").removeprefix("./")
    if unified.startswith("/"):
        return (unified,)
    if unified.startswith("{team}/"):
        return tuple(f"{folder}{unified.removeprefix('{team}')}" for folder in team.folders)
    return tuple(f"{top.rstrip('/')}/{unified}" for top in team.tops)
