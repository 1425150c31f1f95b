"""What happened, in words that no host owns."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from .action import Action


class Caller(NamedTuple):
    """What the host claims. A role is given by policy, never by the name a call chose."""

    host: str
    session: str = ""
    agent: str = ""
    kind: str = ""
    parent: str = ""


class Spawn(NamedTuple):
    """What a program that starts an agent says of it: which of a team it is, and what it was given to work on.

    `role`: coordinator, reviewer, scribe or agent. `phase`: init-phase-1, init-phase-2 or team-mode. `writes`: globs that it may
    write, and nothing else; none: as the team's own files say. `reads`: files it was handed beside its own. `root`: the team's
    folder, where that is not the session's project.
    """

    agent: str = ""
    role: str = ""
    phase: str = ""
    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    root: str = ""


NOT_SPAWNED = Spawn()
AGENT, ROLE, PHASE = "TOOLGATE_AGENT", "TOOLGATE_ROLE", "TOOLGATE_PHASE"
"""Variables that say the same of the agent of a session, where no program does."""


class Scene(NamedTuple):
    """Where and for whom it happened. `project` is the folder the session started in, whatever `cwd` is by now.

    `unasked`: the host was told to run calls without asking its user; it may drop a question of ours as well. `turn` names what
    the user last asked for, where the host tells. `spawn`: what the program that embeds the gate says of the agent.
    """

    caller: Caller
    cwd: str
    project: str
    home: str
    environ: Mapping[str, str] = MappingProxyType({})
    user: str = ""
    unasked: bool = False
    turn: str = ""
    spawn: Spawn = NOT_SPAWNED

    @property
    def session_role(self) -> str:
        """What whoever started the session's agent said that it is, without case."""
        return (self.spawn.role or self.environ.get(ROLE, "")).strip().casefold()

    @property
    def role(self) -> str:
        """The same of whoever calls: a subagent is not what its session is."""
        return "" if self.caller.agent else self.session_role

    @property
    def agent(self) -> str:
        """The agent's name as far as it was said, for people."""
        return self.spawn.agent or self.caller.kind or self.caller.agent or self.environ.get(AGENT, "")


class ToolCall(NamedTuple):
    """`given`: the input as the host sent it, for handing back a changed one in its own words."""

    scene: Scene
    tool: str
    call: str
    action: Action
    given: Mapping[str, object] = MappingProxyType({})


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
    """`again`: the host goes on only because a hook stopped it from ending before."""

    scene: Scene
    again: bool


class SubagentStarted(NamedTuple):
    scene: Scene


class SubagentEnded(NamedTuple):
    scene: Scene


class Compacting(NamedTuple):
    scene: Scene


class ConfigChanged(NamedTuple):
    """A settings file of the host changed; it takes effect unless refused."""

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
    | Compacting
    | ConfigChanged
)
