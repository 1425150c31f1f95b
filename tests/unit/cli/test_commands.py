"""Compares what each command may do to the gate according to the rules with the real command line."""

import click
import pytest

from toolgate.cli import VERBS, toolgate
from toolgate.model.command_line import ACT, COMMANDS, GROUPS, PERSON, READ, Access, required_access, resolve_aliases


def commands() -> dict[str, click.Command]:
    found: dict[str, click.Command] = {}
    for name in VERBS:
        verb = toolgate.get_command(click.Context(toolgate), name)
        assert verb is not None
        found |= list_commands(name, verb)
    return found


def list_commands(name: str, command: click.Command) -> dict[str, click.Command]:
    subs = command.commands if isinstance(command, click.Group) else {}
    return {
        name: command,
        **{path: each for sub, inner in subs.items() for path, each in list_commands(f"{name} {sub}", inner).items()},
    }


def name_in_table(name: str) -> str:
    return " ".join(word or "" for word in resolve_aliases(name.split()))


def test_the_table_names_commands_that_there_are_and_knows_every_group() -> None:
    there = commands()
    assert set(COMMANDS) <= set(there)
    assert {name_in_table(name) for name, command in there.items() if isinstance(command, click.Group)} == GROUPS


def test_every_leaf_is_read_by_its_position() -> None:
    for name, command in commands().items():
        if not isinstance(command, click.Group) or command.invoke_without_command:
            assert required_access(name.split()) is COMMANDS.get(name_in_table(name), ACT)
            assert required_access([*name.split(), "--help"]) is READ


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("", READ),
        ("--help", READ),
        ("--version", READ),
        ("uninstall claude-code", ACT),
        ("uninstall claude-code --dry-run", READ),
        ("uninstall -- --dry-run", ACT),
        ("settings init --work-dir --dry-run", ACT),
        ("settings init --work-dir render", ACT),
        ("settings --json render", READ),
        ("daemon stop status", ACT),
        ("approvals", READ),
        ("approvals --all", READ),
        ("approvals --all deny 1f", PERSON),
        ("approve 1f", PERSON),
        ("approve --help", READ),
        ("hook claude-code PreToolUse", PERSON),
        ("doctor", READ),
        ("doctor --repair", ACT),
        ("doctor --json --live", ACT),
        ("run -- claude --help", ACT),
        ("nosuch show", ACT),
        ("team lockout list", READ),
        ("team lockout clear --all", ACT),
        ("team prompt", READ),
        ("campaign render", READ),
        ("campaign init", ACT),
        ("rules show git.force-push", READ),
    ],
)
def test_what_a_line_may_do(line: str, found: Access) -> None:
    assert required_access(line.split()) is found


def test_a_word_that_is_not_known_acts() -> None:
    assert required_access([None]) is ACT
    assert required_access(["doctor", None]) is ACT
    assert required_access(["settings", None]) is ACT
