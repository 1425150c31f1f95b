"""The environment of programs that a call starts: inherited by a shell, or changed by code of another language."""

from collections.abc import Iterable, Iterator, Mapping

from toolgate.model.effect import Carrier, Effect, Environment, Interpret, Operation, Origin
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.host import LOCATION_VARIABLES
from toolgate.model.word import known_word, unknown_word
from toolgate.shell.domain.protocol import Command, Scope


class InheritedEnvironment(Mapping[str, str]):
    """The caller's environment without the variables that the text itself has set, which are passed separately."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def __getitem__(self, name: str) -> str:
        if name in self._scope.variables:
            raise KeyError(name)
        return self._scope.environ[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._scope.environ if name not in self._scope.variables)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def find_relocated_settings(code: str, origin: Origin) -> Iterator[Operation]:
    """Yields the variables named in code that would relocate the settings of what it starts. HOME is too common to count."""
    for name in LOCATION_VARIABLES:
        if name != "HOME" and name in code:
            yield Operation("settings.moved", origin._replace(sure=None), known_word(name))


def find_search_path(command: Command, effects: Iterable[Effect], origin: Origin) -> Iterator[Environment]:
    """Yields a PATH that was set other than by an assignment (`read PATH`, `for PATH in`), which reports itself."""
    if "PATH" in command.scope.variables and not any(isinstance(each, Environment) and each.name == "PATH" for each in effects):
        yield Environment("PATH", command.scope.get("PATH") or unknown_word("$PATH"), origin)


def read_startup_files(reader: str, context: ExecutionContext) -> list[str]:
    """Returns the files that a non-interactive shell reads first, if this call sets them. Unknown text is reported."""
    name, file = _STARTUP_FILES.get(reader, ("", ""))
    values = (value for value in context.get_variables(name) if value.parts)
    texts = [text for value in values for text in context.read_followed_code(value + known_word(file))]
    for text in texts:
        if text.text is None and text.src:
            context.report_unknown_code(Interpret("shell", text, context.origin, via=Carrier(name)))
    return [text.text for text in texts if text.text is not None]


_STARTUP_FILES = {"bash": ("BASH_ENV", ""), "rbash": ("BASH_ENV", ""), "zsh": ("ZDOTDIR", "/.zshenv")}
