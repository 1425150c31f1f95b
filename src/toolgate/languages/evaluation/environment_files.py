"""Variables that code loads from environment files: `load_dotenv()`, `require("dotenv").config({path})`, `Dotenv.load`.

What names a secret stays a variable, whose value is not followed. Where a client connects to with it is known nevertheless.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from toolgate.environment_files import iter_assignments
from toolgate.flows.issuers import secret_of_variable
from toolgate.model.word import Word, join_words, known_word, variable_word

from .default_values import find_known_text
from .own_variables import hold_variable
from .values import TRUE, ListValue, MapValue, Value, word_of

if TYPE_CHECKING:
    from .shared_state import Arguments, Evaluation

_LOADING_CALL = re.compile(
    r"(?:.*[./\\])?(?:(?:read_|load_)?dotenv\.(?:main\.)?(?:load_dotenv|read_dotenv|config|configDotenv)|dotenv-(?:flow|safe)\.config"
    r"|environ\.Env\.read_env|environs\.Env\.read_env|Dotenv\.(?:load|overload|safeLoad)!?|godotenv\.(?:Load|Overload)"
    r"|dotenvx\.config|Dotenv\.(?:bootEnv|loadEnv)|process\.loadEnvFile|dotenv(?:-flow)?/(?:config|load)|godotenv/autoload)"
)
_NAMING_FOLDER = re.compile(r"(?:.*[./\\])?Dotenv\.create(?:Unsafe)?(?:Imm|M)utable")
"""Matches methods of a library of PHP that take the folder of the file, and its name if it is another one than `.env`."""
_OVERRIDING = ("overload", "overload!", "Overload")
_PATH_KEYS = ("path", "dotenv_path", "env_file", "dotenvPath")
_OVERRIDE_KEYS = ("override", "overwrite")
_NAME = ".env"
_MAX_LENGTH = 64_000
_MAX_VARIABLES = 500
_MAX_FOLDERS = 8
_STEP_LENGTH = 64
"""Characters of a file that cost one step."""
_INTERPOLATION = re.compile(r"\$\{(\w+)(?::?-[^}]*)?\}|\$(\w+)")


def load_environment_files(evaluation: Evaluation, name: str, arguments: Arguments) -> None:
    """Loads the variables of the files that a call names, if it is one that loads some. A variable that this call sets keeps its
    value, unless the files override it."""
    names_folder = _NAMING_FOLDER.fullmatch(name) is not None
    if not names_folder and _LOADING_CALL.fullmatch(name) is None:
        return
    given = list(iter_paths(arguments))
    if names_folder:
        folder, *names = [*map(word_of, given)] or [known_word(".")]
        given = [join_words((folder, names[0] if names else known_word(_NAME)), "/")]
    files = given or [find_environment_file(evaluation, _NAME)]
    evaluation.report.openings.environment_file = next((word_of(each) for each in files), None)
    overrides = name.endswith(_OVERRIDING) or any(
        key in _OVERRIDE_KEYS and value == TRUE for key, value in _iter_named(arguments)
    )
    for file in files:
        for variable, value in read_variables(evaluation, file).items():
            if overrides or not _is_set(evaluation, variable):
                hold_variable(evaluation, variable, value)


def find_environment_file(evaluation: Evaluation, name: str) -> Word:
    """Returns the path of the nearest environment file: beside the code, in a folder above it, or in the current one."""
    folder = evaluation.report.unit.file
    for _ in range(_MAX_FOLDERS):
        folder = folder.rpartition("/")[0]
        if not folder:
            break
        path = known_word(f"{folder}/{name}")
        if evaluation.report.seen.read_alternatives(path):
            return path
    return known_word(name)


def read_variables(evaluation: Evaluation, file: Value) -> dict[str, Value]:
    """Returns the variables of an environment file whose text is known."""
    path = find_known_text(file)
    texts = evaluation.report.seen.read_alternatives(path) if path is not None else ()
    text = texts[0].text if len(texts) == 1 else None
    if text is None or len(text) > _MAX_LENGTH:
        return {}
    evaluation.work.spend_steps(len(text) // _STEP_LENGTH)
    plain: dict[str, str] = {}
    for name, value in islice(iter_assignments(text), _MAX_VARIABLES):
        plain[name] = _INTERPOLATION.sub(lambda found: plain.get(found[1] or found[2], found[0]), value)
    return {name: hold_value(evaluation, name, value) for name, value in plain.items()}


def hold_value(evaluation: Evaluation, name: str, text: str) -> Value:
    """Returns a variable's value from a file. A secret stays a variable, with its text as what it is in this call."""
    if secret_of_variable(name) is None and "$" not in text:
        return known_word(text)
    made = variable_word(name)
    if "$" not in text:
        evaluation.report.openings.likely.note(made, known_word(text))
    return made


def _is_set(evaluation: Evaluation, name: str) -> bool:
    """Returns whether this call sets a variable, or the code has done so before."""
    report = evaluation.report
    return name in report.variables or bool(report.seen.get_variables(name))


def iter_paths(arguments: Arguments) -> Iterator[Value]:
    """Yields the paths that a call is given. A path that is computed is one, too."""
    for each in arguments.positional:
        if isinstance(each, ListValue):
            yield from each.items
        elif not isinstance(each, MapValue):
            yield each
    for key, value in _iter_named(arguments):
        if key in _PATH_KEYS:
            yield from value.items if isinstance(value, ListValue) else (value,)


def _iter_named(arguments: Arguments) -> Iterator[tuple[str, Value]]:
    yield from arguments.named.items()
    for each in arguments.positional:
        if isinstance(each, MapValue):
            yield from ((str(key), value) for key, value in each.known_entries)
