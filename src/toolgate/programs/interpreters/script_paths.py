"""The file that an interpreter runs for a path: a folder's main file, or the path with the ending that it adds."""

import json
from collections.abc import Iterator

from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
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
