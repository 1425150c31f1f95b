"""What `go` runs of the packages that a call names: the commands in `//go:generate` comments, and what sets tests up."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Carrier, Interpret, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.unread_code import opaque_for_unread
from toolgate.model.word import Word, glob_hole, known_word
from toolgate.programs.packages.sources import find_sources_of_call

from .command_files import quote_word
from .steps import Step
from .task_files import interpret_step, read_candidates, resolve_folder

_MAX_FOLDERS = 500
_MAX_SET_UPS = 8
_MAX_TEST_FILES = 200


def run_go(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Runs the commands and the set-ups of tests in the sources, and yields the proxy that the call takes modules from."""
    here, words = resolve_folder(None, context), [word.text or "" for word in argv[1:]]
    if here is not None and words[:1] == ["generate"] and "-n" not in words:
        yield from _run_directives(words[1:], here, context)
    elif here is not None and words[:1] == ["test"] and {"-c", "-list", "-n"}.isdisjoint(words):
        yield from _interpret_set_ups(words[1:], here, context)
    if len(argv) > 1 and argv[1].is_any_of("get", "install", "mod", "run") is True:
        yield from find_sources_of_call(argv[:1], context)


def _run_directives(words: list[str], here: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    for word in [word for word in words if not word.startswith("-")] or ["."]:
        files, is_complete = _list_sources(word, here, context)
        if not is_complete:
            yield opaque_for_unread(word, f"it has more than {_MAX_FOLDERS} folders", context.origin)
        for path in files:
            yield from _interpret_directives(path, here, context)


def _interpret_set_ups(words: list[str], here: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Reads the files of tests with a function that runs before all of them. The tests of a project are its author's."""
    packages = [word for word in words if _IS_PACKAGE(word)] or ["."]
    tests = [path for word in packages for path in _list_sources(word, here, context)[0] if path.endswith("_test.go")]
    texts = (
        (path, text) for path in tests[:_MAX_TEST_FILES] for text in context.read_alternatives(known_word(path)) if text.text
    )
    set_ups = [(path, text) for path, text in texts if _SETS_UP(text.text or "")]
    for path, text in set_ups[:_MAX_SET_UPS]:
        folder, _, name = path.rpartition("/")  # the tests of a package run in its folder
        yield Interpret(
            "go", text, context.origin, via=Carrier(name), file=path, cwd=known_word(folder), of_project=True, of_test=True
        )


_IS_PACKAGE = re.compile(r"\.{1,2}(?:/[\w./-]*)?|[\w./-]+_test\.go").fullmatch
_SETS_UP = re.compile(r"^func TestMain\(", re.MULTILINE).search


def _list_sources(word: str, here: str, context: ExecutionContext) -> tuple[list[str], bool]:
    """Returns the files of Go that a pattern of packages names, and whether these are all."""
    start = word.removesuffix("...").strip("/").removeprefix("./")
    base = here if start in (".", "") else f"{here}/{start}"
    if base.endswith(".go"):
        return [base], True
    folders, is_complete = _list_folders(base, context) if word.endswith("...") else ([base], True)
    listed = (path for folder in folders for path in _list_files(folder, context))
    return [path for path in listed if path.endswith(".go")], is_complete


def _list_folders(base: str, context: ExecutionContext) -> tuple[list[str], bool]:
    """Returns a folder and those below it, and whether these are all."""
    folders = [base]
    for folder in folders:  # which grows
        if len(folders) > _MAX_FOLDERS:
            return folders[:_MAX_FOLDERS], False
        folders += [path for path in _list_files(folder, context) if "." not in path.rpartition("/")[2]]
    return folders, True


def _list_files(folder: str, context: ExecutionContext) -> tuple[str, ...]:
    return context.list_files(Word((f"{folder}/", glob_hole("*"))))


def _interpret_directives(path: str, here: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    for file in read_candidates((known_word(path),), here, context):
        for found in re.finditer(r"^//go:generate[ \t]+(?!-command\b)(.+)$", file.text, re.MULTILINE):
            words = (each[1:-1] if each.startswith('"') else each for each in re.findall(r'"(?:[^"\\]|\\.)*"|\S+', found[1]))
            text = " ".join(quote_word(word.replace('\\"', '"')) if "$" not in word else f'"{word}"' for word in words)
            yield interpret_step(Step(known_word(text), file.text.count("\n", 0, found.start()) + 1), file, context)
