"""`toolgate`: one module for each verb, imported when it is called. `--help` reads the table below and imports none of them."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version

import click

from toolgate.model.errors import PolicyError, ToolgateError

EXIT_WRONG_USAGE = 64
EXIT_BROKEN_POLICY = 70
EXIT_INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Verb:
    """The location of a verb, and its line of help."""

    place: str
    does: str


VERBS: dict[str, Verb] = {
    "allow": Verb("allow:allow", "Grant the effects of a call, so that the host need not ask about similar ones."),
    "approvals": Verb("approvals:approvals", "List pending requests and your approvals; show, deny, revoke."),
    "approve": Verb("approve:approve", "Approve a stopped call (interactive terminal only; agents cannot run this)."),
    "audit": Verb("audit:audit", "Verify that the audit log is unaltered; export it; delete a session's records."),
    "check": Verb("check:check", "Show what the gate would answer to a command or to many calls. Runs nothing."),
    "completion": Verb("completion:completion", "Print the completion script for a shell."),
    "confirm": Verb("confirm:confirm", "Confirm as an agent that the user agreed, where the policy allows it."),
    "daemon": Verb("daemon:daemon", "Show, stop or restart the background daemon."),
    "deploy": Verb("deploy:deploy", "Register the gate in projects before headless agents start there."),
    "doctor": Verb("doctor:doctor", "Check the installation and report what to fix. `--live` proves it with the real client."),
    "explain": Verb("explain:explain", "Show how a command is understood, and the findings of each rule."),
    "hook": Verb("hook:hook", "Judge one hook call; hosts run this."),
    "install": Verb("install:install", "Register the gate with a host; shows the difference first."),
    "inventory": Verb("inventory:inventory", "Find prompt text that the gate already enforces and can be removed."),
    "log": Verb("log:log", "Show calls and their answers, by session, rule, verdict, tool or time."),
    "lockout": Verb("lockout:lockout", "Add, list and clear lockouts of a team's agents after a rejected review."),
    "policy": Verb("policy:policy", "Show, check and describe the policy in force."),
    "prompt": Verb("prompt:prompt", "Print the short guidance on the gate for a system prompt."),
    "redact": Verb("redact:redact", "Redact secrets from standard input."),
    "replay": Verb("replay:replay", "Judge the calls of past sessions again, under this policy or a draft of another."),
    "report": Verb("report:report", "Show the audit log as one HTML page, with charts and each call."),
    "rules": Verb("rules:rules", "List the rules, their verdicts and their floors."),
    "settings": Verb("settings:settings", "Render, write, compare and merge the settings of an unattended campaign."),
    "store": Verb("store:store", "Create or update the tables of a PostgreSQL store."),
    "run": Verb("run:run", "Launch an agent with the gate locked on; refuse to start it otherwise."),
    "scan": Verb("scan:scan", "Look for secrets in files, or in what is staged for the next commit."),
    "stats": Verb("stats:stats", "Sum up the audit log: calls, answers, rules, and how agents reacted to denials."),
    "statusline": Verb("statusline:statusline", "Print the gate's state in one line, for the status line of Claude Code."),
    "team": Verb("team:team", "Show who may read and write what in a team of agents; write its first policy files."),
    "test": Verb("test:test", "Judge case files: the shipped ones, or your own."),
    "undo": Verb("undo:undo", "Restore what a call deleted or overwrote (interactive terminal only; agents cannot run this)."),
    "uninstall": Verb("uninstall:uninstall", "Remove toolgate's entries from a host's settings."),
    "why": Verb("why:why", "Explain why a call was answered as it was."),
    "watch": Verb("watch:watch", "Report changes of files that the gate depends on."),
}


class VerbGroup(click.Group):
    """A group that lists its verbs from the table, and imports a verb's module when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        verb = VERBS.get(cmd_name)
        if verb is None:
            return None
        module, _, name = verb.place.partition(":")
        command: click.Command = getattr(import_module(f"{__name__}.{module}"), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl([(name, VERBS[name].does) for name in self.list_commands(ctx)])


@click.group(
    cls=VerbGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="A person is never locked out: `toolgate uninstall` works on every terminal that no agent controls.",
)
@click.version_option(version("toolgate"), prog_name="toolgate", message="%(prog)s %(version)s")
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
        return EXIT_WRONG_USAGE
    except click.ClickException as problem:
        problem.show()
        return problem.exit_code
    except click.Abort:
        return EXIT_INTERRUPTED
    except ToolgateError as problem:
        click.echo(f"toolgate: {problem}", err=True)
        return EXIT_BROKEN_POLICY if isinstance(problem, PolicyError) else 1
    except BrokenPipeError:
        sys.stderr.close()  # the reader closed its end
        return 0
    return result if isinstance(result, int) else 0
