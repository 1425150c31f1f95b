"""Virtual environments of Python: their creation, and which one an installer changes."""

from collections.abc import Iterator

from toolgate.model.effect import Prints, Reported, Write
from toolgate.model.seen import Seen
from toolgate.model.word import Word, known

from .options import Flags
from .program import Program, via

_VARIABLES = {"uv": ("VIRTUAL_ENV", "UV_PYTHON", "UV_PROJECT_ENVIRONMENT"), "pip": ("PIP_PYTHON",), "pip3": ("PIP_PYTHON",)}
_FOLDERS = ("VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT")


def interpreter_given(argv: tuple[Word, ...], option: Word | None, seen: Seen) -> Word | None:
    """Return the interpreter of the environment that `pip --python PATH` or `VIRTUAL_ENV=PATH uv pip` works on, which it also
    starts."""
    if option is not None and any("/" in part for part in option.parts if isinstance(part, str)):
        return _interpreter_in(option, seen)
    for name in _VARIABLES.get(via(argv), ()):
        value = seen.variable(name)
        if value is not None and value.parts:
            return value + known("/bin/python") if name in _FOLDERS else _interpreter_in(value, seen)
    return None


def _interpreter_in(path: Word, seen: Seen) -> Word:
    """Return the interpreter itself, or that of a named environment folder."""
    return path + known("/bin/python") if seen.is_folder(seen.place(path)) is True else path


MAKES = Flags(
    "--clear --upgrade --system-site-packages --symlinks --copies --without-pip --without-scm-ignore-files --prompt= --upgrade-deps -p,--python= --seed"
    " --allow-existing --relocatable --download --no-download --reset-app-data --app-data= -q,--quiet -v,--verbose -n --no-project --no-config"
)


def make(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """venv, virtualenv create the folder, or replace its content."""
    for folder in MAKES.read(argv).operands:
        yield Write(seen.place(folder), None, True, seen.origin, tree=True)
    yield Prints(seen.output(via(argv)))


ROWS: dict[str, Program] = dict.fromkeys(("venv", "virtualenv", "pyvenv"), Program(does=make))
