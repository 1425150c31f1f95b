"""Programs that a build tool compiles from the project's sources and starts at once: `cargo run -p tool`, `dotnet run --project
tools/Tool`, `gradle run`, `mvn exec:java -Dexec.mainClass=a.Main`.

The main file is read with the sources of its program that it names, as one text.
"""

import re
from collections.abc import Callable, Iterator

from toolgate.model.effect import Carrier, Interpret, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, glob_hole, join_words, known_word
from toolgate.programs.argv.program import INFORMATION_OPTIONS, Program

_MOST_SOURCES = 24
_MOST_MEMBERS = 60
_MEMBERS = re.compile(r"(?ms)^\s*(?:default-)?members\s*=\s*\[(.*?)\]")
_QUOTED = re.compile(r"\"([^\"\n]+)\"|'([^'\n]+)'")
_PACKAGE = re.compile(r"(?ms)^\[package\].*?^\s*name\s*=\s*[\"']([\w-]+)[\"']")
_BINARY = re.compile(r"(?ms)^\[\[bin\]\](?P<entries>.*?)(?=^\[|\Z)")
_ENTRY = re.compile(r"(?m)^\s*(name|path)\s*=\s*[\"']([^\"'\n]+)[\"']")
_MODULE_OF_RUST = re.compile(r"(?m)^\s*(?:pub(?:\([\w\s]+\))?\s+)?mod\s+(\w+)\s*;")
_MAIN_CLASS = re.compile(
    r"\b(?:mainClass(?:Name)?|main)\s*(?:\.\s*set\s*\(|=|\(|\s)\s*[\"']([\w.$]+)[\"']|<mainClass>\s*([\w.$]+)\s*</mainClass>"
)
_CLASS_ROOTS = ("src/main/java", "src/main/kotlin", "app/src/main/java", "app/src/main/kotlin", "src/main/groovy")
_SEPARATOR = "--"


def _run_cargo(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Runs the package that `cargo run` names, or the one of the folder."""
    if "run" not in _texts(argv)[1:3] and "r" not in _texts(argv)[1:2]:
        return
    options, arguments = _split_arguments(argv)
    manifest = _value_of(options, "--manifest-path")
    root = manifest.rpartition("/")[0] or "." if manifest else "."
    folder = _find_package(root, _value_of(options, "-p", "--package"), context)
    if folder is None:
        return
    binary, example = _value_of(options, "--bin"), _value_of(options, "--example")
    names = (
        [f"examples/{example}.rs", f"examples/{example}/main.rs"]
        if example
        else [*_find_binary(folder, binary, context), f"src/bin/{binary}.rs", f"src/bin/{binary}/main.rs", "src/main.rs"]
        if binary
        else [*_find_binary(folder, "", context), "src/main.rs"]
    )
    for name in names:
        path = f"{folder}/{name}"
        if context.read_alternatives(known_word(path)):
            sources = _list_modules(path, context)
            yield from _run_sources("rust", [path, *sources], arguments, argv, context)
            return


def _find_package(root: str, name: str, context: ExecutionContext) -> str | None:
    """Returns the folder of a package of a workspace, or the root's own."""
    text = _read_text(f"{root}/Cargo.toml", context)
    package = _PACKAGE.search(text)
    if not name or (package is not None and package[1] == name):
        return root if package is not None or not _MEMBERS.search(text) else _find_only_member(root, text, context)
    members = list(_list_members(root, text, context))
    for folder in [*members, f"{root}/{name}", f"{root}/crates/{name}", f"{root}/tools/{name}"]:
        found = _PACKAGE.search(_read_text(f"{folder}/Cargo.toml", context))
        if found is not None and found[1] == name:
            return folder
    return None


def _find_only_member(root: str, text: str, context: ExecutionContext) -> str | None:
    """Returns the member of a workspace without a package of its own, if only one has a program."""
    programs = [each for each in _list_members(root, text, context) if _read_text(f"{each}/src/main.rs", context)]
    return programs[0] if len(programs) == 1 else None


def _list_members(root: str, text: str, context: ExecutionContext) -> Iterator[str]:
    for members in _MEMBERS.findall(text):
        for quoted in _QUOTED.findall(members)[:_MOST_MEMBERS]:
            member = quoted[0] or quoted[1]
            if member.endswith("/*"):
                yield from context.list_files(Word((f"{root}/{member[:-1]}", glob_hole("*"))))[:_MOST_MEMBERS]
            else:
                yield f"{root}/{member}"


def _find_binary(folder: str, name: str, context: ExecutionContext) -> Iterator[str]:
    """Yields the path of a program that the package's settings name."""
    for binary in _BINARY.finditer(_read_text(f"{folder}/Cargo.toml", context)):
        entries = dict(_ENTRY.findall(binary["entries"]))
        if "path" in entries and name in ("", entries.get("name")):
            yield entries["path"]


def _list_modules(main: str, context: ExecutionContext) -> list[str]:
    """Returns the files of the modules that a program declares, those of its library besides."""
    found: list[str] = []
    waiting = [main]
    library = f"{main.rpartition('/')[0]}/lib.rs"
    if main.endswith("/main.rs") and _read_text(library, context):
        waiting.append(library)
        found.append(library)
    while waiting and len(found) < _MOST_SOURCES:
        path = waiting.pop(0)
        stem = path.rpartition("/")[0] if path.endswith(("main.rs", "lib.rs", "mod.rs")) else path.removesuffix(".rs")
        for name in _MODULE_OF_RUST.findall(_read_text(path, context)):
            file = next((each for each in (f"{stem}/{name}.rs", f"{stem}/{name}/mod.rs") if _read_text(each, context)), None)
            if file is not None and file not in found:
                found.append(file)
                waiting.append(file)
    return found


def _run_dotnet(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Runs the project that `dotnet run` names, or the one of the folder."""
    if _texts(argv)[1:2] not in (["run"], ["watch"]):
        return
    options, arguments = _split_arguments(argv)
    given = _value_of(options, "--project", "-p")
    if not given and any(text.endswith((".cs", ".fs", ".csx", ".fsx", ".vb")) for text in options):
        return
    folder = (given.rpartition("/")[0] or "." if given.endswith("proj") else given.rstrip("/")) or "."
    for ending in (".cs", ".fs", ".vb"):
        listed = context.list_files(Word((f"{folder}/", glob_hole("*"), ending)))
        if not listed:
            continue
        programs = [path for path in listed if path.rpartition("/")[2] == f"Program{ending}"]
        main = next(iter(programs or [path for path in listed if _has_entry_point(path, context)]), None)
        if main is not None:
            yield from _run_sources("dotnet", [main, *_list_named(main, listed, context)], arguments, argv, context)
        return


def _has_entry_point(path: str, context: ExecutionContext) -> bool:
    return re.search(r"\bstatic\s+(?:async\s+)?\w+(?:<\w+>)?\s+Main\s*\(", _read_text(path, context)) is not None


def _run_main_class(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Runs the main class that the settings of Gradle or Maven name, or that an option does."""
    texts = _texts(argv)
    is_gradle = texts[0].rpartition("/")[2].startswith("gradle")
    if not any(re.fullmatch(r"(?::?[\w-]+:)*run|exec:java|exec:exec|bootRun|spring-boot:run", text) for text in texts[1:]):
        return
    arguments = [word for text in texts if (given := _ARGUMENTS.match(text)) for word in given[1].split()]
    for option, value in zip(texts, [*texts[1:], ""], strict=True):
        arguments += value.split() if option == "--args" else []
    settings = ("build.gradle", "build.gradle.kts", "app/build.gradle", "app/build.gradle.kts") if is_gradle else ("pom.xml",)
    named = [found[1] for text in texts if (found := re.match(r"-D(?:exec|start)[.-](?:mainClass|class)=([\w.$]+)", text))]
    for file in settings:
        named += [found[1] or found[2] for found in _MAIN_CLASS.finditer(_read_text(file, context))]
    for name in named[:1]:
        stem = name.replace(".", "/")
        paths = [
            f"{root}/{each}" for root in _CLASS_ROOTS for each in (f"{stem}.java", f"{stem.removesuffix('Kt')}.kt", f"{stem}.kt")
        ]
        for path in [each for each in paths if _read_text(each, context)][:1]:
            folder, ending = path.rpartition("/")[0], path.rpartition(".")[2]
            listed = context.list_files(Word((f"{folder}/", glob_hole("*"), f".{ending}")))
            words = tuple(map(known_word, arguments))
            yield from _run_sources("jvm", [path, *_list_named(path, listed, context)], words, argv, context)


_ARGUMENTS = re.compile(r"(?:--args=|-Dexec\.args=|-Dspring-boot\.run\.arguments=)(.*)", re.DOTALL)


def _list_named(main: str, listed: tuple[str, ...], context: ExecutionContext) -> list[str]:
    """Returns the other sources of a folder whose names the main file mentions."""
    words = set(re.findall(r"\w+", _read_text(main, context)))
    others = [path for path in listed if path != main and not path.endswith(f"/{main.removeprefix('./')}")]
    return [path for path in others if path.rpartition("/")[2].rpartition(".")[0] in words][:_MOST_SOURCES]


def _run_sources(
    language: str, paths: list[str], arguments: tuple[Word, ...], argv: tuple[Word, ...], context: ExecutionContext
) -> Iterator[ReportedEffect]:
    """Interprets the sources of a program as one text. Its arguments follow the name of the program."""
    alternatives = [context.read_followed_code(known_word(path)) for path in dict.fromkeys(paths)]
    code = join_words([each[0] for each in alternatives if each], "\n")
    file = paths[0].removeprefix("./")
    yield Interpret(language, code, context.origin, (argv[0], *arguments), Carrier(file), file=file)


def _split_arguments(argv: tuple[Word, ...]) -> tuple[list[str], tuple[Word, ...]]:
    """Splits a command line at `--` into the build tool's own words and the program's arguments."""
    texts = _texts(argv)
    at = texts.index(_SEPARATOR) if _SEPARATOR in texts else len(texts)
    return texts[:at], argv[at + 1 :]


def _texts(argv: tuple[Word, ...]) -> list[str]:
    return [word.text or "" for word in argv]


def _value_of(options: list[str], *names: str) -> str:
    for option, following in zip(options, [*options[1:], ""], strict=True):
        name, attached, value = option.partition("=")
        if name in names:
            return value if attached else following
    return ""


def _read_text(path: str, context: ExecutionContext) -> str:
    return next((text.text or "" for text in context.read_alternatives(known_word(path))), "")


def _unless_informed(run: Callable[[tuple[Word, ...], ExecutionContext], Iterator[ReportedEffect]]) -> Program:
    """Returns a program that runs sources, unless an option of the build tool only asks for information."""

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        own, _ = _split_arguments(argv)
        if set(own).isdisjoint(INFORMATION_OPTIONS):
            yield from run(argv, context)

    return Program(does=report_effects)


def _run_swift(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Runs the target that `swift run` names, or the only one of the package."""
    if _texts(argv)[1:2] != ["run"]:
        return
    options, arguments = _split_arguments(argv)
    named = [text for text in options[2:] if not text.startswith("-")]
    folders = context.list_files(Word(("Sources/", glob_hole("*"))))[:_MOST_MEMBERS]
    for folder in [each for each in folders if not named or each.rstrip("/").rpartition("/")[2] == named[0]]:
        listed = context.list_files(Word((f"{folder}/", glob_hole("*"), ".swift")))
        main = next((path for path in listed if path.endswith("/main.swift") or "@main" in _read_text(path, context)), None)
        if main is not None:
            words = (*map(known_word, named[1:]), *arguments)
            yield from _run_sources("swift", [main, *_list_named(main, listed, context)], words, argv, context)


CARGO_RUN, DOTNET_RUN = _unless_informed(_run_cargo), _unless_informed(_run_dotnet)
MAIN_CLASS, SWIFT_RUN = _unless_informed(_run_main_class), _unless_informed(_run_swift)
