"""What the code that is read has done to a file so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgate.model.effect import Delete, Effect, Interpret, Link, Move, Run, Write
from toolgate.model.place import Place
from toolgate.model.word import Word

if TYPE_CHECKING:
    from .reporter import Reporter


def may_be_changed(report: Reporter, file: Word) -> bool:
    """Returns whether the code, or a program that it has started, may have changed the file."""
    report.work.spend_steps(len(report.effects) // 8)
    place = report.seen.resolve_place(file)
    return any(_may_change(each, place) for each in report.effects)


def is_written(report: Reporter, file: Word) -> bool:
    """Returns whether the code writes to this file or to a folder above it, or a program that it starts makes the file."""
    if file.text is None:
        written = (each.place.word.parts for each in report.effects if isinstance(each, Write))
        return any(parts and file.parts[: len(parts)] == parts for parts in written)
    report.work.spend_steps(len(report.effects) // 8)
    writes = [each for each in report.effects if isinstance(each, Write) and each.place.path is not None]
    place = report.seen.resolve_place(file) if writes else None
    if place is not None and place.path is not None and any(_may_change(each, place) for each in writes):
        return True
    is_named = file.text[:1] == "/" and any(_names_file(each, file.text) for each in report.effects)
    return is_named and not any(each.parts for each in report.seen.read_alternatives(file))


def find_written_text(report: Reporter, file: Word) -> Word | None:
    """Returns the text that the code has written to a file, if it has written to it once, and the text is known."""
    effects = report.opened_files.fill_in_texts(report.effects)
    writes = [each for each in effects if isinstance(each, Write) and each.place.word.parts == file.parts]
    only = writes[0] if len(writes) == 1 else None
    return only.content if only is not None and only.content is not None and only.content.text is not None else None


def _names_file(effect: Effect, path: str) -> bool:
    """Returns whether a program that the code starts is given a path, so that it may write that file."""
    match effect:
        case Run(argv=argv):
            return any(path in (word.text or word.head) for word in argv)
        case Interpret(language="shell", code=code):
            return path in (code.text or code.head)
        case _:
            return False


def _may_change(effect: Effect, place: Place) -> bool:
    """Returns whether an effect may change a file: programs and other code may change any."""
    match effect:
        case Run() | Interpret():
            return True
        case Write(place=changed) | Delete(place=changed) | Link(place=changed):
            return _may_contain(changed, place)
        case Move(place=changed, to=target):
            return _may_contain(changed, place) or _may_contain(target, place)
        case _:
            return False


def _may_contain(changed: Place, place: Place) -> bool:
    """Returns whether a file may be at a changed place, or below it."""
    if changed.path is None or place.path is None:
        return True
    return f"{place.path}/".startswith(f"{changed.path.rstrip('/')}/")
