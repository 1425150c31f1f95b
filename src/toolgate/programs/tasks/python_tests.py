"""Test runners of Python: the plugins and test modules that options, settings and operands name."""

import re
from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Carrier, Interpret, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.place import LOCAL
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.program import INFORMATION_OPTIONS, Program, combine_programs
from toolgate.programs.interpreters.script_interpreters import run_script_file

from .code_files import LOADS, load_code
from .script_files import SCRIPT_FILES
from .task_files import find_nearest, read_candidates, resolve_folder

_SETTINGS = ("pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
_ADDED_OPTIONS = re.compile(r"^\s*(?:addopts\s*[=:]|\"?addopts\"?\s*=)(.*(?:\n[ \t]+\S.*)*)", re.MULTILINE)
_PLUGIN_OPTION = re.compile(r"(?:^|[\s'\"])-p[\s'\",=]*([A-Za-z_][\w.]*)")
_PLUGINS_OF_MODULE = re.compile(r"^pytest_plugins\s*(?::[^=\n]*)?=\s*(\[[^\]]*\]|\([^)]*\)|[\"'][^\"'\n]*[\"'])", re.MULTILINE)
_QUOTED_NAME = re.compile(r"[\"']([A-Za-z_][\w.]*)[\"']")
_MODULE_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*").fullmatch


def import_module_of_project(name: str, source: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Imports a module of the project by its name; nothing for a module that is installed elsewhere."""
    path = name.replace(".", "/")
    if _MODULE_NAME(name) is None:
        return
    if any(context.read_alternatives(known_word(f"{path}{ending}")) for ending in (".py", "/__init__.py")):
        code = known_word(f"import {name}", source.src)
        yield Interpret("python", code, context.origin, via=Carrier("pytest", "-p", guessed=False))


def load_pytest_plugins(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Imports the plugins that options, the environment, settings and `conftest.py` name."""
    here = resolve_folder(None, context)
    if here is None or context.site.machine != LOCAL or not {word.text for word in argv[1:]}.isdisjoint(INFORMATION_OPTIONS):
        return
    options = " ".join(word.text or "" for word in argv[1:])
    texts = [options, *(value.text or "" for value in context.get_variables("PYTEST_ADDOPTS"))]
    chosen = next((value for option, value in pairwise(argv) if option.text in ("-c", "--config-file")), None)
    settings = read_candidates((chosen,), here, context) if chosen is not None else find_nearest(_SETTINGS, None, context)
    texts += [found[1] for file in settings for found in _ADDED_OPTIONS.finditer(file.text)]
    names = [name for text in texts for name in _PLUGIN_OPTION.findall(text)]
    names += [name for value in context.get_variables("PYTEST_PLUGINS") for name in (value.text or "").split(",")]
    for file in find_nearest(("conftest.py",), None, context):
        names += [name for found in _PLUGINS_OF_MODULE.finditer(file.text) for name in _QUOTED_NAME.findall(found[1])]
    for name in dict.fromkeys(names):
        yield from import_module_of_project(name, known_word(""), context)


def load_folder_settings(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Runs the `conftest.py` of each folder on the way to the tests that a command line names."""
    here = resolve_folder(None, context)
    if here is None or context.site.machine != LOCAL or not {word.text for word in argv[1:]}.isdisjoint(INFORMATION_OPTIONS):
        return
    named = [(word.text or "").partition("::")[0].strip("/") for word in argv[1:] if word.starts_with("-") is False]
    parts = [name.removesuffix(".py").split("/") for name in named if name and ".." not in name]
    folders = dict.fromkeys("/".join(each[: n + 1]) for each in parts for n in range(len(each)))
    for folder in list(folders)[:_MAX_FOLDERS]:
        if folder in _LOADED_FOLDERS:
            continue
        for text in context.read_followed_code(known_word(f"{folder}/conftest.py")):
            file = f"{here}/{folder}/conftest.py"
            yield Interpret("python", text, context.origin, via=Carrier("conftest.py"), file=file, of_project=True, of_test=True)


_MAX_FOLDERS = 20
_LOADED_FOLDERS = ("tests", "test")
"""Folders whose settings every run loads."""


def load_named_tests(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`python -m unittest tests.test_a.Class.test_b` runs the module that the longest part of the name means."""
    for word in argv[1:]:
        parts = (word.text or "").split(".")
        if _MODULE_NAME(word.text or "") is None:
            continue
        for length in range(len(parts), 0, -1):
            file = known_word(f"{'/'.join(parts[:length])}.py", word.src)
            if context.read_alternatives(file):
                yield from import_module_of_project(".".join(parts[:length]), word, context)
                yield from run_script_file("python", file, (file,), context)
                break
    for folder in ("tests", "test"):
        yield from import_module_of_project(folder, known_word(""), context)


def add_test_environment(program: Program) -> Program:
    """Returns pytest with the variables that its settings give to the tests: `env` of pytest-env, `env_files` of pytest-dotenv."""

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        files = tuple(_find_environment_files(context))
        for each in program.effects_of_call(argv, context):
            yield each._replace(environment_files=files) if isinstance(each, Interpret) else each

    return Program(does=report_effects)


def _find_environment_files(context: ExecutionContext) -> Iterator[Word]:
    """Yields the files that set variables for tests. Lines of a settings file do it as those of an environment file do."""
    for file in find_nearest(_SETTINGS, None, context):
        if _SETS_VARIABLES.search(file.text):
            yield known_word(file.path)
        for listed in _ENVIRONMENT_FILES.finditer(file.text):
            yield from (known_word(name) for name in _FILE_NAME.findall(listed[1]))


_SETS_VARIABLES = re.compile(r"^env\s*=|^\[(?:tool\.)?pytest_env\]", re.MULTILINE)
_ENVIRONMENT_FILES = re.compile(r"^env_files\s*=(.*(?:\n[ \t]+\S.*)*)", re.MULTILINE)
_FILE_NAME = re.compile(r"[\w./-]+")

ROWS: dict[str, Program] = {
    **dict.fromkeys(
        ("pytest", "py.test"),
        add_test_environment(
            combine_programs(
                load_code(LOADS["pytest"]),
                Program(does=load_pytest_plugins),
                Program(does=load_folder_settings),
                SCRIPT_FILES["pytest"],
            )
        ),
    ),
    "unittest": combine_programs(load_code(LOADS["unittest"]), Program(does=load_named_tests)),
}
