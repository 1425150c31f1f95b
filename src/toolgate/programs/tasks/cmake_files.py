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
    "-S= -B= -P= -D= -U= --script= -G= -C= -T= -A= --build= --install= --preset= --target= -E= -L --fresh -W= -j=? --parallel=? --config="
)


def cmake(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`cmake -S DIR`, `cmake DIR`, `cmake --build DIR`, `cmake -P SCRIPT`, `ctest`."""
    if not {word.text for word in argv[1:]}.isdisjoint((*INFORMATION_OPTIONS, "-E")):
        return
    options = _CMAKE.parse(argv)
    script = options.value_of("-S" if argv[0].file_name == "ctest" else "-P", "--script")
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
    """Yields the commands of a CMake file, and what a shell does that changes files as it does."""
    text = re.sub(r"#[^\n]*", lambda found: " " * len(found[0]), text)
    variables = {**_PROGRAMS, **dict(_VARIABLE.findall(text))}
    for match in _CMAKE_COMMAND.finditer(text):
        body = _VARIABLE_REFERENCE.sub(lambda found: variables.get(found[1], found[0]), match[2])
        line = text.count("\n", 0, match.start()) + 1
        if match[1].lower() == "file":
            yield from (Step(_expand_cmake_text(command), line) for command in _list_file_commands(body))
        elif match[1].lower() in ("install", "cmake_language"):
            for quoted, bracketed in _CODE.findall(body):
                code = bracketed or quoted.replace('\\"', '"')
                yield from (step._replace(line=line) for step in list_commands(code))
            continue
        for command in re.split(r"(?<![\w{])(?:(?:CONFIGURE|BUILD|INSTALL|TEST|UPDATE|PATCH|DOWNLOAD)_)?COMMAND\b", body)[1:]:
            yield Step(_expand_cmake_text(_CMAKE_KEYWORD.split(command)[0]), line)


_PROGRAMS = {
    "CMAKE_COMMAND": "cmake",
    "CMAKE_CTEST_COMMAND": "ctest",
    "CMAKE_MAKE_PROGRAM": "make",
    "GIT_EXECUTABLE": "git",
    **dict.fromkeys(("Python_EXECUTABLE", "Python3_EXECUTABLE", "PYTHON_EXECUTABLE"), "python3"),
}
"""Variables with the path of a program, which CMake and its modules set."""
_VARIABLE = re.compile(r"^[ \t]*set[ \t]*\([ \t]*(\w+)[ \t]+\"?([^\s\"()]+)\"?[ \t]*\)", re.MULTILINE | re.IGNORECASE)
_VARIABLE_REFERENCE = re.compile(r"\$\{(\w+)\}")
_CODE = re.compile(r"\bCODE\s+(?:\"((?:\\.|[^\"\\])*)\"|\[\[(.*?)\]\])", re.DOTALL)
_WORD = re.compile(r"\"(?:\\.|[^\"\\])*\"|[^\s\"]+")
_FILE_COMMANDS = {
    "REMOVE": "rm -f {all}",
    "REMOVE_RECURSE": "rm -rf {all}",
    "RENAME": "mv {0} {1}",
    "COPY_FILE": "cp {0} {1}",
    "DOWNLOAD": "curl -o {1} {0}",
    "UPLOAD": "curl -T {0} {1}",
    "CREATE_LINK": "ln -s {0} {1}",
    "TOUCH": "touch {all}",
    "MAKE_DIRECTORY": "mkdir -p {all}",
}
"""What `file(NAME ...)` does, as a command of a shell."""


def _list_file_commands(body: str) -> Iterator[str]:
    kind, *words = _WORD.findall(body)[:64] or [""]
    command = _FILE_COMMANDS.get(kind.upper())
    if command is not None and len(words) > command.count("{1}"):
        yield command.format(*words, all=" ".join(words))


_CMAKE_COMMAND = re.compile(
    r"\b(execute_process|add_custom_command|add_custom_target|add_test|file|install|cmake_language|externalproject_add|try_run)"
    r"\s*\(((?:\"(?:\\.|[^\"\\])*\"|\[\[.*?\]\]|[^()\"])*)\)",
    re.IGNORECASE | re.DOTALL,
)
_CMAKE_KEYWORD = re.compile(
    r"\b(?:WORKING_DIRECTORY|TIMEOUT|RESULT_VARIABLE|RESULTS_VARIABLE|OUTPUT_VARIABLE|ERROR_VARIABLE|INPUT_FILE|OUTPUT_FILE|ERROR_FILE|OUTPUT_QUIET"
    r"|ERROR_QUIET|OUTPUT_STRIP_TRAILING_WHITESPACE|ERROR_STRIP_TRAILING_WHITESPACE|COMMAND_ERROR_IS_FATAL|COMMAND_ECHO|DEPENDS|VERBATIM|COMMENT|BYPRODUCTS"
    r"|MAIN_DEPENDENCY|IMPLICIT_DEPENDS|DEPFILE|USES_TERMINAL|APPEND|CONFIGURATIONS)\b"
)
_INSERTED = re.compile(r"(\$ENV\{\w+\}|\$\{[^{}]*\}|\$<[^<>]*>|<[A-Z_]+>)")


def _expand_cmake_text(text: str) -> Word:
    """Returns a text for a shell, with `$ENV{NAME}` as its variable, and with `${NAME}` and `$<...>` unknown: only the build
    system knows them."""
    result = known_word("")
    for part in _INSERTED.split(" ".join(text.split())):
        if part.startswith("$ENV{"):
            result = result + known_word(f"${part.removeprefix('$ENV')}")
        else:
            result = result + (unknown_word(part) if part.startswith(("$", "<")) else known_word(part))
    return result


ROWS: dict[str, Program] = dict.fromkeys(("cmake", "ctest"), Program(does=cmake))
