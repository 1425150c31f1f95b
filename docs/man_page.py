"""Writes the manual page of the command line, `toolgate.1`, from its help."""

from collections.abc import Iterator

import click

from toolgate.cli import EXIT_CODES, GROUPS, toolgate
from toolgate.machine.environment import VARIABLES


def page(version: str) -> str:
    return "\n".join(_iter_lines(version)) + "\n"


def _iter_lines(version: str) -> Iterator[str]:
    yield f'.TH TOOLGATE 1 "" "toolgate {version}" "User Commands"'
    yield ".SH NAME\ntoolgate \\- a gate between an AI coding agent and its tools"
    yield ".SH SYNOPSIS\n.B toolgate\n.I VERB\n[\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]..."
    yield ".SH DESCRIPTION\nEvery tool call is read, understood as effects, judged by rules,"
    yield "answered in the host's protocol, and recorded."
    top = click.Context(toolgate, info_name="toolgate")
    for title, verbs in GROUPS.items():
        yield f".SH {title.upper()}"
        for name in verbs:
            command = toolgate.get_command(top, name)
            assert command is not None
            yield f".SS toolgate {name}"
            yield ".nf"
            yield from (
                _escape(line) for line in command.get_help(click.Context(command, info_name=name, parent=top)).splitlines()
            )
            yield ".fi"
    yield ".SH EXIT STATUS"
    for code, meaning in EXIT_CODES.items():
        yield f".TP\n{code}\n{_escape(meaning)}"
    yield ".SH ENVIRONMENT"
    for name, does in sorted(VARIABLES.items()):
        yield f".TP\n.B {name}\n{_escape(does)}"
    yield ".SH FILES"
    for path, does in (
        ("/etc/toolgate/policy.toml", "the organisation's policy"),
        ("$XDG_CONFIG_HOME/toolgate/policy.toml", "your policy"),
        ("PROJECT/.toolgate/policy.toml", "a project's policy, which can only be stricter"),
        ("$XDG_STATE_HOME/toolgate/", "the audit log, approvals and copies for undo"),
    ):
        yield f".TP\n.I {path}\n{does}"


def _escape(text: str) -> str:
    line = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{line}" if line.startswith((".", "'")) else line
