"""CMake: the commands that run, and the files that are removed, while a project is configured or built."""

import re
from collections.abc import Iterator

from toolgate.model.effect import ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word, unknown_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import INFORMATION_OPTIONS, Program

from .steps import Step, unread_step
from .task_files import File, find_nearest, interpret_step, read_candidates, resolve_folder

_MAX_FILES = 200
_CMAKE = Flags(
    "-S= -B= -P= -D= -U= -G= -C= -T= -A= --build= --install= --preset= --target= -E= -L --fresh -W= -j=? --parallel=? --config="
)


def cmake(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`cmake -S DIR`, `cmake DIR`, `cmake --build DIR`, `cmake -P SCRIPT`, `ctest`."""
    if not {word.text for word in argv[1:]}.isdisjoint((*INFORMATION_OPTIONS, "-E")):
        return
    options = _CMAKE.parse(argv)
    script = options.value_of("-P")
    if script is not None:
        waiting = list(read_candidates((script,), resolve_folder(None, context), context))
    else:
        waiting = list(find_nearest(("CMakeLists.txt",), options.value_of("-S"), context))
    done: set[str] = set()
    while waiting:
        file = waiting.pop(0)
        if file.path in done:
            continue
        done.add(file.path)
        if len(done) > _MAX_FILES:
            yield interpret_step(unread_step(f"it includes more than {_MAX_FILES} other files"), file, context)
            return
        yield from (interpret_step(step, file, context) for step in list_commands(file.text))
        waiting += _find_included(file, context)


_INCLUDED = re.compile(
    r"^\s*(include|add_subdirectory)\s*\(\s*\"?(?:\$\{\w+_(?:SOURCE|LIST)_DIR\}/)?([\w./+-]+)", re.MULTILINE | re.IGNORECASE
)


def _find_included(file: File, context: ExecutionContext) -> Iterator[File]:
    for kind, name in _INCLUDED.findall(file.text):
        names = (name, f"{name}.cmake", f"cmake/{name}.cmake") if kind.lower() == "include" else (f"{name}/CMakeLists.txt",)
        yield from read_candidates(tuple(map(known_word, names)), file.path.rpartition("/")[0] or "/", context)


def list_commands(text: str) -> Iterator[Step]:
    """Yields the commands of a CMake file."""
    for match in _CMAKE_COMMAND.finditer(re.sub(r"#[^\n]*", lambda found: " " * len(found[0]), text)):
        body = match[2]
        line = text.count("\n", 0, match.start()) + 1
        if match[1].lower() == "file":
            kind, _, rest = body.strip().partition(" ")
            if kind in ("REMOVE", "REMOVE_RECURSE"):
                yield Step(_expand_cmake_text(f"rm -rf {rest}"), line)
            continue
        for command in re.split(r"\bCOMMAND\b", body)[1:]:
            words = _CMAKE_KEYWORD.split(command)[0]
            yield Step(_expand_cmake_text(words), line)


_CMAKE_COMMAND = re.compile(
    r"\b(execute_process|add_custom_command|add_custom_target|add_test|file)\s*\(([^()]*)\)", re.IGNORECASE
)
_CMAKE_KEYWORD = re.compile(
    r"\b(?:WORKING_DIRECTORY|TIMEOUT|RESULT_VARIABLE|RESULTS_VARIABLE|OUTPUT_VARIABLE|ERROR_VARIABLE|INPUT_FILE|OUTPUT_FILE|ERROR_FILE|OUTPUT_QUIET"
    r"|ERROR_QUIET|OUTPUT_STRIP_TRAILING_WHITESPACE|ERROR_STRIP_TRAILING_WHITESPACE|COMMAND_ERROR_IS_FATAL|COMMAND_ECHO|DEPENDS|VERBATIM|COMMENT|BYPRODUCTS"
    r"|MAIN_DEPENDENCY|IMPLICIT_DEPENDS|DEPFILE|USES_TERMINAL|APPEND|CONFIGURATIONS)\b"
)


def _expand_cmake_text(text: str) -> Word:
    """Returns a text with `${NAME}` and `$<...>`, which only the build system knows, unknown."""
    result = known_word("")
    for part in re.split(r"(\$\{[^{}]*\}|\$<[^<>]*>)", " ".join(text.split())):
        result = result + (unknown_word(part) if part.startswith("$") else known_word(part))
    return result


ROWS: dict[str, Program] = dict.fromkeys(("cmake", "ctest"), Program(does=cmake))
