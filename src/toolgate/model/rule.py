"""Rules: a row of the table, a policy's ruling on it, and the context a rule may read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple, Protocol

from toolgate.designs import MessageForm

from .decision import Rate, Verdict
from .effect import Effects
from .event import Scene
from .place import WORKPLACES, Workplaces
from .plan import Plan
from .store import EMPTY_DOCUMENT, Document, Key
from .world import World


class RuleRow(NamedTuple):
    """`triggers`: kinds of effect, or names of operations. `unsure`: the verdict if only running it would tell.

    `floor`: verdicts for sure and for unsure that nothing lowers. `strictest`: pairs (option, value): a layer that may not lower
    the rule may still set these options to these values.
    """

    triggers: tuple[str, ...]
    verdict: Verdict
    unsure: Verdict
    floor: tuple[Verdict, Verdict] = (Verdict.PASS, Verdict.PASS)
    strictest: tuple[tuple[str, object], ...] = ()


def rule_row(
    *triggers: str,
    verdict: Verdict,
    unsure: Verdict | None = None,
    floor: tuple[Verdict, Verdict] = (Verdict.PASS, Verdict.PASS),
    strictest: Mapping[str, object] = MappingProxyType({}),
) -> RuleRow:
    return RuleRow(triggers, verdict, verdict if unsure is None else unsure, floor, tuple(strictest.items()))


NO_OPTIONS: Mapping[str, object] = {}


class Ruling(NamedTuple):
    """The severity of a rule's matches under the policy in force, and the rule's options. `rate`: the number of calls after
    which it applies."""

    verdict: Verdict
    unsure: Verdict
    options: Mapping[str, object] = NO_OPTIONS
    rate: Rate | None = None


Mode = Literal["closed", "warn"]
SessionErrorHandling = Literal["host", "retry", "skip", "abort"]
Author = Literal["organisation", "user", "project"]


class LoweredFloor(NamedTuple):
    """A floor that the owner of the highest layer lowered by name. `doctor` shows it with its reason and file."""

    sure: Verdict
    unsure: Verdict
    reason: str
    file: str


class Redaction(NamedTuple):
    """What is redacted besides the secrets that toolgate knows, and exceptions.

    `personal`: kinds of personal data. `patterns`: pairs (kind, re2 expression). Exceptions: `values`, `domains`, `paths`
    (globs). `replacements`: pairs (kind, text that replaces the value); other kinds are replaced by the policy's placeholders.
    """

    personal: tuple[str, ...] = ("email",)
    patterns: tuple[tuple[str, str], ...] = ()
    values: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    replacements: tuple[tuple[str, str], ...] = ()


DEFAULT_REDACTION = Redaction()


class DescribedTool(NamedTuple):
    """The effects of an MCP server's tool, as a policy describes them. `does`: a row as in `tools/*.toml`; `file`: its source.

    `adds`: described by an author who may not loosen, so it is added to what is known or guessed of the tool.
    """

    server: str
    tool: str
    does: Mapping[str, str | tuple[str, ...]]
    file: str
    adds: bool


class UndoLimits(NamedTuple):
    """Limits of the undo store. `max_entries`, `max_bytes`: files and folders of one call, and their bytes. `total_bytes`: of
    all calls together. `keep_days`: after which a copy may be deleted."""

    max_entries: float = 5_000
    max_bytes: float = 200_000_000
    total_bytes: float = 2_000_000_000
    keep_days: float = 7


UNDO_LIMITS = UndoLimits()


class LogLimits(NamedTuple):
    """Limits of the audit log: its files older than `keep_days`, and the oldest ones beyond `keep_bytes`, are removed."""

    keep_days: float = 90
    keep_bytes: float = 500_000_000


LOG_LIMITS = LogLimits()


@dataclass(frozen=True, slots=True)
class Policy:
    """The effective policy: a value. `rulings`: rules that differ from their row; `written`: the users' own rules.

    `places`: where an agent is meant to work. `names`: a design's names for the rules, for its messages and logs. `cap`: the
    maximum verdict, except for floors; below DENY the policy only observes, and the agent is not told. `human`: somebody is
    there to be asked. `ask_through`: the host's own question if it has one, or always a message with a code. `messages`: the
    form of messages to the agent. `agent_may_confirm`: the agent may report that its user agreed. `max_questions`: of a
    session and agent to the user; `shortest_answer`: in characters. `audit`: what is recorded. `operations`: what a record holds
    of the call's text; `checkpoint`: where checkpoints of the log are kept; `log_limits`: how much of it is kept. `redact`:
    secrets in the output of tools are hidden, by `placeholders`; `addresses`: which e-mail addresses are personal.
    `on_credential_print`: a command that prints a secret asks, or runs with its output withheld.
    `wrap_commands`: shell commands run through a filter that redacts their output. `rewrite`: a stopped command runs without the
    word it is stopped for, if the rest passes. `journal`: a design's own log besides the audit. `tools`: effects of MCP servers'
    tools, besides the known ones. `wrappers`: programs that run the command they are given, with their options as in a row.
    `store`: the URL of the store; empty: a file of the user's. `store_is_fixed`: no variable overrides it. `undo`: copies are
    kept of what a call would lose, within `undo_limits`. `answer_prompts`: which of the host's own questions are answered where
    every effect is proven. `confirmed`: rules whose default verdict a layer states explicitly. `degraded`: a layer is broken and
    has no last good version, so every call that does more than read asks. `notices`: for the user, once a session.
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
    messages: MessageForm = "plain"
    agent_may_confirm: bool = False
    answers: Literal["current", "legacy"] = "current"
    max_questions: int | None = None
    shortest_answer: int = 10
    on_error: Mode = "closed"
    on_timeout: Mode = "closed"
    on_missing_context: Mode = "closed"
    on_store_error: Mode = "closed"
    on_session_error: SessionErrorHandling = "host"
    audit: Literal["interventions", "decisions", "off"] = "decisions"
    redact: Literal["on", "off"] = "on"
    placeholders: Literal["keyed", "labels"] = "keyed"
    addresses: Literal["people", "all"] = "people"
    on_credential_print: Literal["ask", "withhold"] = "ask"
    wrap_commands: bool = False
    rewrite: bool = False
    operations: Literal["full", "shape", "none"] = "full"
    checkpoint: str = ""
    log_limits: LogLimits = LOG_LIMITS
    journal: Literal["none", "security-audit", "safety-hook"] = "none"
    redaction: Redaction = DEFAULT_REDACTION
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

    def ruling_for(self, rule: str, row: RuleRow) -> Ruling:
        """Returns this policy's ruling on a rule of the table; floors are included."""
        return self.rulings.get(rule) or Ruling(row.verdict, row.unsure)

    def floor_for(self, rule: str, row: RuleRow) -> tuple[Verdict, Verdict]:
        """Returns the minimum verdicts, for sure and for unsure, that no cap and no mode lowers."""
        lowered = self.floors.get(rule)
        return (lowered.sure, lowered.unsure) if lowered else row.floor


class WrittenRule(NamedTuple):
    """A rule that a user wrote in the policy. Every given condition must match one effect.

    `author`: the layer it came from: a project's text is quoted to the agent as the project's. `unsure` None: the verdict,
    but ASK at most.
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


def load_no_document(_key: Key) -> Document:
    """Returns the empty document, if there is no store."""
    return EMPTY_DOCUMENT


class RuleContext(Protocol):
    """What a rule may read besides the effect it checks."""

    def load_document(self, key: Key, /) -> Document:
        """Returns a document of the store, which it opens. Raises StoreError."""

    @property
    def redaction(self) -> Redaction: ...

    @property
    def store(self) -> str:
        """The URL of the store; empty for a file of the user's."""

    @property
    def effects(self) -> Effects: ...

    @property
    def scene(self) -> Scene: ...

    @property
    def world(self) -> World: ...

    @property
    def plan(self) -> Plan | None:
        """The plan agreed on for the work; None if there is none."""
