"""`toolgate`: one module for each verb, imported when it is called. `--help` reads the table below and imports none of them."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module

import click

from toolgate.model.errors import PolicyError, SettingsError, StoreError, ToolgateError, UnavailableError

from .command_groups import HELP_WIDTH, CommandGroup, suggest_choice

EXIT_CODES: dict[int, str] = {
    0: "done, or permitted: `pass` and `warn`",
    1: "`ask`; or something was found, is not healthy or does not match",
    2: "`deny`",
    64: "wrong usage: an unknown verb, option or value",
    65: "an input file, or a host's settings file, cannot be used",
    69: "not available here: an optional package, a service or a platform is missing",
    70: "the policy cannot be used",
    77: "not permitted: only a person on their own terminal can do this",
    130: "interrupted",
}
"""Every exit code of the command line; `toolgate-hook` answers with the codes of its host."""
EXIT_WRONG_USAGE, EXIT_BAD_INPUT, EXIT_UNAVAILABLE, EXIT_BROKEN_POLICY, EXIT_NOT_PERMITTED = 64, 65, 69, 70, 77
EXIT_INTERRUPTED = 130
EXITS_OF_ERRORS: dict[type[ToolgateError], int] = {
    PolicyError: EXIT_BROKEN_POLICY,
    SettingsError: EXIT_BAD_INPUT,
    StoreError: EXIT_UNAVAILABLE,
    UnavailableError: EXIT_UNAVAILABLE,
}


@dataclass(frozen=True, slots=True)
class Verb:
    """The location of a verb, and its line of help."""

    place: str
    does: str


GROUPS: dict[str, dict[str, Verb]] = {
    "Set up": {
        "install": Verb("install:install", "Register the gate with a host; shows the difference first."),
        "uninstall": Verb("uninstall:uninstall", "Remove toolgate's entries from a host's settings."),
        "doctor": Verb("doctor:doctor", "Check the installation and report what to fix; `--live` proves it in the real client."),
        "watch": Verb("watch:watch", "Report changes of files that the gate depends on."),
        "run": Verb("run:run", "Launch an agent with the gate locked on; refuse to start it otherwise."),
        "deploy": Verb("deploy:deploy", "Register the gate in projects before headless agents start there."),
    },
    "Understand": {
        "check": Verb("check:check", "Show what the gate would answer to a command or to many calls. Runs nothing."),
        "explain": Verb("explain:explain", "Show how a command is understood, and the findings of each rule."),
        "why": Verb("why:why", "Explain why a call was answered as it was."),
        "rules": Verb("rules:rules", "List the rules with their verdicts; show one rule in full."),
        "test": Verb("test:test", "Judge case files: the shipped ones, or your own."),
    },
    "Look back": {
        "log": Verb("log:log", "Show calls and their answers, by session, rule, verdict, tool or time."),
        "stats": Verb("stats:stats", "Sum up the audit log: calls, answers, rules, and how agents reacted to denials."),
        "replay": Verb("replay:replay", "Judge the calls of past sessions again, under this policy or a draft of another."),
        "report": Verb("report:report", "Write the audit log as one HTML page, with charts and each call."),
        "ui": Verb("ui:ui", "Serve the report to your browser, with calls as they come."),
        "audit": Verb("audit:audit", "Verify that the audit log is unaltered; export it; print checkpoints."),
    },
    "Decide": {
        "approve": Verb("approve:approve", "Approve a stopped call (interactive terminal only)."),
        "approvals": Verb("approvals:approvals", "List pending requests and your approvals; show, deny, revoke."),
        "allow": Verb("allow:allow", "Grant the effects of a call, so that the host need not ask about similar ones."),
        "undo": Verb("undo:undo", "Restore what a call deleted or overwrote (interactive terminal only)."),
        "policy": Verb("policy:policy", "Show, check and describe the policy in force; suggest changes."),
    },
    "Secrets": {
        "scan": Verb("scan:scan", "Look for secrets in files, or in what is staged for the next commit."),
        "redact": Verb("redact:redact", "Redact secrets from a file or from standard input."),
    },
    "Teams and campaigns": {
        "team": Verb("team:team", "Show who may read and write what in a team of agents; lockouts, prompt text."),
        "campaign": Verb("settings:settings", "Render, write, compare and merge the settings of an unattended campaign."),
    },
}
"""The verbs that `--help` lists."""
HIDDEN: dict[str, Verb] = {
    "completion": Verb("completion:completion", "Print the completion script for a shell."),
    "confirm": Verb("confirm:confirm", "Confirm as an agent that the user agreed, where the policy allows it."),
    "daemon": Verb("daemon:daemon", "Show, stop or restart the background daemon."),
    "hook": Verb("hook:hook", "Judge one hook call; hosts run this."),
    "statusline": Verb("statusline:statusline", "Print the gate's state in one line, for the status line of Claude Code."),
    "store": Verb("store:store", "Create or update the tables of a PostgreSQL store."),
    "inventory": Verb("inventory:inventory", "Find prompt text that the gate already enforces (now `team inventory`)."),
    "lockout": Verb("lockout:lockout", "Lock agents of a team out of rejected work (now `team lockout`)."),
    "prompt": Verb("prompt:prompt", "Print the short guidance on the gate for a system prompt (now `team prompt`)."),
    "settings": Verb("settings:settings", "The settings of an unattended campaign (now `campaign`)."),
}
"""Verbs for machines, and former names of others. They work, and `--help` does not list them."""
VERBS: dict[str, Verb] = {**{name: verb for verbs in GROUPS.values() for name, verb in verbs.items()}, **HIDDEN}


class VerbGroup(CommandGroup):
    """A group that lists its verbs from the tables, and imports a verb's module when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for name in VERBS if name not in HIDDEN]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        verb = VERBS.get(cmd_name)
        if verb is None:
            return None
        module, _, name = verb.place.partition(":")
        command: click.Command = getattr(import_module(f"{__name__}.{module}"), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, self.list_commands(ctx)))
        for title, verbs in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), verb.does) for name, verb in verbs.items()])


@click.group(
    cls=VerbGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": HELP_WIDTH},
    epilog="""\b
Start here:
  toolgate install claude-code     register the gate; shows the change first
  toolgate doctor                  check it, and say what to do next
  toolgate check -- rm -rf /       what the gate would answer; runs nothing

\b
`toolgate VERB --help` has examples. Agents cannot run `approve`, `allow`
and `undo`: they need a person at a terminal. A person is never locked out:
`toolgate uninstall` works on every terminal that no agent controls.""",
)
@click.version_option(package_name="toolgate", prog_name="toolgate", message="%(prog)s %(version)s")
def toolgate() -> None:
    """A gate between an AI coding agent and its tools.

    Every tool call is read, understood as effects, judged by rules, answered in the host's protocol, and recorded.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit code. Prints a problem in a line on standard error: file, key, problem, remedy."""
    try:
        result = toolgate.main(args=None if arguments is None else list(arguments), prog_name="toolgate", standalone_mode=False)
    except click.UsageError as problem:
        problem.show()
        if suggestion := suggest_choice(problem):
            click.echo(suggestion, err=True)
        return EXIT_WRONG_USAGE
    except click.ClickException as problem:
        problem.show()
        return problem.exit_code
    except click.Abort:
        return EXIT_INTERRUPTED
    except ToolgateError as problem:
        click.echo(f"toolgate: {problem}", err=True)
        return next((code for kind, code in EXITS_OF_ERRORS.items() if isinstance(problem, kind)), 1)
    except BrokenPipeError:
        sys.stderr.close()  # the reader closed its end
        return 0
    return result if isinstance(result, int) else 0
