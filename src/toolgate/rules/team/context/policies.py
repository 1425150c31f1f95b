"""Maps the eighteen policies of the team design that are enforced instead of prompted to the rules that enforce each."""

from typing import Literal, NamedTuple

from toolgate.designs import TEAM_FOLDERS

Priority = Literal["P0", "P1", "P2"]

SHELL_RULES = (
    "device.destroy", "device.write", "filesystem.delete-protected", "filesystem.delete-recursive", "git.clean", "git.discard",
    "git.hard-reset", "git.rebase", "git.rewrite-history", "network.download-and-run", "packages.publish", "resources.fork-bomb",
)  # fmt: skip
"""The rules that cover the design's list of shell patterns."""


class Policy(NamedTuple):
    """`rules`: empty where a setting enforces it (`by`). `spoken`: expressions that find the policy in a prompt, each enough.
    `reminder`: what a prompt still has to say, because an agent that does not know it would be stopped again and again; `to`: its
    audience, everybody where empty."""

    id: str
    what: str
    priority: Priority
    rules: tuple[str, ...]
    spoken: tuple[str, ...]
    reminder: str = ""
    to: Literal["", "coordinator", "agent"] = ""
    by: str = ""


POLICIES = (
    Policy("P1", "The coordinator makes no code, designs or analyses", "P0", ("team.coordinator-writes",),
        (r"not generate (any )?domain artifacts", r"never (simulate|role-play)[^.]* an agent",
         r"coordinator .*(never|not|cannot) (write|generate|create|edit).*(code|artifact)"),
        f"You route: code, designs and analyses are written by agents (task tool). You write under {TEAM_FOLDERS[0]}/ alone.",
        "coordinator"),
    Policy("P2", "Who was rejected does not revise", "P0", ("team.locked-out", "team.too-many-lockouts"),
        (r"locked[- ]out", r"reviewer lockout", r"not produce the next version", r"original author .*(not|never) .*(revis|fix)",
         r"bypass reviewer (approval|rejection)", r"not (get to )?self-revise", r"not the original author",
         r"(different|new|third) agent must (own|produce|do|revise)"),
        "After a rejection another agent produces the revision: `toolgate lockout add FILE --agent AUTHOR`.", "coordinator"),
    Policy("P3", "Nobody reads or stores the user's address", "P0", ("secrets.git-identity",),
        (r"git config user\.email", r"(never|not) (read|store|collect)[^.]*e-?mail")),
    Policy("P4", "Secrets and addresses are hidden in what tools print", "P0", (),
        (r"(scrub|redact|sanitiz)\w*[^.]*(output|result|pii|secret)",), by="redaction of outputs"),
    Policy("P5", "An agent writes what is its own to write", "P0", ("team.write-outside-scope",),
        (r"may only write to", r"(only|never|not) [^.]*who may write",
         r"(only|never) writes? [^.]*(own|authorized|listed) (files|paths|scope)",
         r"writes? only to (its|their|your) own")),
    Policy("P6", "An agent reads its own files and what it was handed", "P1", ("team.read-private",),
        (r"may read only", r"read only (its|their|your) own", r"(never|not) read (another|other) agents?"),
        "Read your own files, decisions.md and what you were handed.", "agent"),
    Policy("P7", "No destructive shell commands", "P0", SHELL_RULES,
        (r"rm -rf", r"destructive (shell )?commands?", r"git (rebase|reset --hard|clean)", r"npm publish",
         r"curl .*\| ?(ba)?sh")),
    Policy("P8", "Files that only grow only grow", "P1", ("team.rewrite-append-only",),
        (r"append-only files? (must|may|are)", r"files? (is|are) append-only", r"retroactively edit")),
    Policy("P9", "Questions to the user are few", "P1", ("session.questions",),
        (r"ask_user .*(limit|ambiguous|characters|at most|times)", r"(limit|at most|no more than)[^.]*questions")),
    Policy("P10", "No agent changes its own charter", "P1", ("team.own-charter",),
        (r"self-modify", r"(modify|edit|change) (its|their|your) own charter")),
    Policy("P11", "Decisions go to the inbox", "P1", ("team.decisions-directly",),
        (r"not write directly to\W+\S*decisions\.md", r"(only|instead|not) [^.]*decisions/inbox",
         r"decisions/inbox\S* (only|instead)", r"(only|never)[^.]*(write|record)s?[^.]*decisions\.md"),
        f"Propose decisions as files in {TEAM_FOLDERS[0]}/decisions/inbox/.", "agent"),
    Policy("P12", "No secrets in MCP configurations", "P1", ("secrets.mcp-config",),
        (r"mcp configs?", r"hard-?code (api )?(keys|secrets)"), "Secrets in MCP configurations are references: ${VAR}."),
    Policy("P13", "No force-push", "P0", ("git.force-push",), (r"push (--force|-f)\b", r"force[- ]push")),
    Policy("P14", "The coordinator works through agents", "P1", ("team.coordinator-writes",),
        (r"must use the task tool", r"(every|all) agent interactions?",
         r"task\b[^.]* must be dispatched (to|through)", r"always dispatch to agents")),
    Policy("P15", "Logs are written once", "P1", ("team.edit-log",),
        (r"never edited after write", r"(orchestration|session)[- ]logs? .*(never|not) .*edit")),
    Policy("P16", "Names stay reserved", "P2", ("team.remove-registry-entry",),
        (r"name remains reserved", r"not delete the entry", r"registry .*(never|not) .*(remove|delete)")),
    Policy("P17", "Nothing is written before the user confirms the team", "P1", ("team.before-confirmation",),
        (r"not create any files?", r"until the user confirms the (team|roster)"),
        "Show the team first, and wait for the user's word.", "coordinator"),
    Policy("P18", "No addresses in committed files", "P0", ("secrets.address-in-team-files",),
        (r"e-?mails? (addresses )?are pii", r"(not|never) .*(write|commit)[^.]*e-?mail", r"e-?mail[^.]*committed")),
)  # fmt: skip

AUDITED_RULES = frozenset(rule for policy in POLICIES if policy.priority == "P0" for rule in policy.rules)
"""The rules whose denials are recorded in the team's security audit, too."""
