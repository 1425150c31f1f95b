"""`python -m NAME`, and what Python imports at start: modules of the project, and of folders that this call names."""

import sys
from collections.abc import Iterator

from toolgate.model.effect import Carrier, Interpret, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs import find_row
from toolgate.programs.argv.options import Flags

from .script_interpreters import run_script_file


def run_module(module: Word, operands: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Runs `python -m NAME`: the project's module of this name, if there is one, or a module that runs a given script."""
    name = module.text
    if name is None or not name.replace(".", "").replace("_", "").isalnum():
        return
    if name in SCRIPT_RUNNERS:
        yield from _run_by_module(name, (module, *operands), context)
        return
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


SCRIPT_RUNNERS = {
    "cProfile": Flags("-o= -s= -m="),
    "profile": Flags("-o= -s= -m="),
    "trace": Flags(
        "--help --version -t,--trace -c,--count -r,--report -l,--listfuncs -T,--trackcalls -f,--file= -C,--coverdir= -m,--missing -s,--summary -g,--timing --ignore-module= --ignore-dir= --module"
    ),
    "pdb": Flags("-c= -m="),
    "runpy": Flags(""),
    "tracemalloc": Flags(""),
    "viztracer": Flags("-o= -m="),
    "memory_profiler": Flags("-o= -T="),
    "line_profiler": Flags("-o="),
    "kernprof": Flags("-l -v -o="),
    "coverage": Flags("-a,--append --branch --source= --omit= --include= -p,--parallel-mode --rcfile= --data-file= -m="),
    "debugpy": Flags("--listen= --connect= --wait-for-client --log-to= -m="),
}
"""Modules that run a script or module from their arguments."""


def _run_by_module(name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    verb = 1 if name == "coverage" and len(argv) > 1 and argv[1].text == "run" else 0
    options = SCRIPT_RUNNERS[name].parse(argv[verb:], stop=True)
    operands = argv[verb + options.rest :]
    if name == "runpy" and operands:
        yield from run_module(operands[0], tuple(operands[1:]), context)
    elif (module := options.value_of("-m")) is not None:
        yield from run_module(module, tuple(operands), context)
    elif operands and (name != "coverage" or verb):
        yield from run_script_file("python", operands[0], tuple(operands), context)


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
