"""`toolgate policy`: shows the policy in force with the source of each value, checks its files, prints their JSON Schema."""

import json
import re
from typing import Any

import click

from toolgate.model.errors import PolicyError
from toolgate.model.rule import UNDO_LIMITS, DescribedTool, Policy, WrittenRule
from toolgate.policy import compiled
from toolgate.policy.compiling import Compiled
from toolgate.policy.merge import Merged
from toolgate.policy.reading import dotted
from toolgate.policy.strictness import FIELDS

from . import BROKEN_POLICY
from .suggest import suggest
from .surroundings import AS_JSON, DIRECTORY, surroundings


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def policy() -> None:
    """Show, check and describe the policy in force.

    \b
    Layers, the higher first:
      /etc/toolgate/policy.toml                 the organisation's
      $XDG_CONFIG_HOME/toolgate/policy.toml     yours
      <project>/.toolgate/policy.toml           the project's: it may only raise verdicts, and add rules and effects
    """


@policy.command()
@DIRECTORY
@AS_JSON
def show(directory: str | None, as_json: bool) -> None:
    """Show every value that is not the default, and the file and key it came from.

    \b
    Examples:
      toolgate policy show
      toolgate policy show --cwd ~/code/api --json
    """
    result = _compiled(directory)
    if as_json:
        click.echo(json.dumps(_table(result.merged), indent=2))
    else:
        _show(result.merged)
    wrong = (*result.problems, *result.ignored)
    _complain(wrong)
    if wrong:
        raise click.exceptions.Exit(BROKEN_POLICY)


@policy.command()
@DIRECTORY
@AS_JSON
def check(directory: str | None, as_json: bool) -> None:
    """Report errors in the policy's files, settings below a floor included; exit 70 if there are any.

    \b
    Example:
      toolgate policy check && git commit -m "policy: deny pushes from agents" .toolgate/policy.toml
    """
    result = _compiled(directory)
    wrong = (*result.problems, *result.ignored)
    if as_json:
        problems = [
            {"file": each.file, "line": each.line, "key": each.key, "problem": each.problem, "remedy": each.remedy}
            for each in wrong
        ]
        click.echo(json.dumps({"problems": problems, "notices": result.merged.policy.notices}, indent=2))
    else:
        _complain(wrong)
        for notice in result.merged.policy.notices if not wrong else ():
            click.echo(notice)
        if not wrong:
            click.secho("the policy's files are sound", fg="green")
    if wrong:
        raise click.exceptions.Exit(BROKEN_POLICY)


@policy.command()
@click.argument("layer", type=click.Choice(["organisation", "user", "project"]), default="user")
def schema(layer: str) -> None:
    """Print the JSON Schema of a layer's file, for editors.

    \b
    Example:
      toolgate policy schema project > policy.schema.json
    """
    from toolgate.policy.schema import schema_of

    click.echo(json.dumps(schema_of(layer), indent=2))


policy.add_command(suggest)


def _compiled(directory: str | None) -> Compiled:
    """Compiles the policy with its examples tried, as for a call."""
    from toolgate.app import App, scene_here

    here = surroundings(directory)
    scene = scene_here(here.project, here.home, dict(here.environ))
    return compiled(here.environ, here.home, here.project, try_example=App().stops(scene))


def _show(merged: Merged) -> None:
    """Prints columns, the same in a pipe."""
    from rich.console import Console
    from rich.table import Table

    table = Table("key", "value", "from", box=None, pad_edge=False, header_style="bold")
    for row in _rows(merged):
        table.add_row(*row)
    console = Console(soft_wrap=True, highlight=False)
    console.print(f"profile {merged.policy.profile}, digest {merged.policy.digest}", markup=False)
    if table.row_count:
        console.print(table)
    else:
        console.print("nothing beside the defaults")


def _rows(merged: Merged) -> list[tuple[str, str, str]]:
    rows = []
    for switch, field in FIELDS.items():
        if switch in merged.sources:
            rows.append((switch, _word(getattr(merged.policy, field)), _origin(merged, switch)))
    if merged.policy.store:
        rows.append(("store", _without_password(merged.policy.store), _origin(merged, "store")))
    if "[undo]" in merged.sources:
        limits = ", ".join(f"{name} {value:,}" for name, value in _set_limits(merged.policy))
        rows.append(("undo limits", limits, _origin(merged, "[undo]")))
    rows += [(rule, "as by default", _origin(merged, rule)) for rule in merged.policy.confirmed]
    for rule, ruling in merged.policy.rulings.items():
        value = f"{_word(ruling.verdict)}, unsure {_word(ruling.unsure)}"
        if ruling.options:
            value += f", {json.dumps(dict(ruling.options))}"
        rows.append((rule, value, _origin(merged, rule)))
    for rule, floor in merged.policy.floors.items():
        rows.append((f"floor of {rule}", f"{_word(floor.sure)}, unsure {_word(floor.unsure)}", f"{floor.file}: {floor.reason}"))
    rows += [(_tool_key(tool), _row(tool), tool.file) for tool in merged.policy.tools]
    rows += [(f"wrapper {name}", options, _origin(merged, "wrappers")) for name, options in merged.policy.wrappers]
    rows += [(written.id, _word(written.verdict), f"{written.author}'s own rule") for written in merged.policy.written]
    return rows


def _set_limits(policy: Policy) -> list[tuple[str, float]]:
    defaults = UNDO_LIMITS._asdict()
    return [(name, value) for name, value in policy.undo_limits._asdict().items() if value != defaults[name]]


def _tool_key(tool: DescribedTool) -> str:
    return dotted(("mcp", tool.server, tool.tool))


def _row(tool: DescribedTool) -> str:
    return ", ".join(f"{role} = {said if isinstance(said, str) else ' '.join(said)}" for role, said in tool.does.items())


def _origin(merged: Merged, name: str) -> str:
    source = merged.sources.get(name)
    return f"{source.file or source.layer}: {source.key}" if source else ""


def _word(value: object) -> str:
    name = getattr(value, "name", None)
    return name.lower() if isinstance(name, str) else str(value).lower()


def _without_password(url: str) -> str:
    """Masks the password in a URL; the rest of it is no secret."""
    return re.sub(r"//([^:/@]*):[^@/]*@", r"//\1:...@", url)


def _table(merged: Merged) -> dict[str, Any]:
    policy: Policy = merged.policy
    return {
        "profile": policy.profile,
        "digest": policy.digest,
        "degraded": policy.degraded,
        "switches": {
            name: {"value": _json(getattr(policy, field)), "from": _source(merged, name)} for name, field in FIELDS.items()
        },
        "wrappers": {name: options.split() for name, options in policy.wrappers},
        "store": {"url": _without_password(policy.store), "from": _source(merged, "store")},
        "undo": {**policy.undo_limits._asdict(), "from": _source(merged, "[undo]")},
        "confirmed": list(policy.confirmed),
        "rules": {
            rule: {
                "verdict": _word(ruling.verdict),
                "unsure": _word(ruling.unsure),
                "options": dict(ruling.options),
                "from": _source(merged, rule),
            }
            for rule, ruling in policy.rulings.items()
        },
        "floors": {
            rule: {"verdict": _word(floor.sure), "unsure": _word(floor.unsure), "reason": floor.reason, "file": floor.file}
            for rule, floor in policy.floors.items()
        },
        "mcp": [
            {"server": tool.server, "tool": tool.tool, "does": dict(tool.does), "adds": tool.adds, "file": tool.file}
            for tool in policy.tools
        ],
        "written": [_written(rule) for rule in policy.written],
        "notices": list(policy.notices),
    }


def _written(rule: WrittenRule) -> dict[str, Any]:
    return {name: _json(value) for name, value in rule._asdict().items() if value not in ("", None)}


def _json(value: object) -> object:
    return value if isinstance(value, bool | str) else _word(value)


def _source(merged: Merged, name: str) -> dict[str, str] | None:
    source = merged.sources.get(name)
    return {"layer": source.layer, "file": source.file, "key": source.key} if source else None


def _complain(problems: tuple[PolicyError, ...]) -> None:
    for problem in problems:
        click.secho(str(problem), fg="red", err=True)
