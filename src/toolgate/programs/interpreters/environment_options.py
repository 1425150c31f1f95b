"""Options of interpreters that set the variables of environment files: `node --env-file=.env server.js`."""

from __future__ import annotations

from collections.abc import Iterator

from toolgate.model.effect import Interpret, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.program import Program

_OPTIONS = ("--env-file", "--env-file-if-exists")
_PRELOADING_OPTIONS = ("-r", "--require", "--import")
_PRELOADED = ("dotenv/config", "dotenv/config.js", "dotenv-flow/config", "@dotenvx/dotenvx/config")


def load_environment_files(program: Program) -> Program:
    """Returns an interpreter whose code runs with the variables of the environment files that its own options name."""

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        files, rest = _split_options(argv)
        for effect in program.effects_of_call(rest, context):
            yield effect._replace(environment_files=tuple(files)) if isinstance(effect, Interpret) else effect

    return Program(does=report_effects)


def _split_options(argv: tuple[Word, ...]) -> tuple[list[Word], tuple[Word, ...]]:
    """Returns the environment files that an interpreter's own options name, and its other words."""
    files: list[Word] = []
    kept, n = [argv[0]], 1
    while n < len(argv) and (argv[n].starts_with("-") is True or argv[n - 1].text in _PRELOADING_OPTIONS):
        option, attached, value = argv[n].partition("=")
        following = argv[n + 1] if n + 1 < len(argv) else known_word("")
        if option.text in _OPTIONS:
            files.append(value if attached else following)
            n += 1 if attached else 2
        elif option.text in _PRELOADING_OPTIONS and (value if attached else following).text in _PRELOADED:
            files.append(known_word(".env"))
            n += 1 if attached else 2
        else:
            kept.append(argv[n])
            n += 1
    return files, (*kept, *argv[n:])
