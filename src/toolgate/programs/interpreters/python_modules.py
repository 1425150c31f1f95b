"""`python -m NAME`, and what Python imports at start: modules of the project, and of folders that this call names."""

import sys
from collections.abc import Iterator

from toolgate.model.effect import Carrier, Interpret, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs import FAMILY_OF, find_row

from .script_interpreters import run_script_file


def run_module(module: Word, operands: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Runs `python -m NAME`: the project's module of this name, if there is one."""
    name = module.text
    if name is None or not name.replace(".", "").replace("_", "").isalnum():
        return
    if FAMILY_OF.get(name) == "interpreters.script_runners":
        return  # the program of this name runs the script
    path, is_tool = name.replace(".", "/"), _is_tool(name)
    folders = [known_word(""), *(each + known_word("/") for each in _python_path(context))]
    parents = [path[:at] for at in range(len(path)) if path[at] == "/"]
    files = (*(f"{parent}/__init__.py" for parent in parents), f"{path}/__init__.py", f"{path}.py", f"{path}/__main__.py")
    for file in (folder + known_word(name) for folder in folders for name in files):
        if any(each.parts for each in context.read_alternatives(file)):
            for effect in run_script_file("python", file, (file, *operands), context):
                yield effect._replace(of_project=True) if is_tool and isinstance(effect, Interpret) else effect


def _is_tool(name: str) -> bool:
    """Returns whether it is a module of the standard library, or one that runs a program with a row: `venv`, `pip`, `pytest`."""
    return name.partition(".")[0] in sys.stdlib_module_names or find_row(name) is not None


def _python_path(context: ExecutionContext) -> list[Word]:
    """Returns the folders that this call adds to Python's module path."""
    value = context.get_variable("PYTHONPATH")
    return [each for each in value.split_at(":") if each.parts] if value is not None else []


def run_at_start(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Runs what Python imports at start from a folder that this call names."""
    if any(word.text in ("-S", "-E", "-I") for word in argv[1:]):
        return
    for folder in _python_path(context):
        for name in ("sitecustomize.py", "usercustomize.py"):
            file = folder + known_word(f"/{name}")
            for code in context.read_alternatives(file):
                yield Interpret("python", code, context.origin, (), Carrier(file.display_text), file=file.display_text)
