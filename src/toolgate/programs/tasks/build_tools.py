"""Commands that build tools take from their settings and sources: of cargo, Go, Maven and lint-staged."""

import re
from collections.abc import Iterator
from typing import Any

from toolgate.documents import read_yaml
from toolgate.model.effect import Carrier, ReportedEffect, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Hole, Word, join_words, known_word
from toolgate.programs.argv.program import INFORMATION_OPTIONS, Program, combine_programs

from .code_files import LOADS, load_code
from .command_files import file_program
from .command_keys import COMMAND_KEYS
from .go_packages import run_go
from .source_programs import CARGO_RUN, MAIN_CLASS
from .steps import Step, decode_json_text, unread_step
from .task_files import find_nearest, interpret_step
from .xml_builds import list_maven_steps

_CARGO_SETTINGS = (".cargo/config.toml", ".cargo/config")
_RUNNING_KEYS = ("rustc", "rustc-wrapper", "rustc-workspace-wrapper", "rustdoc", "runner", "linker")


def _run_cargo_settings(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Runs cargo's programs around the compiler and the result, and the alias that a subcommand stands for."""
    import tomllib  # slow to import, and rarely needed

    words = argv[1:]
    if not {word.text for word in words}.isdisjoint(INFORMATION_OPTIONS):
        return
    for file in find_nearest(_CARGO_SETTINGS, None, context):
        try:
            settings = tomllib.loads(file.text)
        except (tomllib.TOMLDecodeError, RecursionError) as problem:
            yield interpret_step(unread_step(str(problem)), file, context)
            continue
        folder = file.path.rpartition("/.cargo/")[0]
        tables: list[Any] = [settings.get("build"), *_values(settings.get("target"))]
        for table in tables:
            for key in _RUNNING_KEYS if isinstance(table, dict) else ():
                if program := _split_command(table.get(key)):
                    yield Run(_resolve_program(program, folder), context.origin, Carrier(".cargo/config.toml", key))
        alias = settings.get("alias")
        if words and isinstance(alias, dict) and (meant := _split_command(alias.get(words[0].text or ""))):
            yield Run((argv[0], *map(known_word, meant), *words[1:]), context.origin, Carrier("cargo", words[0].text or ""))


def _run_cargo_make(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    if len(argv) > 1 and argv[1].text == "make":
        yield from COMMAND_KEYS["cargo-make"].effects_of_call(argv[1:], context)


def _values(table: object) -> Iterator[object]:
    yield from table.values() if isinstance(table, dict) else ()


def _split_command(value: object) -> list[str]:
    return (
        value.split()
        if isinstance(value, str)
        else [each for each in value if isinstance(each, str)]
        if isinstance(value, list)
        else []
    )


def _resolve_program(program: list[str], folder: str) -> tuple[Word, ...]:
    """A path in these settings is relative to the folder that contains `.cargo`."""
    name = program[0] if "/" not in program[0] or program[0].startswith("/") else f"{folder}/{program[0].removeprefix('./')}"
    return (known_word(name), *map(known_word, program[1:]))


def _lint_staged_commands(text: str, _operands: tuple[str, ...]) -> Iterator[Step]:
    top = read_yaml(decode_json_text(text))  # JSON, too
    table = top.get("lint-staged", {} if "name" in top or "scripts" in top else top) if isinstance(top, dict) else {}
    for value in _values(table):
        for command in value if isinstance(value, list) else [value]:
            if isinstance(command, str):
                yield Step(known_word(command), 1)


def _lint_staged_texts(text: str, _operands: tuple[str, ...]) -> Iterator[Step]:
    """Yields the texts of a configuration in JavaScript that are no keys or modules: commands, or what returns them."""
    for found in re.finditer(r"([\"'`])((?:(?!\1)[^\\\n])+)\1", text):
        if _ends_with_import(text[: found.start()]) or _continues_as_key(text, found.end()):
            continue
        line = Word(tuple(part if n % 2 == 0 else Hole() for n, part in enumerate(re.split(r"\$\{([^}]*)\}", found[2]))))
        yield Step(line, text.count("\n", 0, found.start()) + 1)


_ends_with_import = re.compile(r"(?:\bfrom|\bimport|\brequire\s*\()\s*$").search
_continues_as_key = re.compile(r"\s*\]?\s*:").match


def _bazel_commands(text: str, _operands: tuple[str, ...]) -> Iterator[Step]:
    """Yields the commands of `genrule`, with unknown parts for what Bazel inserts."""
    for found in re.finditer(
        r"\bcmd(?:_bash)?\s*=\s*(?:\"\"\"(.*?)\"\"\"|\"((?:\\.|[^\"\\\n])*)\"|'((?:\\.|[^'\\\n])*)')", text, re.DOTALL
    ):
        command = next(group for group in found.groups() if group is not None)
        pieces = re.split(r"\$(?:\([^()]*\)|[@<])", command)
        line = join_words([known_word(piece.replace("$$", "$").replace('\\"', '"')) for piece in pieces], _INSERTED)
        yield Step(line, text.count("\n", 0, found.start()) + 1)


_INSERTED = "bazel-out/inserted"


_DEBHELPER_STEP = re.compile(r"^((?:override|execute_\w+)_dh_\w+)[ \t]*:", re.MULTILINE)


def _run_debian_rules(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Runs the makefile of a Debian package."""
    rules = known_word("debian/rules")
    texts = context.read_alternatives(rules)
    if texts and {word.text for word in argv[1:]}.isdisjoint(INFORMATION_OPTIONS):
        steps = (step for text in texts for step in _DEBHELPER_STEP.findall(text.text or ""))
        targets = map(known_word, ("clean", "build", "binary", *steps))
        yield Run((known_word("make"), known_word("-f"), rules, *targets), context.origin, Carrier(argv[0].display_text))


ROWS: dict[str, Program] = {
    "cargo": combine_programs(
        load_code(LOADS["cargo"]), Program(does=_run_cargo_settings), Program(does=_run_cargo_make), CARGO_RUN
    ),
    **dict.fromkeys(("debuild", "dpkg-buildpackage", "gbp", "sbuild", "pdebuild"), Program(does=_run_debian_rules)),
    "go": combine_programs(load_code(LOADS["go"]), Program(does=run_go)),
    **dict.fromkeys(("mvn", "mvnw"), combine_programs(file_program(("pom.xml",), list_maven_steps), MAIN_CLASS)),
    "lint-staged": combine_programs(
        load_code(LOADS["lint-staged"]),
        file_program(("package.json",), _lint_staged_commands),
        file_program(tuple(f".lintstagedrc{ending}" for ending in ("", ".json", ".yaml", ".yml")), _lint_staged_commands),
        file_program(
            tuple(
                f"{name}.{ending}" for name in ("lint-staged.config", ".lintstagedrc") for ending in ("js", "mjs", "cjs", "ts")
            ),
            _lint_staged_texts,
        ),
    ),
    **dict.fromkeys(("bazel", "bazelisk"), file_program(("BUILD.bazel", "BUILD"), _bazel_commands, "build run test")),
}
