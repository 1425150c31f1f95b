"""Programs that run the cells of notebooks: where they run them, and with which parameters."""

from collections.abc import Iterator

from toolgate.model.effect import Interpret, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.program import Program

from . import MODULES
from .script_files import SCRIPT_FILES

_PARAMETER_OPTIONS = ("-p", "--parameters", "-r", "--parameters_raw")
_IN_CURRENT_FOLDER = ("papermill", "ploomber")
"""Programs whose cells run in the current folder, and not in that of the notebook."""


def _make_runner(name: str) -> Program:
    def run_notebooks(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        """`papermill a.ipynb out.ipynb -p mode apply`, `jupyter nbconvert --execute reports/a.ipynb`."""
        parameters = tuple(_iter_parameters(argv)) if name == "papermill" else ()
        for each in SCRIPT_FILES[name].effects_of_call(argv, context):
            if not isinstance(each, Interpret) or each.language != "notebook":
                yield each
                continue
            folder = "" if name in _IN_CURRENT_FOLDER else each.file.rpartition("/")[0]
            yield each._replace(args=parameters, cwd=known_word(folder) if folder else None)

    return Program(does=run_notebooks)


def _iter_parameters(argv: tuple[Word, ...]) -> Iterator[Word]:
    """Yields the parameters of a call as `name=value`."""
    for option, name, value in zip(argv, argv[1:], argv[2:], strict=False):
        if option.text in _PARAMETER_OPTIONS and (name.text or "").isidentifier():
            yield name + known_word("=") + value


ROWS: dict[str, Program] = {name: _make_runner(name) for name in MODULES["notebooks"].split()}
