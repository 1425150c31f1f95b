"""Runs Python programs with stubs in place of harmful functions, and reads them."""

import json
import subprocess
import sys
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from toolgate.languages import reader_for_language
from toolgate.model.effect import (
    DEFAULT_ORIGIN,
    LOCAL_SITE,
    Carrier,
    Delete,
    Interpret,
    Opaque,
    Origin,
    ReportedEffect,
    Run,
    Site,
)
from toolgate.model.place import Place
from toolgate.model.stakes import Stakes
from toolgate.model.word import EMPTY, Maybe, Word, known_word, unknown_word

STUBS = """
import json, os, random, shutil, subprocess, sys, atexit, pathlib
import asyncio, builtins, concurrent.futures, contextlib, enum, functools, importlib, itertools, multiprocessing.pool, operator
import collections, copy, dataclasses, threading, types, weakref
seen = []
def stub(kind):
    def first(path): seen.append([kind, str(path)])
    def line(command): seen.append([kind, str(command)]); return 0
    def text(cmd): seen.append([kind, str(cmd)]); return ""
    return {"delete": first, "shell": line, "text": text}[kind]
def text(cmd): seen.append(["shell", str(cmd)]); return ""
shutil.rmtree = os.remove = os.unlink = os.rmdir = stub("delete")
os.system = stub("shell")
subprocess.getoutput = text
left = []
atexit.register = lambda function, *args, **named: left.append((function, args, named)) or function
answers = []
for number, program in enumerate(json.load(sys.stdin)):
    seen.clear(); left.clear()
    random.seed(number)
    failed = None
    try:
        exec(program, {"__name__": "__main__"})
        for function, args, named in left: function(*args, **named)
    except Exception as error:
        failed = repr(error)
    answers.append([[list(each) for each in seen], failed])
print(json.dumps(answers), file=sys.__stdout__)
"""

T = TypeVar("T")


@dataclass
class Surroundings:
    """Surroundings in which no file exists."""

    origin: Origin = DEFAULT_ORIGIN
    home: str = "/home/dev"
    site: Site = LOCAL_SITE
    cwd: Word = field(default_factory=lambda: known_word("/home/dev/project"))
    stdin: Word = EMPTY

    def get_variable(self, name: str) -> Word | None:
        return None

    def get_variables(self, name: str) -> tuple[Word, ...]:
        return ()

    def find_repository(self) -> str | None:
        return None

    def resolve_place(self, word: Word, *, follow: bool = True, base: Word | None = None) -> Place:
        return Place(word, path=word.text)

    def read(self, word: Word) -> Word:
        return unknown_word(word.display_text)

    def read_alternatives(self, word: Word) -> tuple[Word, ...]:
        return ()

    def derive_from_files(self, key: Hashable, derive: Callable[[], T]) -> T:
        return derive()

    def report_unknown_code(self, code: Interpret) -> None:
        raise AssertionError(code)

    def read_followed_code(self, word: Word) -> tuple[Word, ...]:
        return ()

    def read_project_file(self, name: str) -> tuple[str, ...]:
        return ()

    def list_files(self, pattern: Word) -> tuple[str, ...]:
        return ()

    def list_written_files(self, folder: str, name: str = "") -> tuple[str, ...]:
        return ()

    def is_as_committed(self, place: Place) -> Maybe:
        return None

    def is_as_staged(self, place: Place) -> Maybe:
        return None

    def is_repository_clean(self) -> Maybe:
        return None

    def count_lost_commits(self, dropped: str, kept: str = "") -> int | None:
        return None

    def lend_code_steps(self, most: int) -> int:
        return most

    def spend_code_steps(self, spent: int) -> None:
        pass

    def has_loaded(self, file: str, content: Word) -> bool:
        return False

    def record_loaded(self, file: str, content: Word) -> None:
        pass

    def measure_stakes(self, path: str) -> Stakes | None:
        return None

    def contains_project(self, place: Place) -> Maybe:
        return None

    def is_folder(self, place: Place) -> Maybe:
        return None

    def record_folder(self, word: Word) -> None: ...

    def record_replaced_folder(self, word: Word) -> None: ...

    def record_folder_contents(self, word: Word, content: Word) -> None: ...

    def record_appended_text(self, word: Word, text: Word) -> None: ...

    def unknown_output(self, reason: str, like: str = "**") -> Word:
        return unknown_word(reason, like=like)


def code_of(text: str, language: str = "python", **more: Any) -> Interpret:
    return Interpret(language, known_word(text), DEFAULT_ORIGIN, via=Carrier(language, "<stdin"), **more)


def effects_of(text: str, language: str = "python") -> list[ReportedEffect]:
    """Returns the effects of a program, and of the code that it passes on."""
    return list(_read(text, language, 0))


def _read(text: str, language: str, depth: int) -> Iterator[ReportedEffect]:
    read = reader_for_language(language)
    assert read is not None
    for effect in read(code_of(text, language), text, Surroundings()):
        yield effect
        if isinstance(effect, Interpret) and effect.language == language and effect.code.text and depth < 3:
            yield from _read(effect.code.text, language, depth + 1)


@dataclass(frozen=True)
class Reading:
    """The calls that were read, whether one of them may have any argument, and whether a part could not be read."""

    calls: frozenset[tuple[str, str]]
    open_kinds: frozenset[str]
    is_opaque: bool

    def includes(self, call: tuple[str, str]) -> bool:
        return call in self.calls or call[0] in self.open_kinds or self.is_opaque


def reading_of(text: str, language: str = "python") -> Reading:
    calls: set[tuple[str, str]] = set()
    kinds: set[str] = set()
    is_opaque = False
    for effect in effects_of(text, language):
        match effect:
            case Delete(place=place):
                word, kind = place.word, "delete"
            case Interpret(language="shell", code=word):
                kind = "shell"
            case Run(argv=(program, *_), stdin=Word() as fed) if program.text == "sh":
                kinds |= {"shell"} if fed.text is None else set()
                calls |= {("shell", line) for line in (fed.text or "").splitlines()}
                continue
            case Interpret(code=word):
                is_opaque = is_opaque or word.text is None
                continue
            case Opaque():
                is_opaque = True
                continue
            case _:
                continue
        if word.text is None:
            kinds.add(kind)
        else:
            calls.add((kind, word.text))
    return Reading(frozenset(calls), frozenset(kinds), is_opaque)


def really_run(programs: list[str]) -> list[tuple[set[tuple[str, str]], str | None]]:
    """Returns the calls of each program, and its error if it failed."""
    ran = subprocess.run(
        [sys.executable, "-I", "-W", "ignore", "-c", STUBS],
        input=json.dumps(programs),
        capture_output=True,
        text=True,
        check=True,
    )
    answers = json.loads(ran.stdout.splitlines()[-1])
    return [({(kind, text) for kind, text in calls}, failed) for calls, failed in answers]
