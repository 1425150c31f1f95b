"""`toolgate policy`: shows the policy in force with the source of each value, checks its files, prints their JSON Schema."""

import json
import re
from typing import Any

import click

from toolgate.model.errors import PolicyError
from toolgate.model.rule import UNDO_LIMITS, DescribedTool, Policy, WrittenRule
from toolgate.policy import compile_files
from toolgate.policy.compilation import CompiledPolicy
from toolgate.policy.merge import MergedPolicy
from toolgate.policy.parsing import format_key
from toolgate.policy.strictness import FIELDS

from . import EXIT_BROKEN_POLICY
from .command_groups import CommandGroup
from .suggest import suggest
from .surroundings import AS_JSON, DIRECTORY, read_surroundings


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
def policy() -> None:
    """Show, check and describe the policy in force.

    \b
    Layers, the higher first:
      /etc/toolgate/policy.toml                 the organisation's
      $XDG_CONFIG_HOME/toolgate/policy.toml     yours
      <project>/.toolgate/policy.toml           the project's: only stricter

    \b
    Examples:
      toolgate policy show
      toolgate policy check
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
    result = _compile_policy(directory)
    if as_json:
        click.echo(json.dumps(_policy_fields(result.merged), indent=2))
    else:
        _print_policy(result.merged)
    wrong = (*result.problems, *result.ignored)
    _print_problems(wrong)
    if wrong:
        raise click.exceptions.Exit(EXIT_BROKEN_POLICY)


@policy.command()
@DIRECTORY
@AS_JSON
def check(directory: str | None, as_json: bool) -> None:
    """Report errors in the policy's files, settings below a floor included; exit 70 if there are any.

    \b
    Example:
      toolgate policy check && git commit .toolgate/policy.toml
    """
    result = _compile_policy(directory)
    wrong = (*result.problems, *result.ignored)
    if as_json:
        problems = [
            {"file": each.file, "line": each.line, "key": each.key, "problem": each.problem, "remedy": each.remedy}
            for each in wrong
        ]
        click.echo(json.dumps({"problems": problems, "notices": result.merged.policy.notices}, indent=2))
    else:
        _print_problems(wrong)
        for notice in result.merged.policy.notices if not wrong else ():
            click.echo(notice)
        if not wrong:
            click.secho("the policy's files are sound", fg="green")
    if wrong:
        raise click.exceptions.Exit(EXIT_BROKEN_POLICY)


@policy.command()
@click.argument("layer", type=click.Choice(["organisation", "user", "project"]), default="user")
def schema(layer: str) -> None:
    """Print the JSON Schema of a layer's file, for editors.

    \b
    Example:
      toolgate policy schema project > policy.schema.json
    """
    from toolgate.policy.schema import build_schema

    click.echo(json.dumps(build_schema(layer), indent=2))


policy.add_command(suggest)


def _compile_policy(directory: str | None) -> CompiledPolicy:
    """Compiles the policy with its examples tried, as for a call."""
    from toolgate.app import App, local_scene

    surroundings = read_surroundings(directory)
    scene = local_scene(surroundings.project, surroundings.home, dict(surroundings.environ))
    return compile_files(
        surroundings.environ, surroundings.home, surroundings.project, try_example=App().make_example_check(scene)
    )


def _print_policy(merged_policy: MergedPolicy) -> None:
    """Prints columns, the same in a pipe."""
    from rich.console import Console
    from rich.table import Table

    table = Table("key", "value", "from", box=None, pad_edge=False, header_style="bold")
    for row in _list_rows(merged_policy):
        table.add_row(*row)
    console = Console(soft_wrap=True, highlight=False)
    console.print(f"profile {merged_policy.policy.profile}, digest {merged_policy.policy.digest}", markup=False)
    if table.row_count:
        console.print(table)
    else:
        console.print("nothing beside the defaults")


def _list_rows(merged_policy: MergedPolicy) -> list[tuple[str, str, str]]:
    rows = []
    for switch, field in FIELDS.items():
        if switch in merged_policy.sources:
            rows.append((switch, _as_word(getattr(merged_policy.policy, field)), _describe_origin(merged_policy, switch)))
    if merged_policy.policy.store:
        rows.append(("store", _mask_password(merged_policy.policy.store), _describe_origin(merged_policy, "store")))
    if "[undo]" in merged_policy.sources:
        limits = ", ".join(f"{name} {value:,}" for name, value in _list_changed_limits(merged_policy.policy))
        rows.append(("undo limits", limits, _describe_origin(merged_policy, "[undo]")))
    rows += [(rule, "as by default", _describe_origin(merged_policy, rule)) for rule in merged_policy.policy.confirmed]
    for rule, ruling in merged_policy.policy.rulings.items():
        value = f"{_as_word(ruling.verdict)}, unsure {_as_word(ruling.unsure)}"
        if ruling.options:
            value += f", {json.dumps(dict(ruling.options))}"
        rows.append((rule, value, _describe_origin(merged_policy, rule)))
    for rule, floor in merged_policy.policy.floors.items():
        rows.append(
            (f"floor of {rule}", f"{_as_word(floor.sure)}, unsure {_as_word(floor.unsure)}", f"{floor.file}: {floor.reason}")
        )
    rows += [(_tool_key(tool), _describe_tool(tool), tool.file) for tool in merged_policy.policy.tools]
    rows += [
        (f"wrapper {name}", options, _describe_origin(merged_policy, "wrappers"))
        for name, options in merged_policy.policy.wrappers
    ]
    rows += [(written.id, _as_word(written.verdict), f"{written.author}'s own rule") for written in merged_policy.policy.written]
    return rows


def _list_changed_limits(policy: Policy) -> list[tuple[str, float]]:
    defaults = UNDO_LIMITS._asdict()
    return [(name, value) for name, value in policy.undo_limits._asdict().items() if value != defaults[name]]


def _tool_key(tool: DescribedTool) -> str:
    return format_key(("mcp", tool.server, tool.tool))


def _describe_tool(tool: DescribedTool) -> str:
    return ", ".join(
        f"{role} = {arguments_of_role if isinstance(arguments_of_role, str) else ' '.join(arguments_of_role)}"
        for role, arguments_of_role in tool.does.items()
    )


def _describe_origin(merged_policy: MergedPolicy, name: str) -> str:
    source = merged_policy.sources.get(name)
    return f"{source.file or source.layer}: {source.key}" if source else ""


def _as_word(value: object) -> str:
    name = getattr(value, "name", None)
    return name.lower() if isinstance(name, str) else str(value).lower()


def _mask_password(url: str) -> str:
    """Masks the password in a URL; the rest of it is no secret."""
    return re.sub(r"//([^:/@]*):[^@/]*@", r"//\1:...@", url)


def _policy_fields(merged_policy: MergedPolicy) -> dict[str, Any]:
    policy: Policy = merged_policy.policy
    return {
        "profile": policy.profile,
        "digest": policy.digest,
        "degraded": policy.degraded,
        "switches": {
            name: {"value": _as_json_value(getattr(policy, field)), "from": _source_fields(merged_policy, name)}
            for name, field in FIELDS.items()
        },
        "wrappers": {name: options.split() for name, options in policy.wrappers},
        "store": {"url": _mask_password(policy.store), "from": _source_fields(merged_policy, "store")},
        "undo": {**policy.undo_limits._asdict(), "from": _source_fields(merged_policy, "[undo]")},
        "confirmed": list(policy.confirmed),
        "rules": {
            rule: {
                "verdict": _as_word(ruling.verdict),
                "unsure": _as_word(ruling.unsure),
                "options": dict(ruling.options),
                "from": _source_fields(merged_policy, rule),
            }
            for rule, ruling in policy.rulings.items()
        },
        "floors": {
            rule: {"verdict": _as_word(floor.sure), "unsure": _as_word(floor.unsure), "reason": floor.reason, "file": floor.file}
            for rule, floor in policy.floors.items()
        },
        "mcp": [
            {"server": tool.server, "tool": tool.tool, "does": dict(tool.does), "adds": tool.adds, "file": tool.file}
            for tool in policy.tools
        ],
        "written": [_written_rule_fields(rule) for rule in policy.written],
        "notices": list(policy.notices),
    }


def _written_rule_fields(rule: WrittenRule) -> dict[str, Any]:
    return {name: _as_json_value(value) for name, value in rule._asdict().items() if value not in ("", None)}


def _as_json_value(value: object) -> object:
    return value if isinstance(value, bool | str) else _as_word(value)


def _source_fields(merged_policy: MergedPolicy, name: str) -> dict[str, str] | None:
    source = merged_policy.sources.get(name)
    return {"layer": source.layer, "file": source.file, "key": source.key} if source else None


def _print_problems(problems: tuple[PolicyError, ...]) -> None:
    for problem in problems:
        click.secho(str(problem), fg="red", err=True)
