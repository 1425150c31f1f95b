"""Lookup of a project's task files, and their steps as code for a shell."""

from collections.abc import Iterator
from typing import NamedTuple

from toolgate.model.effect import Carrier, Interpret
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.place import LOCAL
from toolgate.model.word import EMPTY, Unread, Word, known_word, pipe_content, unread_parts, unread_word
from toolgate.temporary_folders import locate_in_temporary_folder

from .steps import Step


class File(NamedTuple):
    """`src`: the commands of this call that wrote it."""

    path: str
    text: str
    src: frozenset[int]


def find_nearest(names: tuple[str, ...], within: Word | None, context: ExecutionContext) -> Iterator[File]:
    """Yields the files of these names in a folder, or in the nearest parent that surely has one."""
    start, words = resolve_folder(within, context), tuple(map(known_word, names))
    while start is not None:
        found = False
        for file in read_candidates(words, start, context):
            yield file
            found = True
        if (found and not _is_written_by_call(names, start, context)) or start == "/":
            return
        start = start.rpartition("/")[0] or "/"


def _is_written_by_call(names: tuple[str, ...], within: str, context: ExecutionContext) -> bool:
    """Returns whether this call wrote one of them; then it may not exist."""
    return any(text.src for name in names for text in context.read_alternatives(known_word(f"{within.rstrip('/')}/{name}")))


def read_candidates(names: tuple[Word, ...], within: str | None, context: ExecutionContext) -> Iterator[File]:
    """Yields all possible contents of a file with one of these names; names after the first that surely exists are skipped.

    A content that this call wrote and that is unknown is reported as code: surely run unless a file exists that may be left.
    """
    if within is None or context.site.machine != LOCAL:
        return
    unknown: list[Interpret] = []
    is_known = False
    for name in names:
        path = name.text if name.starts_with("/") is True else f"{within.rstrip('/')}/{name.text}"
        texts = (
            context.read_followed_code(known_word(path))
            if name.text and path
            else context.read_followed_code(name)
            if pipe_content(name) is not None
            else ()
        )
        for text in texts:
            if text.text is not None:
                is_known = is_known or bool(text.text and not text.src)
                yield File(path or "", text.text, text.src)
            elif text.src and not unread_parts(text):
                unknown.append(_interpret_unknown(text, path or "", context))
        if texts and all(text.text is not None and not text.src for text in texts):
            break
    for code in unknown[:1]:
        context.report_unknown_code(code._replace(sure=None if is_known else True))


def _interpret_unknown(text: Word, path: str, context: ExecutionContext) -> Interpret:
    """Returns the code of a task file that this call wrote with unknown content: downloaded, cloned, or generated."""
    return Interpret("shell", text, context.origin, via=Carrier(path.rpartition("/")[2]), file=path, of_project=True)


def read_stdin_file(within: str | None, context: ExecutionContext) -> Iterator[File]:
    """Yields the content of standard input as a file."""
    if within is not None and context.stdin.text is not None:
        yield File(f"{within}/-", context.stdin.text, context.stdin.src)


def resolve_folder(folder: Word | None, context: ExecutionContext) -> str | None:
    """Returns the path of a folder; that of its pattern if this call has made it by `mktemp -d`."""
    place = context.resolve_place(EMPTY if folder is None else folder)
    inner = locate_in_temporary_folder(place)
    return place.path if inner is None or inner.names else inner.path


def interpret_step(step: Step, file: File, context: ExecutionContext) -> Interpret:
    where, _, name = file.path.rpartition("/")
    code = step.text.from_commands(file.src)
    if holes := unread_parts(code):
        code = unread_word(file.path, holes[0].unread or Unread(""), file.src)
    within = step.folder if step.folder.startswith("/") else f"{where}/{step.folder}"
    return Interpret(
        step.language,
        code,
        context.origin,
        via=Carrier(f"{step.file or name}:{step.line}"),
        file=file.path,
        cwd=known_word(within.rstrip("/") or "/"),
    )
