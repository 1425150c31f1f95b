"""Go's readers and writers: what a stream holds, and what is written to one."""

from __future__ import annotations

from toolgate.languages.evaluation.printed_text import print_text
from toolgate.languages.evaluation.shared_results import content_of, send_more
from toolgate.languages.evaluation.shared_state import Evaluation
from toolgate.languages.evaluation.values import (
    NULL,
    Instance,
    ListValue,
    Reference,
    Unknown,
    Value,
    holds_environment,
    list_alternatives,
    unknown_from,
    word_of,
)
from toolgate.model.word import Word

BUFFERS = ("bytes.Buffer", "strings.Builder")
_OUTPUTS = ("os.Stdout", "os.Stderr")


def is_of_unknown_caller(evaluation: Evaluation, word: Word) -> bool:
    """Returns whether a text is wholly unknown, in a function that nothing called."""
    return getattr(evaluation, "is_sweeping", False) and word.text is None and not word.head


def content_of_stream(evaluation: Evaluation, stream: Value) -> Value:
    """Returns what reading a stream gives; a value that is no stream is its own content."""
    return evaluation.map_alternatives(stream, lambda each: _content_of_one(evaluation, each))


def _content_of_one(evaluation: Evaluation, stream: Value) -> Value:
    if isinstance(stream, Reference) and stream.name == "os.Stdin":
        return evaluation.report.unknown_output("the input")
    if isinstance(stream, ListValue) and stream.rest is not None and not stream.items:
        return stream.rest if isinstance(stream.rest, Word) else stream
    if not isinstance(stream, Instance):
        return stream
    if stream.type == "file":
        path = stream.fields.get("path", NULL)
        return content_of(evaluation, None if path is NULL else path)
    if stream.type in BUFFERS:
        return stream.fields.get("text", Word())
    if stream.type == "net.Conn":
        return stream.fields.get("received", Unknown("a response"))
    return stream.fields.get("Body", stream)


def pour(evaluation: Evaluation, target: Value | None, data: Value | None = None) -> Value:
    """Writes data to a stream: a file, a buffer, a connection, the input of a command."""
    content = content_of_stream(evaluation, data) if data is not None else NULL
    for each in list_alternatives(target) if target is not None else ():
        _pour_into(evaluation, each, content)
    return Unknown("a number")


def _pour_into(evaluation: Evaluation, target: Value, data: Value) -> None:
    from .commands import feed_command

    if isinstance(target, Reference) and target.name in _OUTPUTS:
        print_text(evaluation, word_of(data), data)
    elif isinstance(target, Instance) and target.type == "file":
        is_known = isinstance(data, Word) and data.text is not None
        evaluation.report.opened_files.write_text(evaluation, target, data if is_known and isinstance(data, Word) else None)
    elif isinstance(target, Instance) and target.type in BUFFERS:
        before = target.fields.get("text", Word())
        made = data if holds_environment(data) else evaluation.concatenate([before, data])
        evaluation.journal.put_field(target, "text", made)
    elif isinstance(target, Instance) and target.type == "exec.Pipe":
        feed_command(evaluation, target, data)
    elif isinstance(target, Instance) and target.type == "net.Conn" and "address" in target.fields:
        evaluation.report.connect(target.fields["address"], data)
    elif isinstance(target, Instance) and isinstance(inner := target.fields.get("inner"), Instance):
        _pour_into(evaluation, inner, data)
    else:
        send_more(evaluation, data)


def fill_buffer(evaluation: Evaluation, buffer: Value | None, content: Value) -> None:
    """Stores what was read in a list of bytes."""
    for each in list_alternatives(buffer) if buffer is not None else ():
        if isinstance(each, ListValue):
            evaluation.journal.replace_items(each, (), content)


def encode_value(value: Value) -> Value:
    """Returns an encoding of a value, such as its JSON. A text stays itself."""
    return value if isinstance(value, Word) else unknown_from("encoded data", value)
