"""Programs that run the cells of notebooks: where they run them, and with which parameters."""

from collections.abc import Iterator
from itertools import pairwise

from toolgate.documents import read_yaml
from toolgate.model.effect import Interpret, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.program import Program

from . import MODULES
from .script_files import SCRIPT_FILES

_PARAMETER_OPTIONS = ("-p", "--parameters", "-r", "--parameters_raw")
_FILE_OPTIONS, _TEXT_OPTIONS = ("-f", "--parameters_file"), ("-y", "--parameters_yaml")
_IN_CURRENT_FOLDER = ("papermill", "ploomber")
"""Programs whose cells run in the current folder, and not in that of the notebook."""


def _make_runner(name: str) -> Program:
    def run_notebooks(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        """`papermill a.ipynb out.ipynb -p mode apply`, `jupyter nbconvert --execute reports/a.ipynb`."""
        parameters = (*_iter_file_parameters(argv, context), *_iter_parameters(argv)) if name == "papermill" else ()
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


def _iter_file_parameters(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[Word]:
    """Yields the parameters in files and texts of YAML."""
    for option, value in pairwise(argv):
        texts = (
            [word.text for word in context.read_alternatives(value)]
            if option.text in _FILE_OPTIONS
            else [value.text]
            if option.text in _TEXT_OPTIONS
            else []
        )
        for text in texts:
            found = read_yaml(text or "")
            for key, given in found.items() if isinstance(found, dict) else ():
                if str(key).isidentifier():
                    yield known_word(f"{key}={_YAML_CONSTANTS.get(str(given).lower(), given)}")


_YAML_CONSTANTS = {
    **dict.fromkeys(("true", "yes", "on"), "True"),
    **dict.fromkeys(("false", "no", "off"), "False"),
    **dict.fromkeys(("null", "~", ""), "None"),
}


ROWS: dict[str, Program] = {name: _make_runner(name) for name in MODULES["notebooks"].split()}
