"""Groups of commands: help that lists them in full, and suggestions for a misspelled name."""

import difflib
import re
from collections.abc import Iterable

import click

HELP_WIDTH = 80


class CommandGroup(click.Group):
    """A group whose help gives the whole first sentence of each command, and whose errors suggest the nearest command."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not ctx.resilient_parsing and not name.startswith("-") and self.get_command(ctx, name) is None:
            raise click.UsageError(f"There is no command {name!r}. {suggest_name(name, self.list_commands(ctx), ctx)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(name, command.get_short_help_str(limit=1000)) for name, command in sorted(self.commands.items())]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def suggest_name(name: str, known: Iterable[str], context: click.Context) -> str:
    """Returns a sentence with the names nearest to a misspelled one, or where to find them all."""
    near = difflib.get_close_matches(name, known, 2, 0.6)
    return f"Did you mean {' or '.join(near)}?" if near else f"`{context.command_path} --help` lists them."


def suggest_choice(problem: click.UsageError) -> str:
    """Returns a sentence with the choice nearest to a wrong value; empty where there is none."""
    wrong, param = re.search(r"'([^']*)' is not one of", problem.message), getattr(problem, "param", None)
    if wrong is None or param is None or not isinstance(param.type, click.Choice):
        return ""
    near = difflib.get_close_matches(wrong[1], map(str, param.type.choices), 1)
    return f"Did you mean {near[0]}?" if near else ""
