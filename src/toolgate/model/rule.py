"""A rule's row in the table, what a policy makes of it, and what a rule may look at."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from .decision import Rate, Verdict
from .effect import Effects
from .event import Scene
from .place import WORKPLACES, Workplaces
from .plan import Plan
from .state import EMPTY_DOCUMENT, Document, Key
from .world import World


class Row(NamedTuple):
    """`triggers`: kinds of effect, or names of operations. `unsure` is the verdict where only running it would tell.

    `floor`: verdicts for sure and for unsure that nothing lowers.
    """

    triggers: tuple[str, ...]
    verdict: Verdict
    unsure: Verdict
    floor: tuple[Verdict, Verdict] = (Verdict.PASS, Verdict.PASS)


def on(
    *triggers: str, verdict: Verdict, unsure: Verdict | None = None, floor: tuple[Verdict, Verdict] = (Verdict.PASS, Verdict.PASS)
) -> Row:
    return Row(triggers, verdict, verdict if unsure is None else unsure, floor)


NO_OPTIONS: Mapping[str, object] = {}


class Ruling(NamedTuple):
    """How bad a rule's matches are under the policy in force, and the rule's own options. `rate`: from the call on that is one
    too many."""

    verdict: Verdict
    unsure: Verdict
    options: Mapping[str, object] = NO_OPTIONS
    rate: Rate | None = None


Mode = Literal["closed", "warn"]
Author = Literal["organisation", "user", "project"]


class LoweredFloor(NamedTuple):
    """A floor that the owner of the highest layer lowered by name. `doctor` shows it, its reason and the file it stands in."""

    sure: Verdict
    unsure: Verdict
    reason: str
    file: str


class Redaction(NamedTuple):
    """What is looked for in texts beside the secrets that toolgate knows, and what of it is left alone.

    `personal`: kinds of personal data. `patterns`: pairs (kind, re2 expression). `values`, `domains`, `paths` (globs) are none.
    """

    personal: tuple[str, ...] = ("email",)
    patterns: tuple[tuple[str, str], ...] = ()
    values: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


NOTHING_MORE = Redaction()


class DescribedTool(NamedTuple):
    """What a tool of an MCP server does, by a policy's word. `does` is a row as `tools/*.toml` has them; `file`: where it stands.

    `adds`: by somebody who may not loosen, so that nothing else that is known or guessed of the tool falls away for it.
    """

    server: str
    tool: str
    does: Mapping[str, str | tuple[str, ...]]
    file: str
    adds: bool


class UndoLimits(NamedTuple):
    """How much the undo store takes. `max_entries`, `max_bytes`: files and folders of one call, and their bytes.
    `total_bytes`: of all calls together. `keep_days`: until a copy may be deleted."""

    max_entries: float = 5_000
    max_bytes: float = 200_000_000
    total_bytes: float = 2_000_000_000
    keep_days: float = 7


UNDO_LIMITS = UndoLimits()


@dataclass(frozen=True, slots=True)
class Policy:
    """The effective policy: a value. `rulings` holds the rules that differ from their row; `written` the users' own rules.

    `places`: where an agent is meant to work. `names`: what a design calls the rules, for its own messages and logs.
    `cap`: no verdict above it but floors; below DENY it is an observer's, and the agent is not told. `human`: is anybody there to
    be asked? `ask_through`: by the host's own question where it has one, or always by a message with a code. `messages`: in
    whose form an agent is told. `agent_may_confirm`: may the agent say that its user agreed? `max_questions` of a session and
    agent to the user, `shortest_answer` in characters. `audit`: what is
    recorded. `redact`: are secrets hidden in what tools print, by which `placeholders`, and whose `addresses` are personal?
    `wrap_commands`: do shell commands run through a filter that hides them, too? `rewrite`: does a stopped command run without
    the word that it is stopped for, where the rest of it passes? `journal`: a design's own log that is kept
    beside the audit. `tools`: what tools of MCP servers do, beside what is known of them. `wrappers`: programs that run the
    command they are given, and their options as a row has them. `store`: the URL of what keeps
    state; empty: a file of the user's. `store_is_fixed`: no variable names another. `undo`: is a copy kept of what a call would
    lose, within `undo_limits`? `answer_prompts`: the host's own questions that are answered where every effect is proven.
    `confirmed`: rules whose default verdict a layer states by itself. `degraded`: a layer is broken
    and has no last good version, so that every call that does more than read asks. `notices` are for the user, once a session.
    """

    profile: str = "default"
    rulings: Mapping[str, Ruling] = field(default_factory=dict)
    floors: Mapping[str, LoweredFloor] = field(default_factory=dict)
    written: "tuple[WrittenRule, ...]" = ()
    places: Workplaces = WORKPLACES
    names: Mapping[str, str] = field(default_factory=dict)
    cap: Verdict = Verdict.DENY
    human: bool = True
    ask_through: Literal["host", "code"] = "host"
    messages: Literal["plain", "guardrail"] = "plain"
    agent_may_confirm: bool = False
    answers: Literal["current", "legacy"] = "current"
    max_questions: int | None = None
    shortest_answer: int = 10
    on_error: Mode = "closed"
    on_timeout: Mode = "closed"
    on_missing_context: Mode = "closed"
    on_store_error: Mode = "closed"
    audit: Literal["interventions", "decisions", "off"] = "decisions"
    redact: Literal["on", "off"] = "on"
    placeholders: Literal["keyed", "labels"] = "keyed"
    addresses: Literal["people", "all"] = "people"
    wrap_commands: bool = False
    rewrite: bool = False
    journal: Literal["none", "security-audit", "safety-hook"] = "none"
    redaction: Redaction = NOTHING_MORE
    tools: tuple[DescribedTool, ...] = ()
    wrappers: tuple[tuple[str, str], ...] = ()
    notices: tuple[str, ...] = ()
    store: str = ""
    store_is_fixed: bool = False
    undo: Literal["on", "off"] = "on"
    undo_limits: UndoLimits = UNDO_LIMITS
    answer_prompts: Literal["off", "read-only", "granted"] = "off"
    confirmed: tuple[str, ...] = ()
    degraded: bool = False
    digest: str = ""

    def __hash__(self) -> int:
        return hash(self.digest)

    def ruling(self, rule: str, row: Row) -> Ruling:
        """What this policy makes of a rule of the table; floors are in it already."""
        return self.rulings.get(rule) or Ruling(row.verdict, row.unsure)

    def floor(self, rule: str, row: Row) -> tuple[Verdict, Verdict]:
        """What no cap and no mode goes below, for sure and for unsure."""
        lowered = self.floors.get(rule)
        return (lowered.sure, lowered.unsure) if lowered else row.floor


class WrittenRule(NamedTuple):
    """A rule that a user wrote in the policy. Every condition given must hold for one effect.

    `author` is the layer it came from: what a project's file says is quoted to the agent as the project's words.
    `unsure` None: the verdict, but ASK at most.
    """

    id: str
    verdict: Verdict
    reason: str
    author: Author
    operation: str = ""
    program: str = ""
    path: str = ""
    connect: str = ""
    text: str = ""
    zone: str = ""
    unsure: Verdict | None = None
    instead: str = ""
    rate: Rate | None = None


def nothing_remembered(_key: Key) -> Document:
    """Where there is no store to ask."""
    return EMPTY_DOCUMENT


class Context(Protocol):
    """What a rule sees beside the one effect it is asked about."""

    def remembered(self, key: Key, /) -> Document:
        """A document of the store, which is opened for it. Raises StoreError."""

    @property
    def redaction(self) -> Redaction: ...

    @property
    def store(self) -> str:
        """The URL of the store; empty where it is a file of the user's."""

    @property
    def effects(self) -> Effects: ...

    @property
    def scene(self) -> Scene: ...

    @property
    def world(self) -> World: ...

    @property
    def plan(self) -> Plan | None:
        """What the work was agreed to be; None where nothing was."""
