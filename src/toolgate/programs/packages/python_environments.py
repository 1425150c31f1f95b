"""Virtual environments of Python: their creation, and which one an installer changes."""

from collections.abc import Iterator

from toolgate.model.effect import PrintedOutput, ReportedEffect, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, program_name

_INTERPRETER_VARIABLES = {
    "uv": ("VIRTUAL_ENV", "UV_PYTHON", "UV_PROJECT_ENVIRONMENT"),
    "pip": ("PIP_PYTHON",),
    "pip3": ("PIP_PYTHON",),
}
_FOLDER_VARIABLES = ("VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT")


def find_interpreter(argv: tuple[Word, ...], option: Word | None, context: ExecutionContext) -> Word | None:
    """Returns the interpreter of the environment that `pip --python PATH` or `VIRTUAL_ENV=PATH uv pip` works on, which it also
    starts."""
    if option is not None and any("/" in part for part in option.parts if isinstance(part, str)):
        return _interpreter_in(option, context)
    for name in _INTERPRETER_VARIABLES.get(program_name(argv), ()):
        value = context.get_variable(name)
        if value is not None and value.parts:
            return value + known_word("/bin/python") if name in _FOLDER_VARIABLES else _interpreter_in(value, context)
    return None


def _interpreter_in(path: Word, context: ExecutionContext) -> Word:
    """Returns the interpreter itself, or that of a named environment folder."""
    return path + known_word("/bin/python") if context.is_folder(context.resolve_place(path)) is True else path


VENV_OPTIONS = Flags(
    "--clear --upgrade --system-site-packages --symlinks --copies --without-pip --without-scm-ignore-files --prompt= --upgrade-deps -p,--python= --seed"
    " --allow-existing --relocatable --download --no-download --reset-app-data --app-data= -q,--quiet -v,--verbose -n --no-project --no-config"
)


def create_environment(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """venv, virtualenv create the folder, or replace its content."""
    for folder in VENV_OPTIONS.parse(argv).operands or [known_word(".venv")]:  # uv's default
        yield Write(context.resolve_place(folder), None, True, context.origin, tree=True)
        context.record_replaced_folder(folder)
    yield PrintedOutput(context.unknown_output(program_name(argv)))


ROWS: dict[str, Program] = dict.fromkeys(("venv", "virtualenv", "pyvenv"), Program(does=create_environment))
