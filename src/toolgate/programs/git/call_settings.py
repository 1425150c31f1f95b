"""The settings that a call gives git itself, on its command line and in variables (git(1), git-config(1))."""

from collections.abc import Iterable, Iterator

from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.options import ParsedOptions

from .config_files import Setting

_MAX_NUMBERED_SETTINGS = 100
"""The number of numbered settings that are read."""


def settings_of_call(top: ParsedOptions, context: ExecutionContext) -> Iterator[Setting]:
    """Yields the settings in git's order, except GIT_CONFIG_PARAMETERS, which is internal to git."""
    count = (context.get_variable("GIT_CONFIG_COUNT") or known_word("0")).text or ""
    for n in range(min(int(count), _MAX_NUMBERED_SETTINGS) if count.isdecimal() else 0):
        name, value = context.get_variable(f"GIT_CONFIG_KEY_{n}"), context.get_variable(f"GIT_CONFIG_VALUE_{n}")
        if name is not None and value is not None:
            yield Setting(_normalise_name(name.text or ""), value)
    for option, setting in top.values:
        name, valued, value = setting.partition("=")
        if option == "-c":
            yield Setting(_normalise_name(name.text or ""), value if valued else known_word("true"))
        elif option == "--config-env":
            yield Setting(_normalise_name(name.text or ""), context.get_variable(value.text or "") or Word(()))


def words_for_push(settings: Iterable[Setting]) -> Iterator[Word]:
    """Yields the words with which `git push` does what these settings of a remote make it do: `remote.origin.mirror=true`,
    `remote.origin.push=+refs/*:refs/*`."""
    for setting in settings:
        section, key = setting.name.partition(".")[0], setting.name.rpartition(".")[2]
        if section == "remote" and key == "mirror" and setting.value.is_any_of("false", "0", "no", "off") is not True:
            yield known_word("--mirror")
        elif section == "remote" and key == "push" and setting.value.starts_with("+") is not False:
            yield known_word("--force")


def _normalise_name(name: str) -> str:
    """Lower-case the section and the key; a subsection is case-sensitive."""
    section, _, rest = name.partition(".")
    subsection, dot, key = rest.rpartition(".")
    return f"{section.lower()}.{subsection}{dot}{key.lower()}"
