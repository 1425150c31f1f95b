"""Files that Python code opens: what it reads from them, and what it writes to them."""

from __future__ import annotations

from collections.abc import Mapping

from toolgate.languages.evaluation.library_files import names_path
from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.shared_results import content_of
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.text_records import read_rows
from toolgate.languages.evaluation.values import (
    FALSE,
    NULL,
    TRUE,
    Constant,
    Instance,
    ListValue,
    Unknown,
    Value,
    text_of,
    unknown_from,
    word_of,
)
from toolgate.model.word import EMPTY, Word, known_word


def open_file(evaluation: Evaluation, file: Value | None, mode: Value | None = None) -> Value:
    """Opens a file of any format, for reading or writing according to its mode."""
    report = evaluation.report
    if file is None:
        return Unknown("a file")
    if isinstance(mode, Constant) and isinstance(mode.value, int):
        reads, appends = not mode.value & 0o1103, bool(mode.value & 0o2000)
    else:
        mode_text = "r" if mode is None or mode is NULL else word_of(mode).text
        reads = mode_text is not None and set(mode_text) <= set("rbtU|:*gzx2") and "x" not in mode_text.replace("xz", "")
        appends = "a" in (mode_text or "")
    if reads:
        report.read(file)
    else:
        report.write(file, report.unknown_output("data that Python writes"), TRUE if appends else FALSE)
    return Instance("file", {"path": file, "writes": FALSE if reads else TRUE})


def open_text_file(evaluation: Evaluation, file: Value | None, mode: Value | None = None, encoding: Value | None = None) -> Value:
    """Opens a file whose text is followed, if it is written from its start or at its end."""
    mode_text = text_of(mode) or ""
    coding = "utf-8" if encoding is None or encoding is NULL else (text_of(encoding) or "").lower()
    if file is None or mode_text.rstrip("bt+") not in ("w", "x", "a") or coding not in _TEXT_ENCODINGS:
        return open_file(evaluation, file, mode)
    opened = Instance("file", {"path": file, "writes": TRUE})
    evaluation.report.opened_files.add_file(evaluation, opened, file, appends="a" in mode_text)
    return opened


_TEXT_ENCODINGS = frozenset(("utf-8", "utf8", "ascii", "us-ascii", "latin-1", "latin1", "iso-8859-1"))


def _open_path(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    file, mode = _bind_path_and_mode(arguments)
    if isinstance(file, Constant) and isinstance(file.value, int) and file is not NULL:
        return Unknown("a file that is open already")
    return None if file is None else open_file(evaluation, file, mode)


def _open_text_path(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    file, mode = _bind_path_and_mode(arguments)
    if arguments.rest is not None or not isinstance(file, Word | Instance):
        return _open_path(evaluation, receiver, arguments)
    encoding = arguments.positional[3] if len(arguments.positional) > 3 else arguments.named.get("encoding")
    return open_text_file(evaluation, file, mode, encoding)


def _bind_path_and_mode(arguments: Arguments) -> tuple[Value | None, Value | None]:
    positional = list(arguments.positional)
    file = positional.pop(0) if positional else arguments.named.get("file", arguments.named.get("path", arguments.rest))
    mode = positional.pop(0) if positional else arguments.named.get("mode", arguments.named.get("flags"))
    return file, mode


def read_file(evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    """Returns the content of an open file; None for another object."""
    is_file = isinstance(receiver, Instance) and "path" in receiver.fields
    return content_of(evaluation, receiver.fields["path"]) if isinstance(receiver, Instance) and is_file else None


def _read_line(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    text = read_file(evaluation, receiver, arguments)
    return None if text is None else unknown_from("a line", text)


def read_lines(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    text = read_file(evaluation, receiver, arguments)
    if text is None:
        return None
    if not isinstance(text, Word) or text.text is None:
        return ListValue("list", (), text)
    return ListValue("list", [known_word(line, text.src) for line in text.text.splitlines(keepends=True)])


def parse_file(evaluation: Evaluation, file: Value | None) -> Value:
    """Returns what a parser makes of an open file, of one that it opens, or of text: unknown, made from its content."""
    if isinstance(file, Word | Instance) and names_path(file):
        evaluation.report.read(file)
    content = read_file(evaluation, file, Arguments())
    return unknown_from("data of a file", file if content is None else content)


def read_records(evaluation: Evaluation, file: Value | None) -> Value:
    """Returns the records of a table in an open file, or in a list of lines: those of a known table, and what stands for any."""
    record = parse_file(evaluation, file)
    content = read_file(evaluation, file, Arguments())
    tables = (read_rows(content, "list", is_named=True), read_rows(content, "list"))
    known = [row for table in tables if table is not None for row in table.items]
    return ListValue("iterator", (), evaluation.join_values(record, *known))


def _write_text(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    text = arguments.positional[0] if len(arguments.positional) == 1 else None
    return _write_word(evaluation, receiver, text if isinstance(text, Word) else None)


def _write_lines(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    lines = arguments.positional[0] if len(arguments.positional) == 1 else None
    parts = lines.items if isinstance(lines, ListValue) and lines.rest is None else (None,)
    text = EMPTY
    for part in parts:
        if not isinstance(part, Word):
            return _write_word(evaluation, receiver, None)
        text += part
    return _write_word(evaluation, receiver, text)


def _write_word(evaluation: Evaluation, receiver: Value | None, text: Word | None) -> Value | None:
    if not isinstance(receiver, Instance):
        return None
    evaluation.report.opened_files.write_text(evaluation, receiver, text)
    return Unknown("a number")


def print_into(evaluation: Evaluation, file: Value, text: Word, *, is_whole: bool) -> None:
    """`print(.., file=f)`."""
    if isinstance(file, Instance):
        evaluation.report.opened_files.write_text(evaluation, file, text if is_whole else None)
    else:
        evaluation.report.opened_files.release_files((file,))


FILE_CALLS: Mapping[str, SpecialCall] = {
    **dict.fromkeys(("open", "io.open"), _open_text_path),
    **dict.fromkeys(("os.open", "codecs.open", "gzip.open", "bz2.open", "lzma.open", "io.FileIO"), _open_path),
    "file.read": read_file,
    "file.readline": _read_line,
    "file.readlines": read_lines,
    "file.write": _write_text,
    "file.writelines": _write_lines,
    **dict.fromkeys(("file.close", "file.flush"), lambda _evaluation, _receiver, _arguments: NULL),
    "file.__enter__": lambda _evaluation, receiver, _arguments: receiver,
}
