"""The shape of a policy file, key by key: msgspec checks it, and `policy schema` exports it for editors.

Imported only where a policy file is read; hook calls use the compiled policy instead.
"""

from typing import Annotated, Any, Literal, TypeVar

from msgspec import Meta, Struct

from toolgate.designs import MessageForm
from toolgate.model.rule import SessionErrorHandling

VerdictWord = Literal["pass", "warn", "ask", "deny"]
Raised = Literal["warn", "ask", "deny"]
ModeWord = Literal["closed", "warn"]
Pattern = Annotated[str, Meta(min_length=1, max_length=200)]
Sentence = Annotated[str, Meta(min_length=1, max_length=300)]
Examples = Annotated[list[Annotated[str, Meta(min_length=1, max_length=1000)]], Meta(max_length=20)]
Bytes = Annotated[str, Meta(pattern=r"^\d{1,9}(\.\d)? ?([kMGT]?B|bytes)$")]
Id = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9-]*(\.[a-z0-9][a-z0-9-]*)*$", max_length=60)]


class RateLimit(Struct, frozen=True, forbid_unknown_fields=True):
    """`rate_limit = {calls = 10, seconds = 60}`: the rule matches only from the first call over the limit."""

    calls: Annotated[int, Meta(ge=0, le=10_000)]
    seconds: Annotated[float, Meta(gt=0, le=31_536_000)]


class Rule(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`[rules."git.force-push"]`: the verdict of a rule's matches."""

    verdict: Annotated[VerdictWord | None, Meta(description="the verdict of a sure match")] = None
    unsure: Annotated[VerdictWord | None, Meta(description="the verdict of an unsure match; follows a lowered verdict")] = None
    options: Annotated[dict[str, Any], Meta(description="the rule's own options; see its page")] = {}
    rate_limit: Annotated[
        RateLimit | None, Meta(description="the rule matches only beyond this number of calls in this number of seconds")
    ] = None


class RaisedRule(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`[rules]` in a project's file, which can only raise verdicts."""

    verdict: VerdictWord | None = None
    unsure: VerdictWord | None = None


class Floor(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`[floors."gate.tamper"]`: only for the owner of the highest layer, by name, with a reason that `doctor` shows."""

    verdict: VerdictWord
    reason: Annotated[str, Meta(min_length=10, max_length=300)]
    unsure: VerdictWord | None = None


class On(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The conditions of a written rule. All of them must hold for one effect."""

    operation: Annotated[Pattern, Meta(description="name of an operation, as a glob: git.*")] = ""
    program: Annotated[Pattern, Meta(description="name of a program, or its path")] = ""
    path: Annotated[Pattern, Meta(description="a glob; ~ is your home, a relative one is inside the project")] = ""
    connect: Annotated[Pattern, Meta(description="a host, as a glob: *.internal")] = ""
    zone: Annotated[
        Pattern, Meta(description="a zone of any place that the same command touches: outside, home, system, credentials ...")
    ] = ""
    text: Annotated[Pattern, Meta(description="a re2 expression on the command's text")] = ""


class Written(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`[[rule]]`: a rule of your own."""

    id: Id
    on: On
    verdict: Raised
    reason: Sentence
    unsure: VerdictWord | None = None
    instead: Annotated[str, Meta(max_length=300)] = ""
    rate_limit: Annotated[
        RateLimit | None, Meta(description="the rule matches only beyond this number of calls in this number of seconds")
    ] = None
    stops: Annotated[Examples, Meta(description="commands that the rule must stop, checked when the file is read")] = []
    leaves: Annotated[Examples, Meta(description="commands that the rule must pass, checked when the file is read")] = []


class Project(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`[project."~/code/api".rules]`: settings for one project, and for everything inside its folder."""

    rules: dict[str, Rule] = {}


class Zones(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`[zones]`: folders or globs; `~` is your home."""

    safe: Annotated[
        list[Pattern], Meta(max_length=200, description="folders in which writing and deleting is allowed as in the project")
    ] = []
    blocked: Annotated[
        list[Pattern], Meta(max_length=200, description="folders in which nothing may be written, deleted or moved")
    ] = []


class BlockedZones(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`[zones]` in a project's file, which can only tighten."""

    blocked: Annotated[list[Pattern], Meta(max_length=200)] = []


class Limits(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`[limits]`: how much that git does not hold may be deleted in a session before a question."""

    delete_files: Annotated[int, Meta(ge=0, description="files")] | None = None
    delete_bytes: Annotated[Bytes, Meta(description='bytes of those files: "50 MB"')] | None = None


class Network(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`[network]`: hosts of your own, which may receive what the project's remotes may."""

    trusted: Annotated[
        list[Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,250}$")]],
        Meta(max_length=200, description='hosts, or the ends of their names: "corp.example"'),
    ] = []


class Undo(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`[undo]`: how much is kept of what calls delete and overwrite. `undo = "off"` instead: nothing."""

    max_entries: Annotated[int, Meta(ge=0, le=100_000, description="files and folders of one call")] | None = None
    max_bytes: Annotated[Bytes, Meta(description='bytes of one call: "200 MB"')] | None = None
    total_bytes: Annotated[Bytes, Meta(description='bytes of all calls together: "2 GB"')] | None = None
    keep_days: Annotated[float, Meta(ge=0, le=365, description="days until a copy may be deleted")] | None = None


class Audit(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`[audit]`: what a record holds of a call, how much of the log is kept, and where its checkpoints are kept."""

    operations: Annotated[
        Literal["full", "shape", "none"] | None,
        Meta(description="the redacted command, path or URL; the names of programs alone; or nothing of it"),
    ] = None
    checkpoint: Annotated[
        str, Meta(pattern="^((/|~/|https://).+)?$", description="a file or an https address that gets a checkpoint of the log")
    ] = ""
    keep_days: Annotated[int, Meta(ge=1, le=3650, description="days until a file of the log is removed")] | None = None
    keep_bytes: Annotated[Bytes, Meta(description='bytes of the log: "500 MB"')] | None = None


class SecretPattern(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`[[redaction.pattern]]`: a kind of secret of your own."""

    kind: Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9-]{1,39}$", description="the name of the kind in a placeholder")]
    match: Annotated[Pattern, Meta(description="a re2 expression; everything that it matches is redacted")]


class LeftAlone(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """`[redaction.exclude]`: texts that look like secrets and are none."""

    values: Annotated[list[str], Meta(description="whole values that are not secret, in upper or lower case")] = []
    domains: Annotated[list[str], Meta(description="domains whose addresses are not personal: corp.example")] = []
    paths: Annotated[list[Pattern], Meta(description="files that are not searched, as globs: tests/fixtures/**")] = []


PersonalKind = Literal["email", "card", "iban", "phone", "ssn"]


class ProjectRedaction(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """`[redaction]` in a project's file, which can only add to the search."""

    personal: Annotated[list[PersonalKind], Meta(description="personal data that is looked for beside secrets")] = []
    pattern: Annotated[list[SecretPattern], Meta(max_length=50)] = []


class Redaction(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """`[redaction]`: which texts are redacted, and which are not."""

    personal: Annotated[
        list[PersonalKind] | None, Meta(description="personal data that is looked for beside secrets; email when left out")
    ] = None
    pattern: Annotated[list[SecretPattern], Meta(max_length=200)] = []
    exclude: LeftAlone = LeftAlone()


class ProjectTool(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`[mcp."server".tool]` in a project's file: what a tool does, without any text of the file itself.

    A value is the name of an argument, `options.path` a field of it, `files[]` each element of a list, `a|b` the first that
    exists.
    """

    read: Annotated[Pattern, Meta(description="paths that are read")] = ""
    write: Annotated[Pattern, Meta(description="paths that are written")] = ""
    content: Annotated[Pattern, Meta(description="what is written there")] = ""
    delete: Annotated[Pattern, Meta(description="paths that are deleted, with what is in them")] = ""
    move: Annotated[Pattern, Meta(description="paths that are moved")] = ""
    to: Annotated[Pattern, Meta(description="where they are moved to")] = ""
    connect: Annotated[Pattern, Meta(description="addresses that are connected to")] = ""
    shell: Annotated[Pattern, Meta(description="command lines that a shell runs")] = ""
    cwd: Annotated[Pattern, Meta(description="the folder it runs them in")] = ""
    operation: Annotated[Pattern, Meta(description="the name of an operation: database.drop")] = ""
    target: Annotated[Pattern, Meta(description="what it is done to")] = ""


class Tool(ProjectTool):
    """`[mcp."server".tool]`: what a tool of an MCP server does, by its arguments."""

    run: Annotated[
        list[Pattern],
        Meta(min_length=1, max_length=40, description="the program that does the same, word by word; {argument} is put in"),
    ] = []


Row = TypeVar("Row", bound=ProjectTool)
_SERVER_LIMITS = Meta(max_length=200)
_SERVERS_LIMITS = Meta(max_length=100, description="what tools of MCP servers do, by the server's and the tool's name")
Tools = Annotated[dict[str, Annotated[dict[str, Row], _SERVER_LIMITS]], _SERVERS_LIMITS]


class Switches(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The keys that a profile, an organisation and a user share."""

    human: Annotated[bool | None, Meta(description="false: unattended, so every ask becomes a deny")] = None
    cap: Annotated[
        Raised | None, Meta(description="the strictest verdict, except for floors; warn: only observe, without telling the agent")
    ] = None
    ask_through: Annotated[
        Literal["host", "code"] | None, Meta(description="host: its own question where it has one; code: a message to the user")
    ] = None
    messages: Annotated[MessageForm | None, Meta(description="the format of messages to the agent")] = None
    agent_may_confirm: Annotated[bool | None, Meta(description="true: the agent may confirm that its user agreed")] = None
    answers: Annotated[Literal["current", "legacy"] | None, Meta(description="legacy: refusals in the hosts' first format")] = (
        None
    )
    max_questions: Annotated[int | None, Meta(description="questions to the user for each session and agent; 0: none")] = None
    shortest_answer: Annotated[
        int | None, Meta(description="characters; a shorter answer is passed on with a note to the agent")
    ] = None
    on_error: Annotated[ModeWord | None, Meta(description="when the gate itself fails")] = None
    on_timeout: Annotated[ModeWord | None, Meta(description="when judging takes longer than the deadline")] = None
    on_missing_context: Annotated[ModeWord | None, Meta(description="when information that a rule needs is missing")] = None
    on_store_error: Annotated[ModeWord | None, Meta(description="when the state cannot be read or written")] = None
    on_session_error: Annotated[
        SessionErrorHandling | None,
        Meta(description="what the Copilot SDK is told to do after an error of the session; host: what it does by itself"),
    ] = None
    log: Annotated[Literal["off", "interventions", "decisions"] | None, Meta(description="what the audit records")] = None
    audit: Audit | None = None
    zones: Zones | None = None
    limits: Limits | None = None
    network: Network | None = None
    redact: Annotated[Literal["on", "off"] | None, Meta(description="redact secrets in the output of tools")] = None
    placeholders: Annotated[
        Literal["keyed", "labels"] | None, Meta(description="[REDACTED:kind:1a2b3c4d], or [KIND REDACTED]")
    ] = None
    addresses: Annotated[
        Literal["people", "all"] | None, Meta(description="all: addresses of example domains and robots are redacted too")
    ] = None
    on_credential_print: Annotated[
        Literal["ask", "withhold"] | None,
        Meta(description="withhold: a shell command that is stopped only for printing a secret runs, and its output is dropped"),
    ] = None
    wrap_commands: Annotated[
        bool | None, Meta(description="run shell commands through a filter, so that the output of failed ones is redacted too")
    ] = None
    rewrite: Annotated[
        bool | None, Meta(description="run a stopped command without the word that it is stopped for, if the rest passes")
    ] = None
    journal: Annotated[
        Literal["none", "security-audit", "safety-hook"] | None,
        Meta(description="a design's own log beside the audit: denials by a team's P0 policies, or a line for every decision"),
    ] = None
    undo: Annotated[
        Literal["on", "off"] | Undo | None,
        Meta(description='keep a copy of what a call would lose, for toolgate undo; "off", or a table of limits'),
    ] = None
    answer_prompts: Annotated[
        Literal["off", "read-only", "granted"] | None,
        Meta(description="answer the host's own question where every effect is proven: to read only, or to be granted"),
    ] = None
    redaction: Redaction = Redaction()
    rules: dict[str, Rule] = {}


class ProfileFile(Switches, kw_only=True):
    """A profile that the package ships."""

    description: str
    extends: list[str] = []
    other: Annotated[VerdictWord | None, Meta(description="the verdict of every rule that the profile does not mention")] = None
    workplaces: Annotated[list[str], Meta(description="zones that count as inside the project")] = []
    names: Annotated[dict[str, str], Meta(description="the design's names of rules")] = {}
    at_least: Annotated[Raised | None, Meta(description="the minimum verdict of every rule")] = None


Store = Annotated[
    str,
    Meta(
        pattern="^((postgres(ql)?://|sqlite:/).*)?$",
        description="the store of state: postgresql://... or sqlite:/file; put its password into ~/.pgpass",
    ),
]


Wrappers = Annotated[
    dict[
        Annotated[str, Meta(pattern=r"^[\w.+@-]{1,80}$")],
        Annotated[list[Annotated[str, Meta(pattern=r"^--?[\w-]{1,40}(,--?[\w-]{1,40})*=?$")]], Meta(max_length=100)],
    ],
    Meta(
        max_length=100,
        description="programs that run the command they are given: name = [options], `=` after one with a value",
    ),
]


class OrganisationFile(Switches):
    """`/etc/toolgate/policy.toml`."""

    profile: str = ""
    store: Store = ""
    wrappers: Wrappers = {}
    rule: Annotated[list[Written], Meta(max_length=1000)] = []
    mcp: Tools[Tool] = {}
    floors: dict[str, Floor] = {}
    users_may_lower: Annotated[
        list[Pattern], Meta(description="rules and keys, as globs, that a user's file may loosen; none when left out")
    ] = []


class UserFile(Switches):
    """`$XDG_CONFIG_HOME/toolgate/policy.toml`."""

    profile: str = ""
    store: Store = ""
    wrappers: Wrappers = {}
    rule: Annotated[list[Written], Meta(max_length=1000)] = []
    mcp: Tools[Tool] = {}
    floors: dict[str, Floor] = {}
    project: dict[str, Project] = {}


class ProjectFile(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """`<project>/.toolgate/policy.toml`: only raises verdicts and adds rules and effects: strangers may write it."""

    rules: Annotated[dict[str, RaisedRule], Meta(max_length=300)] = {}
    rule: Annotated[list[Written], Meta(max_length=100)] = []
    zones: BlockedZones | None = None
    redaction: ProjectRedaction = ProjectRedaction()
    mcp: Tools[ProjectTool] = {}


SETTING_TABLES: tuple[tuple[str, type[Struct]], ...] = (
    ("limits", Limits),
    ("network", Network),
    ("undo", Undo),
    ("audit", Audit),
)
"""Tables of settings that an organisation's and a user's file may have."""

FILES: dict[str, type[OrganisationFile | UserFile | ProjectFile]] = {
    "organisation": OrganisationFile,
    "user": UserFile,
    "project": ProjectFile,
}
