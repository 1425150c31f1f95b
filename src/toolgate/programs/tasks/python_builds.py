"""Builds of a Python project: the backend, build hooks and `setup.py` that an installation from a folder runs."""

import tomllib
from collections.abc import Iterator
from typing import Any

from toolgate.model.effect import Carrier, Interpret, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.place import LOCAL
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.program import INFORMATION_OPTIONS, Program, program_name

_BUILDING_VERBS = ("install", "wheel", "build", "sync")
_HOOK_FILES = ("setup.py", "hatch_build.py", "pdm_build.py", "build_hooks.py")


def build_project(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`pip install -e .`, `pip wheel DIR`, `python -m build`, `uv build`, `uv sync`."""
    words = [word for word in argv[1:] if word.text]
    texts = {word.text for word in words}
    if context.site.machine != LOCAL or not texts.isdisjoint(INFORMATION_OPTIONS):
        return
    needs_verb = program_name(argv) != "build"
    if needs_verb and texts.isdisjoint(_BUILDING_VERBS):
        return
    folders = [known_word((word.text or "").partition("[")[0], word.src) for word in words if _is_folder(word, context)]
    names_all = needs_verb and ("install" in texts or "pip" in texts)  # `uv pip sync FILE` installs what the file names
    for folder in folders or ([] if names_all else [known_word(".")]):
        yield from _run_build(folder, context)


def _is_folder(word: Word, context: ExecutionContext) -> bool:
    name = (word.text or "").partition("[")[0]
    return (name.startswith((".", "/")) or "/" in name) and context.is_folder(
        context.resolve_place(known_word(name))
    ) is not False


def _run_build(folder: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    beneath = folder + known_word("/")
    names = list(_HOOK_FILES)
    for text in context.read_alternatives(beneath + known_word("pyproject.toml")):
        names += _list_build_code(text.text or "")
    for name in dict.fromkeys(names):
        file = beneath + known_word(name)
        path = context.resolve_place(file).path or ""
        for text in context.read_followed_code(file):
            yield Interpret("python", text, context.origin, via=Carrier(name), file=path, of_project=True)


def _list_build_code(text: str) -> Iterator[str]:
    """Yields the files of the project that its build runs: a backend of its own, and the hooks of known backends."""
    try:
        manifest = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return
    system = _table(manifest, "build-system")
    backend, folders = system.get("build-backend"), system.get("backend-path")
    if isinstance(backend, str) and isinstance(folders, list):
        module = backend.partition(":")[0].replace(".", "/")
        yield from (f"{folder}/{module}{ending}" for folder in folders for ending in (".py", "/__init__.py"))
    hatch = _table(manifest, "tool", "hatch")
    hooks = (_table(hatch, "build", "hooks", "custom"), _table(hatch, "metadata", "hooks", "custom"), _table(hatch, "version"))
    for table in (*hooks, _table(manifest, "tool", "poetry", "build")):
        yield from (value for key in ("path", "script") if isinstance(value := table.get(key), str) and value.endswith(".py"))


def _table(manifest: dict[str, Any], *keys: str) -> dict[str, Any]:
    table: Any = manifest
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    return table if isinstance(table, dict) else {}


ROWS: dict[str, Program] = {**dict.fromkeys(("pip", "pip3", "build", "flit", "uv"), Program(does=build_project))}
