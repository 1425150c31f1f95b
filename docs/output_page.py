"""Writes the page on exit codes and JSON output. The command line tells which verbs print JSON; the forms are listed here."""

from collections.abc import Iterator

import click

from toolgate.cli import EXIT_CODES, VERBS, toolgate
from toolgate.model.command_line import resolve_aliases

STREAMS = ("check --calls", "explain --jsonl", "log --json", "log --follow --json", "scan --json", "watch --json")
FORMS: dict[str, tuple[str, str]] = {
    "approvals": ("object", "`requests`, `approved`"),
    "audit verify": ("object", "`records`, `faults` and what else was found"),
    "check": ("object", "`verdict`, `rules`, `reason`, ...; with `--calls` a line for each call"),
    "daemon status": ("array", "`pid`, `answers`, `build`, `same_build`, `since`, `kilobytes`"),
    "deploy": ("array", "`project`, `deployed`, `changed`, `problem`, ...; one for each folder"),
    "doctor": ("array", "`about`, `state` (`fine`, `note`, `wrong`), `found`, `remedy`"),
    "explain": ("object", "`verdict`, `commands`, `effects`, `findings`, ..."),
    "install": ("object", "`host`, `dry_run`, `changes`, `backups`, `notes`; with `--all` a line for each host"),
    "inventory": ("object", "the statements, the rules that enforce them, and sizes"),
    "lockout list": ("object", "artifact: agents"),
    "log": ("lines", "one record of the audit log a line, as [the audit log](audit.md) has it"),
    "policy check": ("object", "`problems` (`file`, `line`, `key`, `problem`, `remedy`), `notices`"),
    "policy show": ("object", "`profile`, `digest`, `switches`, `rules`, `floors`, ..., each with its source"),
    "prompt": ("object", "`text`, `bytes`, `tokens`"),
    "replay": ("object", "the comparison; see [look back](look-back.md)"),
    "rules": (
        "object",
        "rule id: `verdict`, `unsure`, `default`, `floor`, `triggers`, `summary`; `show`: one, with `id`",
    ),
    "scan": ("lines", "one for each finding: its place and kind, never its value; `--sarif` prints SARIF 2.1.0"),
    "settings init": ("object", "as `install`"),
    "settings merge": ("object", "as `install`"),
    "stats": ("object", "totals, and counts by verdict, rule and tool"),
    "team show": ("object", "`root`, `folder`, `agents`"),
    "test": ("object", "`passed`, `failed` and the outcomes"),
    "undo": ("array", "`list`: one for each copy; `show`: an object"),
    "uninstall": ("object", "as `install`"),
    "watch": ("lines", "`time`, `where`, `what`"),
    "why": ("object", "the record, and the setting that decides"),
}


def page() -> str:
    return "\n".join(_iter_lines()) + "\n"


def _iter_lines() -> Iterator[str]:
    yield "# Exit codes and JSON\n"
    yield "## Exit codes\n"
    yield "| code | meaning |\n|---|---|"
    yield from (f"| {code} | {meaning} |" for code, meaning in EXIT_CODES.items())
    yield "\n`toolgate run` ends with the exit code of the client that it starts. `toolgate-hook` has the codes of its host;"
    yield "see [hosts](hosts/claude-code.md).\n"
    yield "## JSON\n"
    yield "Data goes to standard output, and is the same on a terminal and in a pipe. Messages for people go to standard error."
    yield "Verbs that print one result print one object or one array. Streams print one object a line (JSON Lines):"
    yield f"{', '.join(f'`{each}`' for each in STREAMS)}. Keys may be added; read those that you know.\n"
    yield "| `toolgate ... --json` | form | content |\n|---|---|---|"
    yield from (f"| `{name}` | {form} | {content} |" for name, (form, content) in sorted(FORMS.items()))


def commands_with_json() -> set[str]:
    """Returns every command that takes `--json`, under its name in FORMS."""
    found: set[str] = set()
    for name in VERBS:
        verb = toolgate.get_command(click.Context(toolgate), name)
        assert verb is not None
        found |= set(_iter_with_json(name, verb))
    return {" ".join(word or "" for word in resolve_aliases(name.split())) for name in found}


def _iter_with_json(name: str, command: click.Command) -> Iterator[str]:
    if any("--json" in param.opts for param in command.params):
        yield name
    for sub, each in command.commands.items() if isinstance(command, click.Group) else ():
        yield from _iter_with_json(f"{name} {sub}", each)
