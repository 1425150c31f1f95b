"""`toolgate`: one module a verb, loaded when it is called. `--help` reads the table below and loads none of them."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version

import click

from toolgate.model.errors import PolicyError, ToolgateError

WRONG_USAGE = 64
BROKEN_POLICY = 70
INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Verb:
    """Where a verb lives, and the line that says what it does."""

    place: str
    does: str


VERBS: dict[str, Verb] = {
    "approvals": Verb("approvals:approvals", "List what waits for your answer, and what you approved; show, deny, revoke."),
    "approve": Verb("approve:approve", "Let a call run that was stopped: on a terminal of your own, never beneath an agent."),
    "audit": Verb("audit:audit", "Verify that the audit log is as it was written; export it; delete a session's records."),
    "check": Verb("check:check", "Say what the gate would answer to a command or to many calls. Runs nothing."),
    "completion": Verb("completion:completion", "What a shell needs to complete toolgate's words."),
    "confirm": Verb("confirm:confirm", "The agent's word that its user agreed, where the policy takes it (guardrail design)."),
    "daemon": Verb("daemon:daemon", "The process that keeps the gate warm: look at it, stop it, start it anew."),
    "deploy": Verb("deploy:deploy", "Put the gate into projects, before headless agents start there."),
    "doctor": Verb("doctor:doctor", "Is the gate in place, whole and able to refuse? Says what to do where it is not."),
    "explain": Verb("explain:explain", "Show how a command is understood, and what each rule says of it."),
    "hook": Verb("hook:hook", "What a host runs: one call in, its answer out."),
    "install": Verb("install:install", "Register the gate with a host: shows the difference first."),
    "inventory": Verb("inventory:inventory", "Which statements of a prompt the gate enforces, and how many bytes can go."),
    "log": Verb("log:log", "Show what was asked and answered: by session, rule, verdict, tool or time."),
    "lockout": Verb("lockout:lockout", "Who may not work on what after a review, in a team of agents; add, list, clear."),
    "policy": Verb("policy:policy", "Show, check and describe the policy in force."),
    "prompt": Verb("prompt:prompt", "The short guidance that a system prompt needs, because the gate does the rest."),
    "redact": Verb("redact:redact", "A filter: what comes in goes out with its secrets hidden."),
    "replay": Verb("replay:replay", "Judge the calls of past sessions again, under this policy or a draft of another."),
    "report": Verb("report:report", "Show the audit log as one HTML page, with charts and each call."),
    "rules": Verb("rules:rules", "List the rules, their verdicts and their floors."),
    "settings": Verb("settings:settings", "The settings of a campaign that nobody attends: render, write, compare, merge."),
    "store": Verb("store:store", "Where state is kept, and the tables of a PostgreSQL store."),
    "run": Verb("run:run", "Start a host's client so that the gate stays, or not at all."),
    "scan": Verb("scan:scan", "Look for secrets in files, or in what is staged for the next commit."),
    "stats": Verb("stats:stats", "What the audit log says of the last while: calls, answers, rules, and how agents took a no."),
    "statusline": Verb("statusline:statusline", "The gate in one line, for the status line of Claude Code."),
    "team": Verb("team:team", "A team of agents: who may read and write what, and the files that say so."),
    "test": Verb("test:test", "Judge case files: those that ship, or your own."),
    "undo": Verb("undo:undo", "Give back what a call deleted or overwrote: on a terminal of your own, never beneath an agent."),
    "uninstall": Verb("uninstall:uninstall", "Take exactly our entry out again, and give back what was found."),
    "why": Verb("why:why", "Say why a call was answered as it was."),
    "watch": Verb("watch:watch", "Say when something that the gate stands on changes."),
}


class Verbs(click.Group):
    """A group that knows its verbs by the table, and a verb's code when it is needed."""

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
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="A person is never locked out: `toolgate uninstall` works on every terminal that is not an agent's.",
)
@click.version_option(version("toolgate"), prog_name="toolgate", message="%(prog)s %(version)s")
def toolgate() -> None:
    """A gate between an AI coding agent and its tools.

    Every tool call is read, understood as effects, judged by rules, answered in the host's own words, and recorded.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code. What is wrong is said in a line on standard error: file, key, problem, remedy."""
    try:
        result = toolgate.main(args=None if arguments is None else list(arguments), prog_name="toolgate", standalone_mode=False)
    except click.UsageError as problem:
        problem.show()
        return WRONG_USAGE
    except click.ClickException as problem:
        problem.show()
        return problem.exit_code
    except click.Abort:
        return INTERRUPTED
    except ToolgateError as problem:
        click.echo(f"toolgate: {problem}", err=True)
        return BROKEN_POLICY if isinstance(problem, PolicyError) else 1
    except BrokenPipeError:
        sys.stderr.close()  # whoever read us has seen enough
        return 0
    return result if isinstance(result, int) else 0
