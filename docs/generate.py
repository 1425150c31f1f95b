"""Writes the pages that come from the code; `--check` says which differ and exits 1.

docs/cli.md             every verb's --help
docs/rules.md, rules/   the table of rules, and a page each
docs/team-policies.md   the policies of a team of agents, and what shows each
docs/project-code.md    what programs load of a project's own code
docs/toolgate.1         the manual page
docs/exit-codes.md      exit codes, and the forms of JSON
docs/known-gaps.md      what is not seen or cannot be stopped
docs/designs/index.md   the profiles and variables of other designs
docs/environment.md     the variables that are read
docs/policy/*.json      JSON Schemas of the policy's layers
clients/claude-plugin/hooks/hooks.json   the hooks of the plugin
hosts/*.md, ../README.md   what each host does with what the gate says
src/toolgate/transport/refusals.inc   every host's refusals, for the client
"""

import json
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import click
import designs_page
import gaps_page
import host_pages
import man_page
import output_page
import project_code_page
import rule_pages
import team_page

from toolgate import designs
from toolgate.cli import GROUPS, HIDDEN, toolgate
from toolgate.cli.command_groups import HELP_WIDTH
from toolgate.hosts import HOSTS, load_host
from toolgate.hosts.claude_code import settings as claude_settings
from toolgate.machine.environment import VARIABLES
from toolgate.policy.schema import build_schema

DOCS = Path(__file__).parent
GENERATED = "<!-- Written by `make docs` from the code. -->\n\n"


OBSERVED = {f"hosts/{name}.md": name for name in host_pages.OBSERVED}


def with_hosts(readme: str) -> str:
    before, _, rest = readme.partition(host_pages.BEGIN)
    return f"{before}{host_pages.overview()}{rest.partition(host_pages.END)[2]}"


def pages() -> dict[str, str]:
    return {
        "cli.md": GENERATED + "# Commands\n\n" + "\n".join(help_pages()),
        **{name: GENERATED + text for name, text in rule_pages.pages().items()},
        **{name: GENERATED + text for name, text in team_page.pages().items()},
        "project-code.md": GENERATED + project_code_page.page(),
        **{name: GENERATED + text for name, text in host_pages.pages().items()},
        **{name: host_pages.with_block((DOCS / name).read_text(), host) for name, host in OBSERVED.items()},
        "../README.md": with_hosts((DOCS / "../README.md").read_text()),
        "known-gaps.md": GENERATED + gaps_page.page(),
        "exit-codes.md": GENERATED + output_page.page(),
        "toolgate.1": man_page.page(version("toolgate")),
        "designs/index.md": GENERATED + designs_page.page(),
        "environment.md": GENERATED + "# Environment\n\n" + environment_page(),
        **{f"policy/{layer}.schema.json": schema_page(layer) for layer in ("organisation", "user", "project")},
        "../clients/claude-plugin/hooks/hooks.json": plugin_hooks(),
        "../src/toolgate/transport/refusals.inc": "".join(refusals()),
    }


def help_pages() -> Iterator[str]:
    top = context(toolgate, "toolgate")
    yield page(toolgate, top)
    for title, verbs in (*GROUPS.items(), ("For machines, and former names", HIDDEN)):
        yield f"## {title}\n"
        for name in verbs:
            command = toolgate.get_command(top, name)
            assert command is not None
            yield from help_pages_of(command, context(command, name, top))


def help_pages_of(command: click.Command, here: click.Context) -> Iterator[str]:
    yield page(command, here)
    for name, each in sorted(command.commands.items()) if isinstance(command, click.Group) else ():
        yield from help_pages_of(each, context(each, name, here))


def context(command: click.Command, name: str, parent: click.Context | None = None) -> click.Context:
    """Returns a context of the same width on every machine."""
    return click.Context(command, info_name=name, parent=parent, **{**command.context_settings, "terminal_width": HELP_WIDTH})


def page(command: click.Command, context: click.Context) -> str:
    return f"### {context.command_path}\n\n```\n{command.get_help(context)}\n```\n"


def environment_page() -> str:
    own = {name: does for name, does in VARIABLES.items() if name not in designs.VARIABLES}
    lines = ["| variable | does |", "|---|---|", *(f"| `{name}` | {does} |" for name, does in sorted(own.items()))]
    return "\n".join((*lines, "", "Other designs have [variables of their own](designs/index.md#variables).")) + "\n"


def schema_page(layer: str) -> str:
    return json.dumps(build_schema(layer), indent=2) + "\n"


def plugin_hooks() -> str:
    """Returns the hooks of the plugin for Claude Code: those that `toolgate install` registers, with the plugin's own program."""
    hooks: dict[str, list[object]] = {}
    for (_, event), group in claude_settings.build_additions(("${CLAUDE_PLUGIN_ROOT}/hooks/gate.sh",)):
        hooks.setdefault(str(event), []).append(group)
    return json.dumps({"description": "toolgate judges every tool call", "hooks": hooks}, indent=2) + "\n"


def refusals() -> Iterator[str]:
    """Each line is C and, from bracket to bracket, JSON: the native client and the one in Python read the same file."""
    yield "/* Written by `make docs` from the hosts: what the client prints where nobody could judge. */\n"
    for name in HOSTS:
        for event in load_host(name).EVENTS:
            no = load_host(name).refuse(event, "@REASON@")
            words = (json.dumps(name), json.dumps(event), str(no.exit_code), json.dumps(no.stdout), json.dumps(no.stderr))
            yield f"REFUSAL({', '.join(words)})\n"


def main(arguments: list[str]) -> int:
    stale, written = [], pages()
    for name, text in written.items():
        path = DOCS / name
        if path.exists() and path.read_text() == text:
            continue
        stale.append(name)
        if "--check" not in arguments:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    gone = sorted(path for path in (DOCS / "rules").rglob("*.md") if str(path.relative_to(DOCS)) not in written)
    for path in gone:
        stale.append(str(path.relative_to(DOCS)))
        if "--check" not in arguments:
            path.unlink()
    if stale:
        print(f"{'stale, run `make docs`' if '--check' in arguments else 'written'}: {', '.join(stale)}")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
