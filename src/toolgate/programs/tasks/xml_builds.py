"""Build files in XML: the tasks of Ant, and the plugins of Maven that run or delete something."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from xml.parsers import expat

from toolgate.documents import InvalidDocument
from toolgate.model.effect import ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import EMPTY, Hole, Word, join_words, known_word
from toolgate.programs.argv.program import Program

from .steps import Step, unread_step
from .task_files import File, find_nearest, interpret_step, read_candidates, resolve_folder

_MAX_DEPTH, _MAX_FILES = 12, 50
_PROPERTY = re.compile(r"(\$\{[^{}$]+\})")
_UNKNOWN_PROPERTY = Word((Hole("?*", "a property"),))
_PLACES = {
    "user.home": '"$HOME"',
    "basedir": ".",
    "project.basedir": ".",
    "user.dir": ".",
    "project.build.directory": "./target",
    "java.io.tmpdir": "/tmp",
}
"""Properties that are always set, as text for the shell."""


@dataclass(slots=True)
class Element:
    name: str
    attributes: dict[str, str]
    line: int
    children: list["Element"] = field(default_factory=list)
    text: str = ""

    def iterate(self) -> Iterator["Element"]:
        yield self
        for child in self.children:
            yield from child.iterate()

    def find(self, *names: str) -> Iterator["Element"]:
        """Yields the elements with one of these names, here and below."""
        return (each for each in self.iterate() if each.name in names)


def parse_xml(text: str) -> Element:
    """Parses a document without entities of its own. Raises InvalidDocument."""
    parser = expat.ParserCreate()
    top = Element("", {}, 1)
    open_elements = [top]

    def start(name: str, attributes: dict[str, str]) -> None:
        element = Element(name.rpartition(":")[2], attributes, parser.CurrentLineNumber)
        open_elements[-1].children.append(element)
        open_elements.append(element)

    def add_text(data: str) -> None:
        open_elements[-1].text += data

    def refuse_entity(*_declaration: object) -> None:
        raise InvalidDocument("it declares entities")

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _name: open_elements.pop()
    parser.CharacterDataHandler = add_text
    parser.EntityDeclHandler = refuse_entity
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)
    except expat.ExpatError as problem:
        raise InvalidDocument("it does not parse as XML") from problem
    return top


class Properties:
    """The properties of a build file. The value of one may refer to others."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self.values = dict(values)

    def expand(self, text: str, depth: int = 0) -> Word:
        """Returns a word of a shell command for a text: what is known of it is quoted."""
        result = EMPTY
        for n, piece in enumerate(_PROPERTY.split(text)):
            if n % 2:
                result = result + self._value_of(piece[2:-1], depth)
            elif piece:
                result = result + known_word("'" + piece.replace("'", "'\\''") + "'")
        return result

    def _value_of(self, name: str, depth: int) -> Word:
        if name in self.values and depth < _MAX_DEPTH:
            return self.expand(self.values[name], depth + 1)
        if name in _PLACES:
            return known_word(_PLACES[name])
        prefix, dot, variable = name.partition(".")
        is_variable = prefix == "env" and dot and variable.isidentifier()
        return known_word(f'"${{{variable}-}}"') if is_variable else known_word('"') + _UNKNOWN_PROPERTY + known_word('"')

    def build_step(self, words: Iterable[str | Word], element: Element) -> Step:
        return Step(join_words([self.expand(word) if isinstance(word, str) else word for word in words], " "), element.line)


# ---- the tasks of Ant


def _list_sources(element: Element) -> list[tuple[str, str]]:
    """Returns the folders and files that a task works on, each with the last part of the pattern that selects files in it."""
    found = [(element.attributes[key], "") for key in ("dir", "file") if key in element.attributes]
    for each in element.children:
        folder = each.attributes.get("dir") or each.attributes.get("file") or each.attributes.get("path")
        included = [each.attributes.get("includes", ""), *(inner.attributes.get("name", "") for inner in each.find("include"))]
        patterns = [pattern.rpartition("/")[2] for text in included for pattern in re.split(r"[,\s]+", text) if pattern]
        if folder:
            found += [(folder, "" if pattern in ("*", "**") else pattern) for pattern in patterns or [""]]
    return found


def _delete(element: Element, properties: Properties) -> Iterator[Step]:
    for folder, pattern in _list_sources(element):
        target = properties.expand(folder) + (known_word(f"/{pattern}") if pattern else EMPTY)
        yield properties.build_step(["rm", "-rf", target], element)


def _transfer(program: tuple[str, ...]) -> "Task":
    def move_or_copy(element: Element, properties: Properties) -> Iterator[Step]:
        target = element.attributes.get("todir") or element.attributes.get("tofile")
        for source, _ in _list_sources(element) if target else ():
            yield properties.build_step([*program, source, target or ""], element)

    return move_or_copy


def _execute(element: Element, properties: Properties) -> Iterator[Step]:
    words: list[str | Word] = [element.attributes.get("executable", "")]
    if command := element.attributes.get("command"):
        words = [known_word(command)]
    for argument in element.find("arg"):
        line = argument.attributes.get("line")
        value = argument.attributes.get("value") or argument.attributes.get("path") or argument.attributes.get("file") or ""
        words.append(value if line is None else known_word(line.replace("${user.home}", "$HOME")))
    if words != [""]:
        yield properties.build_step(words, element)


def _write_text(element: Element, properties: Properties) -> Iterator[Step]:
    if target := element.attributes.get("file") or element.attributes.get("output"):
        mode = ">>" if element.attributes.get("append") in ("true", "yes") else ">"
        text = element.attributes.get("message") or element.text
        yield properties.build_step(["printf", "%s", text, known_word(mode), target], element)


def _download(element: Element, properties: Properties) -> Iterator[Step]:
    yield properties.build_step(["curl", "-o", element.attributes.get("dest", "."), element.attributes.get("src", "")], element)


def _run_script(element: Element, _properties: Properties) -> Iterator[Step]:
    language = "javascript" if element.attributes.get("language") in ("javascript", "js", "nashorn") else "jvm"
    yield Step(known_word(element.text), element.line, language=language)


Task = Callable[[Element, Properties], Iterator[Step]]
_TASKS: dict[str, Task] = {
    "delete": _delete,
    "move": _transfer(("mv",)),
    "copy": _transfer(("cp", "-r")),
    **dict.fromkeys(("exec", "apply"), _execute),
    **dict.fromkeys(("echo", "echoxml"), _write_text),
    "get": _download,
    **dict.fromkeys(("script", "groovy"), _run_script),
}


def _list_task_steps(element: Element, properties: Properties) -> Iterator[Step]:
    """Yields what the tasks at and below an element run."""
    if element.name in ("property", "available") and "name" in element.attributes:
        value = element.attributes.get("value") or element.attributes.get("location")
        if value is not None:
            properties.values.setdefault(element.attributes["name"], value)
    task = _TASKS.get(element.name)
    if task is not None:
        yield from task(element, properties)
    else:
        for child in element.children:
            yield from _list_task_steps(child, properties)


def list_ant_steps(
    text: str, called: list[str], given: Mapping[str, str], read_file: Callable[[str], Iterable[str]]
) -> Iterator[Step]:
    """Yields what these targets run with those that they depend on, and what stands outside of targets. Raises InvalidDocument."""
    properties, targets, default = Properties(given), dict[str, Element](), ""
    waiting, read = [text], 0
    while waiting and read < _MAX_FILES:
        read += 1
        for top in parse_xml(waiting.pop(0)).children:
            default = default or top.attributes.get("default", "")
            for each in top.children:
                if each.name in ("target", "extension-point", "macrodef"):
                    targets.setdefault(each.attributes.get("name", ""), each)
                elif each.name in ("import", "include"):
                    waiting += read_file(each.attributes.get("file", ""))
                else:
                    yield from _list_task_steps(each, properties)
    if waiting:
        yield unread_step(f"it includes more than {_MAX_FILES} other files")
    names, done = called or [default], set[str]()
    for name in names:  # which grows
        target = targets.get(name)
        if target is None or name in done:
            continue
        done.add(name)
        names += [each.strip() for each in target.attributes.get("depends", "").split(",")]
        names += [each.attributes.get("target", "") for each in target.find("antcall")]
        names += [each.name for each in target.iterate() if each.name in targets]
        yield from _list_task_steps(target, properties)


def ant(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`ant TARGET`, `ant -f FILE -Dname=value`."""
    words = [word.text or "" for word in argv[1:]]
    if not {"-p", "-projecthelp", "-h", "-help", "-version", "-diagnostics"}.isdisjoint(words):
        return
    given = dict(word[2:].partition("=")[::2] for word in words if word.startswith("-D") and "=" in word)
    chosen = [known_word(word.partition("=")[2]) for word in words if word.startswith(("-buildfile=", "-file=", "-f="))]
    chosen += [value for option, value in pairwise(argv) if option.text in ("-f", "-file", "-buildfile")]
    takes_value = {n + 1 for n, word in enumerate(words) if word in _OPTIONS_WITH_VALUE}
    called = [word for n, word in enumerate(words) if n not in takes_value and not word.startswith("-")]
    folder = resolve_folder(None, context)
    files = read_candidates(tuple(chosen), folder, context) if chosen else find_nearest(("build.xml",), None, context)
    for file in files:
        try:
            steps = list(list_ant_steps(file.text, called, given, _file_reader(file, context)))
        except InvalidDocument as problem:
            steps = [unread_step(str(problem))]
        yield from (interpret_step(step, file, context) for step in steps)


_OPTIONS_WITH_VALUE = frozenset(
    "-f -file -buildfile -s -find -l -logfile -lib -propertyfile -logger -listener -inputhandler".split()
)


def _file_reader(file: File, context: ExecutionContext) -> Callable[[str], Iterable[str]]:
    folder = file.path.rpartition("/")[0] or "/"
    return lambda name: [other.text for other in read_candidates((known_word(name),), folder, context)]


# ---- the plugins of Maven


def list_maven_steps(text: str, operands: tuple[str, ...]) -> Iterator[Step]:
    """Yields the programs of the exec plugin, tasks of Ant, scripts, and what `clean` deletes besides the build's own folder."""
    top = parse_xml(text)
    given = {each.name: each.text.strip() for block in top.find("properties") for each in block.children}
    properties = Properties(given)
    for block in top.find("configuration"):
        yield from _list_configured_steps(block, properties)
    if "clean" in operands:
        folders = [each for block in top.find("fileset") for each in block.children if each.name == "directory"]
        folders += [each for block in top.find("build") for each in block.children if each.name == "directory"]
        yield from (properties.build_step(["rm", "-rf", folder.text.strip()], folder) for folder in folders)


def _list_configured_steps(block: Element, properties: Properties) -> Iterator[Step]:
    for element in block.children:
        if element.name == "executable":
            words: list[str | Word] = [each.text.strip() for each in block.find("argument")]
            lines = [known_word(each.text.strip().replace("${user.home}", "$HOME")) for each in block.find("commandlineArgs")]
            yield properties.build_step([element.text.strip(), *words, *lines], element)
        elif element.name in ("target", "tasks"):
            yield from _list_task_steps(element, properties)
        elif element.name in ("source", "script"):
            yield Step(known_word(element.text), element.line, language="jvm")


ROWS: dict[str, Program] = {"ant": Program(does=ant)}
