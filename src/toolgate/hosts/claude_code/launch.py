"""Parses Claude Code's command line, as far as it decides whether hooks are called."""

from collections.abc import Sequence
from dataclasses import dataclass

from toolgate.model.errors import SettingsError

HOOKLESS_FLAGS = ("--bare", "--safe-mode")
"""Flags under which the client calls no hook, not even those of `--settings`."""
HOOKLESS_VARIABLE = "CLAUDE_CODE_SIMPLE"
BYPASS_FLAGS = ("--dangerously-skip-permissions", "--allow-dangerously-skip-permissions")
BYPASS_MODE = "bypassPermissions"

HOOKS_ON = {"disableAllHooks": False}
"""In the settings of the command line: it overrides a project's and its user's settings."""


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A client's command line: the arguments to pass on, the settings that it names, and the arguments left out."""

    program: str
    arguments: tuple[str, ...]
    settings: str
    left_out: tuple[str, ...]


def parse_command(command: Sequence[str]) -> CommandLine:
    """Raises SettingsError for an argument that would disable the gate."""
    if not command:
        raise SettingsError("toolgate run", "there is no command", "toolgate run -- claude ...")
    program, *rest = command
    kept: list[str] = []
    settings: list[str] = []
    left_out: list[str] = []
    words = iter(rest)
    for word in words:
        name, equals, value = word.partition("=")
        if word == "--":
            kept += [word, *words]
        elif name in HOOKLESS_FLAGS:
            raise SettingsError(name, "under this flag the client calls no hook", "leave it out")
        elif name in BYPASS_FLAGS:
            left_out.append(word)
        elif name in ("--settings", "--permission-mode"):
            option_value = value if equals else next(words, "")
            if name == "--settings":
                settings.append(option_value)
            elif option_value == BYPASS_MODE:
                left_out.append(f"{name} {option_value}")
            else:
                kept += [name, option_value]
        else:
            kept.append(word)
    if len(settings) > 1:
        raise SettingsError("--settings", "it is given twice", "give the one file that counts")
    return CommandLine(program, tuple(kept), settings[0] if settings else "", tuple(left_out))


def build_argv(program: str, settings: str, words: CommandLine) -> tuple[str, ...]:
    return (program, "--settings", settings, *words.arguments)
