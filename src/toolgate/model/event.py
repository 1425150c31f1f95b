"""What happened, in words that no host owns."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from .action import Action


@dataclass(frozen=True, slots=True)
class Caller:
    """What the host claims. A role is given by policy, never by the name a call chose."""

    host: str
    session: str = ""
    agent: str = ""
    kind: str = ""
    parent: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """Where and for whom it happened. `project` is the folder the session started in, whatever `cwd` is by now.

    `unasked`: the host was told to run calls without asking its user; it may drop a question of ours as well.
    """

    caller: Caller
    cwd: str
    project: str
    home: str
    environ: Mapping[str, str] = field(default_factory=dict)
    user: str = ""
    unasked: bool = False


@dataclass(frozen=True, slots=True)
class ToolCall:
    scene: Scene
    tool: str
    call: str
    action: Action


@dataclass(frozen=True, slots=True)
class ToolResult:
    scene: Scene
    tool: str
    call: str
    action: Action
    response: object


@dataclass(frozen=True, slots=True)
class ToolFailed:
    scene: Scene
    tool: str
    call: str
    error: str


@dataclass(frozen=True, slots=True)
class PermissionRequested:
    """The host is about to ask its user; the call is judged again, because the host may not have asked the gate before."""

    scene: Scene
    tool: str
    call: str
    action: Action


@dataclass(frozen=True, slots=True)
class PromptSubmitted:
    scene: Scene
    prompt: str


@dataclass(frozen=True, slots=True)
class SessionStarted:
    scene: Scene
    source: str


@dataclass(frozen=True, slots=True)
class SessionEnded:
    scene: Scene
    reason: str


@dataclass(frozen=True, slots=True)
class TurnEnding:
    """`again`: the host goes on only because a hook stopped it from ending before."""

    scene: Scene
    again: bool


@dataclass(frozen=True, slots=True)
class SubagentStarted:
    scene: Scene


@dataclass(frozen=True, slots=True)
class SubagentEnded:
    scene: Scene


@dataclass(frozen=True, slots=True)
class Compacting:
    scene: Scene


@dataclass(frozen=True, slots=True)
class ConfigChanged:
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
