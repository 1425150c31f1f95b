"""Results and effects that calls of several languages' libraries have in common."""

from __future__ import annotations

from toolgate.model.word import Word, unknown

from .evaluation import Evaluation
from .values import NULL, Constant, Instance, ListValue, Value, text_of, word_of, words_of


def content_of(evaluation: Evaluation, file: Value | None) -> Value:
    """What a file holds: unknown text of this command's, and of those that wrote the file."""
    report = evaluation.report
    if file is None:
        return report.made("what a file holds")
    src = report.own.union(*(report.seen.read(each).src for each in words_of(file)))
    made = unknown(f"what {word_of(file).shown} holds", src)
    report.contents[made] = file
    return made


def kill(evaluation: Evaluation, pid: Value | None, signal: Value | None = None) -> Value:
    if pid is None:
        return NULL
    report = evaluation.report
    target = word_of(pid)
    target = Word(target.parts, False, target.src - report.own)  # numbers that a program of this code's looked up
    everything = target.text in ("-1", "1")
    if not (isinstance(signal, Constant) and signal.value == 0) and (everything or not report.is_trusted):
        report.operation("process.kill", target, everything=everything, by_name=False)
    return NULL


def argument_list(_evaluation: Evaluation, *parts: Value | None) -> Value:
    """One list of arguments; lists among the parts are spread."""
    items: list[Value] = []
    rest: Value | None = None
    for each in parts:
        if isinstance(each, ListValue):
            items += each.items
            rest = each.rest if rest is None else rest
        elif each is not None:
            items.append(each)
    return ListValue("list", items, rest)


def process(evaluation: Evaluation, *_given: Value | None) -> Value:
    return Instance("process", {"output": evaluation.report.made("what a command prints")})


def database_call(evaluation: Evaluation, name: Value | None, target: Value | None) -> Value:
    """What empties a database. What code in a file does is its author's doing, what is in memory anybody's."""
    report = evaluation.report
    if not report.is_trusted and ":memory:" not in report.code.code.shown:
        report.operation(text_of(name) or "", target, disposable=False)
    return NULL
