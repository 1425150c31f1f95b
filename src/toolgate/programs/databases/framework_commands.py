"""Commands that a project adds to its framework's program: those of Django's apps, and those of a Flask application."""

from collections.abc import Iterator

from toolgate.model.effect import Carrier, Interpret, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, glob_hole, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program

_RUNS_COMMAND = """

import argparse, sys
_parser = argparse.ArgumentParser()
_command = Command()
_command.add_arguments(_parser)
_command.handle(**vars(_parser.parse_args(sys.argv[2:])))
"""
"""What Django does with a command's class."""
_GROUPING_FOLDERS = ("apps", "src", "backend", "server", "api", "project", "web")
_MAX_FOLDERS = 40
_FLASK_OPTIONS = Flags("-A,--app= -e,--env-file= --debug --no-debug --version --help")
_FLASK_FILES = ("wsgi", "app")


def run_django_command(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`manage.py NAME`: runs the class in `APP/management/commands/NAME.py`."""
    name = argv[1].text if len(argv) > 1 else None
    if name is None or not name.replace("-", "_").isidentifier():
        return
    for folder in _list_app_folders(context):
        path = f"{folder}/management/commands/{name}.py"
        for text in context.read_alternatives(known_word(path)):
            code = text + known_word(_RUNS_COMMAND) if text.text is not None else text
            yield Interpret("python", code, context.origin, argv, Carrier("manage.py", name), file=path)


def _list_app_folders(context: ExecutionContext) -> Iterator[str]:
    """Yields folders in which apps usually are: those of the current folder, and those in folders that group them."""
    for folder in _list_folders(".", context):
        yield folder
        if folder.rpartition("/")[2] in _GROUPING_FOLDERS:
            yield from _list_folders(folder, context)


def _list_folders(within: str, context: ExecutionContext) -> Iterator[str]:
    paths = context.list_files(Word((f"{within}/", glob_hole("*"))))
    yield from [path for path in paths if "." not in path.rpartition("/")[2]][:_MAX_FOLDERS]


def run_flask_command(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`flask --app wsgi NAME`: runs the command that the application's file declares by that name."""
    options = _FLASK_OPTIONS.parse(argv, stop=True)
    words = argv[options.rest :]
    chosen = options.value_of("--app") or context.get_variable("FLASK_APP")
    names = (chosen.outline.partition(":")[0].removesuffix(".py").replace(".", "/"),) if chosen is not None else _FLASK_FILES
    for name in names if words and words[0].text not in _OWN_COMMANDS else ():
        for path in (f"{name}.py", f"{name}/__init__.py"):
            for text in context.read_alternatives(known_word(path)):
                yield Interpret("python", text, context.origin, (known_word(path), *words), Carrier("flask"), file=path)


_OWN_COMMANDS = ("run", "routes", "shell", "db")

DJANGO_COMMAND, FLASK_COMMAND = Program(does=run_django_command), Program(does=run_flask_command)
