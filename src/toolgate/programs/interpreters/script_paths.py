"""What an interpreter runs for a path: a folder's main file, the path with the ending that it adds, or a program with a row."""

import json
import re
from collections.abc import Iterator

from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs import FAMILY_OF
from toolgate.programs.tasks.steps import decode_json_text


def complete_script_path(language: str, file: Word, context: ExecutionContext) -> Word:
    """Returns the file that runs; the path itself where there is no other."""
    if language == "python":
        is_folder = context.is_folder(context.resolve_place(file)) is True
        return file + known_word("/__main__.py") if is_folder else file
    if language not in ("javascript", "typescript"):
        return file
    return next((each for each in _list_candidates(file, context) if context.read_alternatives(each)), file)


def _list_candidates(file: Word, context: ExecutionContext) -> Iterator[Word]:
    """Yields the paths that node tries, in its order."""
    if context.is_folder(context.resolve_place(file)) is not True:
        yield from (file + known_word(ending) for ending in ("", ".js"))
        return
    folder = file + known_word("/")
    for text in context.read_alternatives(folder + known_word("package.json")):
        if main := _read_main_file(text.text or ""):
            yield from (folder + known_word(main + ending) for ending in ("", ".js", "/index.js"))
    yield folder + known_word("index.js")


def _read_main_file(package: str) -> str:
    """Returns the main file that a package.json names; empty if it names none."""
    try:
        main = json.loads(decode_json_text(package)).get("main")
    except (ValueError, AttributeError, RecursionError):
        return ""
    return main.removeprefix("./") if isinstance(main, str) else ""


_MANAGERS = frozenset(("manage.py", "artisan", "console", "rails", "rake", "setup.py", "yii", "cake"))
_PACKAGES = {
    "/@anthropic-ai/claude-code/": "claude",
    "/@openai/codex/": "codex",
    "/@google/gemini-cli/": "gemini",
    "/@github/copilot/": "copilot",
}


def program_of_script(script: Word) -> str | None:
    """Returns the program with a row that a script is, whatever runs it: by its name, or by its package."""
    name = script.file_name
    if name in _MANAGERS or FAMILY_OF.get(name) == "launchers.agents":
        return name
    found = _PACKAGE_PROGRAM.search(script.tail)
    if found is not None and FAMILY_OF.get(found["name"]) is not None:
        return found["name"]
    return next((program for package, program in _PACKAGES.items() if package in script.tail), None)


_PACKAGE_PROGRAM = re.compile(
    r"(?:^|/)node_modules/(?:\.bin/|(?=[\w-]+/(?:(?:bin|dist|lib|build)/)*(?:cli|index|main|\w*bin)\w*(?:\.[cm]?js)?$))(?P<name>[\w-]+)"
)
"""Matches the program of a package in `node_modules`, by its link or by the file that usually starts it."""
