"""Determines what an agent may write, and which source grants it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from toolgate.model.glob import matches, overlaps
from toolgate.model.rule import Context

from . import FOLDERS, Agent, Team, charter, once, owner, sources, table, team


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
    def shown(self) -> tuple[str, ...]:
        granted = tuple(dict.fromkeys(each for grant in self.grants for each in grant.patterns))
        return granted if self.limited else (*granted, "what is no file of the team's own")

    def allows(self, path: str) -> bool:
        """Returns whether the agent may write an absolute path with links resolved."""
        if any(matches(each, path.replace("\\", "/")) is True for each in self._absolute()):
            return True
        row = self.row(path)
        if row is not None:
            whose = owner(self.team.inner(path) or "")
            return self._by_table and sources.may_write(row, self.agent.name, self.agent.role, whose)
        return not self.limited

    def row(self, path: str) -> sources.Entry | None:
        """Returns the first row of the table that covers a file."""
        unified = path.replace("\\", "/")
        for row in self.rows:
            if any(matches(each, unified) is True for each in _spread(row.pattern, self.team)):
                return row
        return None

    def holds_all_beneath(self, folder: str) -> bool:
        return any(overlaps(each, folder, "**") is True for each in self._absolute())

    @property
    def _by_table(self) -> bool:
        return not self.agent.writes

    def _absolute(self) -> tuple[str, ...]:
        return tuple(each for grant in self.grants for pattern in grant.patterns for each in _spread(pattern, self.team))


def scope_of(me: Agent, additional: Mapping[str, tuple[str, ...]], context: Context) -> Scope:
    """Returns an agent's scope: what it was started with, else what its charter and the table grant. `policies.json` adds to
    either."""
    return once(context.world, ("scope", me, *additional.items()), lambda: _scope_of(me, additional, context))


def _scope_of(me: Agent, additional: Mapping[str, tuple[str, ...]], context: Context) -> Scope:
    grants: list[Grant] = []
    if me.writes:
        grants.append(Grant(me.writes, "what it was started with"))
    elif me.name and (owned := sources.owned(charter(context, me.name))):
        grants.append(Grant(owned, "its charter"))
    more = tuple(each for name, paths in additional.items() if me.is_called(name) for each in paths)
    if more:
        grants.append(Grant(more, "policies.json"))
    limited = bool(grants)
    if not me.writes:
        grants.append(Grant(tuple(_of_the_table(me, context)), "the Source-of-Truth table"))
    return Scope(me, team(context), tuple(grants), table(context), limited)


def _of_the_table(me: Agent, context: Context) -> list[str]:
    """Returns the files that rows of the table grant the agent, for display."""
    found = []
    for row in table(context):
        if sources.may_write(row, me.name, me.role, me.name):
            every = sources.may_write(row, me.name, me.role, "")
            pattern = row.pattern.replace("{team}", FOLDERS[0])
            found.append(pattern if every else pattern.replace("/agents/*/", f"/agents/{me.name}/"))
    return found


@lru_cache(512)
def _spread(pattern: str, own: Team) -> tuple[str, ...]:
    """Returns a glob under every folder that it may be relative to."""
    unified = pattern.replace("\\", "/").removeprefix("./")
    if unified.startswith("/"):
        return (unified,)
    if unified.startswith("{team}/"):
        return tuple(f"{folder}{unified.removeprefix('{team}')}" for folder in own.folders)
    return tuple(f"{top.rstrip('/')}/{unified}" for top in own.tops)
