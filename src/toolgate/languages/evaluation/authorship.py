"""What the author of a file is responsible for, and not the call that has it run.

A file that stood there before, and that a build, a test or a framework loads, is its author's responsibility. A program that a
call starts is judged by what it does to clouds, services and people. Databases are in between: programs of a project set up and
empty those of development, so only a database on another machine counts, or one that the arguments lead to production. What a
test runner loads runs as a program does, but only a database of another machine that the code itself opens counts there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolgate.framework_environments import runs_in_production
from toolgate.locality import is_named_production
from toolgate.model.effect import Interpret
from toolgate.model.word import Word

from .django_settings import find_remote_database, find_settings_module
from .source_units import SourceUnit

if TYPE_CHECKING:
    from .reporter import Reporter

_REPLACES_PARTS = re.compile(
    r"\b(?:mock\w*|mocker|patch|sinon|proxyquire|td\.replace|testdouble|nock|VCR|WebMock|allow_any_instance_of|instance_double|fakeredis)\b"
    r"|monkeypatch\.(?:setattr|setitem|setenv)|(?:jest|vi)\.(?:mock|doMock|spyOn|fn|unstable_mockModule)\b|\bMagicMock\b"
).search
"""Matches code of tests that puts something else in the place of a library or a setting."""
_OPTION = re.compile(r"--?[A-Za-z][\w-]*(?:=(?P<value>.*))?", re.DOTALL)


class Responsibility:
    """Who is responsible for what the current code does. `named_tasks`: how many tasks that the command line names enclose it."""

    code: Interpret
    unit: SourceUnit
    named_tasks: int = 0

    @property
    def is_trusted(self) -> bool:
        return self.unit.is_trusted

    @property
    def is_started(self) -> bool:
        """Returns whether a command starts the current code: a program, or a task by its name."""
        return self.code.is_program or self.named_tasks > 0

    @property
    def is_excused(self) -> bool:
        """Returns whether what a file does to clouds, services and people is its author's responsibility alone."""
        return self.unit.is_trusted and not self.is_started


def serves_development(report: Reporter) -> bool:
    """Returns whether what a file does to databases is its author's responsibility."""
    is_elsewhere = report.is_started and uses_another_machine(report)
    is_elsewhere |= report.code.of_test and _tests_use_another_machine(report)
    is_on_server = (report.code.site or report.seen.site).machine.startswith("ssh:")
    is_production = report.is_started and (is_on_server or runs_in_production(report.language, report.seen))
    return report.is_trusted and not is_elsewhere and not is_production and not names_production(report.code)


def uses_another_machine(report: Reporter) -> bool:
    """Returns whether the code opens a database of another machine, or Django does so by the project's settings."""
    return report.openings.is_on_another_machine or _find_remote_database_of_django(report) is not None


def _find_remote_database_of_django(report: Reporter) -> Word | None:
    if report.language != "python" or "django" not in (report.code.code.text or ""):
        return None
    module = find_settings_module(report.code.args, report.openings.variables, report.seen)
    return find_remote_database(module, report.seen) if module else None


def _tests_use_another_machine(report: Reporter) -> bool:
    """Returns whether code of tests opens a database of another machine, and replaces no part of what it tests."""
    return report.openings.opens_another_machine and _REPLACES_PARTS(report.code.code.text or "mock") is None


def names_production(code: Interpret) -> bool:
    """Returns whether an argument of a script names the production environment: `-env prod`, `--target=prod`."""
    return bool(code.file) and any(map(is_named_production, (*_iter_option_values(code), *_iter_plain_words(code))))


def _iter_option_values(code: Interpret) -> Iterator[str]:
    texts = [word.text or "" for word in code.args]
    for text, following in zip(texts, [*texts[1:], ""], strict=False):
        if (found := _OPTION.fullmatch(text)) is not None:
            value = found["value"] if found["value"] is not None or following.startswith("-") else following
            yield from (value,) if value else ()


def _iter_plain_words(code: Interpret) -> Iterator[str]:
    """Yields arguments that are words: neither options nor paths."""
    return (word.text.lower() for word in code.args if word.text is not None and word.text.replace("-", "_").isidentifier())
