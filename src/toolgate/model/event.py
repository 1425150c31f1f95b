"""Events, independent of any host."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from .action import Action


class Caller(NamedTuple):
    """The caller, as the host claims. Roles come from the policy, never from the name in a call."""

    host: str
    session: str = ""
    agent: str = ""
    kind: str = ""
    parent: str = ""


class Spawn(NamedTuple):
    """Data from the program that starts an agent: its place in a team, and what it works on.

    `role`: coordinator, reviewer, scribe or agent. `phase`: init-phase-1, init-phase-2 or team-mode. `writes`: the only globs
    it may write; none: as the team's files define. `reads`: files it was given besides its own. `root`: the team's folder, if
    that is not the session's project.
    """

    agent: str = ""
    role: str = ""
    phase: str = ""
    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    root: str = ""


NO_SPAWN = Spawn()
AGENT, ROLE, PHASE = "TOOLGATE_AGENT", "TOOLGATE_ROLE", "TOOLGATE_PHASE"
WRITES, READS = "TOOLGATE_WRITES", "TOOLGATE_READS"
"""Variables with the same data for the agent of a session, if no program gives it. The last two are globs, separated by `:`."""


def _split_globs(text: str) -> tuple[str, ...]:
    return tuple(each for each in text.split(":") if each)


class Scene(NamedTuple):
    """Where and for whom an event happened. `project` is the folder the session started in, whatever `cwd` is now.

    `unasked`: the host runs calls without asking its user, so it may drop the gate's questions as well. `turn`: the user's
    last request, if the host gives it. `spawn`: data on the agent from the program that embeds the gate.
    """

    caller: Caller
    cwd: str
    project: str
    home: str
    environ: Mapping[str, str] = MappingProxyType({})
    user: str = ""
    unasked: bool = False
    turn: str = ""
    spawn: Spawn = NO_SPAWN

    @property
    def session_role(self) -> str:
        """The role of the session's agent, as given by whoever started it, in lower case."""
        return (self.spawn.role or self.environ.get(ROLE, "")).strip().casefold()

    @property
    def session_writes(self) -> tuple[str, ...]:
        """The only globs that the session's agent may write; none: as the team's files define."""
        return self.spawn.writes or _split_globs(self.environ.get(WRITES, ""))

    @property
    def session_reads(self) -> tuple[str, ...]:
        """The files that the session's agent was given besides its own."""
        return self.spawn.reads or _split_globs(self.environ.get(READS, ""))

    @property
    def role(self) -> str:
        """The role of the caller: a subagent does not have its session's role."""
        return "" if self.caller.agent else self.session_role

    @property
    def agent(self) -> str:
        """The agent's name, if known, for people."""
        return self.spawn.agent or self.caller.kind or self.caller.agent or self.environ.get(AGENT, "")


class ToolCall(NamedTuple):
    """`raw_input`: the input as the host sent it, for returning a changed one in the same form."""

    scene: Scene
    tool: str
    call: str
    action: Action
    raw_input: Mapping[str, object] = MappingProxyType({})


class ToolResult(NamedTuple):
    scene: Scene
    tool: str
    call: str
    action: Action
    response: object


class ToolFailed(NamedTuple):
    scene: Scene
    tool: str
    call: str
    error: str


class PermissionRequested(NamedTuple):
    """The host is about to ask its user; the call is judged again, because the host may not have asked the gate before."""

    scene: Scene
    tool: str
    call: str
    action: Action


class PromptSubmitted(NamedTuple):
    scene: Scene
    prompt: str


class SessionStarted(NamedTuple):
    scene: Scene
    source: str


class SessionEnded(NamedTuple):
    scene: Scene
    reason: str


class TurnEnding(NamedTuple):
    """`again`: the host continues only because a hook prevented the end before."""

    scene: Scene
    again: bool


class SubagentStarted(NamedTuple):
    scene: Scene


class SubagentEnded(NamedTuple):
    scene: Scene


class CompactionStarted(NamedTuple):
    scene: Scene


class ConfigChanged(NamedTuple):
    """A settings file of the host changed; the change takes effect unless refused."""

    scene: Scene
    source: str
    path: str


Event = (
    ToolCall
    | ToolResult
    | ToolFailed
    | PermissionRequested
    | PromptSubmitted
    | SessionStarted
    | SessionEnded
    | TurnEnding
    | SubagentStarted
    | SubagentEnded
    | CompactionStarted
    | ConfigChanged
)
