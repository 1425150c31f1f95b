"""Justfiles: their recipes, imports and modules, and the steps of a call of `just`.

A recipe of a module runs in the module's folder; an imported recipe runs in the folder of the importing file.
"""

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field

from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import EMPTY, Word, join_words, known_word

from .make_expansion import UNKNOWN_TEXT
from .makefiles import drop_unknown_start
from .steps import Step, unread_step
from .task_files import File, read_candidates

_RECIPE = re.compile(r"^@?([A-Za-z_][\w-]*)((?:\s+[*+$]*\w+(?:=(?:\"[^\"]*\"|'[^']*'|\S+))?)*)\s*:(?!=)\s*(.*)$")
_IMPORT = re.compile(r"^import\??\s+[\"']([^\"'\n]+)[\"']")
_MODULE = re.compile(r"^mod\??\s+([A-Za-z_][\w-]*)(?:\s+[\"']([^\"'\n]+)[\"'])?\s*(?:#.*)?$")
_SETTING = re.compile(r"^(?:export\s+)?([A-Za-z_][\w-]*)\s*:=\s*(?:\"([^\"\\]*)\"|'([^']*)')\s*(?:#.*)?$")
_SHELL_SETTING = re.compile(r"^set\s+(?:unix-)?shell\s*:=\s*\[\s*[\"']([^\"']+)[\"']")
_EVALUATED = re.compile(r"```(.*?)```|`([^`]+)`|\bshell\(\s*(?:'([^']*)'|\"([^\"]*)\")", re.DOTALL)
_PARAMETER = re.compile(r"([*+]?)\$?(\w+)(?:=(\"[^\"]*\"|'[^']*'|\S+))?")
_DEPENDENCY = re.compile(r"\(\s*([\w:-]+)([^)]*)\)|([\w:-]+)")
_DEPENDENCY_ARGUMENT = re.compile(r"\"[^\"]*\"|'[^']*'|[^\s\"']+")
_MAX_RECIPES = 200
_TOO_MANY = (0, "")
"""Marks among the executed recipes that there were too many."""
_LANGUAGES = {
    **dict.fromkeys(("sh", "bash", "zsh", "dash", "ksh"), "shell"),
    **dict.fromkeys(("python", "python3"), "python"),
    **dict.fromkeys(("node", "deno", "bun"), "javascript"),
    "perl": "perl",
    "ruby": "ruby",
    "php": "php",
}

Values = dict[str, Word]


@dataclass(frozen=True, slots=True)
class Recipe:
    name: str
    parameters: str
    needs: tuple[tuple[str, str], ...]
    file: File
    lines: list[tuple[int, str]] = field(default_factory=list)

    def bind_parameters(self, words: list[Word]) -> tuple[Values, list[Word]]:
        """Returns the values of its parameters from these words, and the remaining words."""
        values: Values = {}
        for several, name, default in _PARAMETER.findall(self.parameters):
            if several:
                values[name], words = join_words(words) if words else _default_value(default), []
            elif words:
                values[name], words = words[0], words[1:]
            else:
                values[name] = _default_value(default)
        return values, words

    def list_steps(self, values: Values) -> Iterator[Step]:
        """Each line is a command; a recipe that begins with `#!` is one script."""
        shown = self.file.path.rpartition("/")[2]
        if self.lines and (first := self.lines[0][1].strip()).startswith("#!"):
            names = [word.rpartition("/")[2] for word in first[2:].split() if not word.startswith("-")]
            name = names[1] if names[:1] == ["env"] and len(names) > 1 else names[0] if names else "sh"
            body = textwrap.dedent("\n".join(line for _, line in self.lines))
            yield Step(_interpolate(body, values), self.lines[0][0], shown, _LANGUAGES.get(name, name))
            return
        held: list[str] = []
        for number, line in self.lines:
            held.append(line.strip())
            if line.endswith("\\"):
                held[-1] = held[-1][:-1]
            else:
                text, held = " ".join(held), []
                if text and not text.startswith("#"):
                    yield Step(drop_unknown_start(_interpolate(text.lstrip("@-"), values)), number, shown)


@dataclass(slots=True)
class Module:
    """`file`: the file whose folder its recipes run in. `evaluated`: commands in backticks, which run before any recipe, and
    the program that runs recipes. `left_out`: it imports more files than are read here."""

    file: File
    recipes: dict[str, Recipe] = field(default_factory=dict)
    modules: "dict[str, list[Module]]" = field(default_factory=dict)
    settings: Values = field(default_factory=dict)
    evaluated: list[Step] = field(default_factory=list)
    left_out: bool = False


def read_justfile(file: File, context: ExecutionContext) -> Module:
    """Reads a justfile with its imports and modules. Its own recipes override imported ones."""
    count = [0]
    module = _read_module(file, context, count)
    module.left_out = count[0] >= _MAX_RECIPES
    return module


def _read_module(file: File, context: ExecutionContext, count: list[int]) -> Module:
    module, waiting = Module(file), [file]
    found: list[tuple[str, str | None]] = []
    while waiting and count[0] < _MAX_RECIPES:
        one = waiting.pop(0)
        count[0] += 1
        folder = one.path.rpartition("/")[0] or "/"
        for imported in _add_file(module, one, found):
            waiting += read_candidates((known_word(_expand_home(imported, context)),), folder, context)
    home = file.path.rpartition("/")[0] or "/"
    for name, path in found:
        names = (
            (path,) if path else (f"{name}.just", f"{name}/mod.just", f"{name}/justfile", f"{name}/.justfile", f"{name}/Justfile")
        )
        if path and not path.endswith(".just") and "justfile" not in path.lower():
            names = (f"{path}/mod.just", f"{path}/justfile", f"{path}/.justfile", f"{path}/Justfile", path)
        if count[0] < _MAX_RECIPES:
            others = read_candidates(tuple(known_word(_expand_home(each, context)) for each in names), home, context)
            module.modules[name] = [_read_module(other, context, count) for other in others]
    return module


def _expand_home(path: str, context: ExecutionContext) -> str:
    return context.home + path[1:] if path.startswith("~/") else path


def _add_file(module: Module, file: File, modules: list[tuple[str, str | None]]) -> list[str]:
    """Adds the recipes of one file to a module; returns the paths of its imports."""
    imports: list[str] = []
    current: list[tuple[int, str]] = []
    for number, line in enumerate(file.text.split("\n"), 1):
        if line[:1] in (" ", "\t"):
            current.append((number, line))
            continue
        if not line.startswith("#") and ":=" in line:
            module.evaluated += _list_evaluated(line, number, file)
        if match := _SHELL_SETTING.match(line):
            module.evaluated.append(Step(known_word(match[1]), number, file.path.rpartition("/")[2]))
        elif match := _SETTING.match(line):
            module.settings.setdefault(match[1], known_word(match[2] or match[3] or ""))
        elif match := _IMPORT.match(line):
            imports.append(match[1])
        elif match := _MODULE.match(line):
            modules.append((match[1], match[2]))
        elif match := _RECIPE.match(line):
            needs = tuple(
                (name or bare, argument_text) for name, argument_text, bare in _DEPENDENCY.findall(match[3].partition("#")[0])
            )
            recipe = Recipe(match[1], match[2], needs, file)
            current = module.recipes.setdefault(match[1], recipe).lines
            if module.recipes[match[1]] is not recipe:
                current = []
        elif line.strip():
            current = []
    return imports


def _list_evaluated(line: str, number: int, file: File) -> list[Step]:
    """Returns the commands whose output is the value of a variable."""
    shown = file.path.rpartition("/")[2]
    return [Step(known_word("".join(found)), number, shown) for found in _EVALUATED.findall(line)]


def find_steps(module: Module, words: list[Word]) -> Iterator[tuple[Step, File]]:
    """Yields what a call with these words would run, each step with the file whose folder it runs in."""
    done: set[tuple[int, str]] = set()
    settings: Values = {}
    if module.left_out:
        yield unread_step(f"it is made of more than {_MAX_RECIPES} files"), module.file
    yield from ((step, module.file) for step in module.evaluated)
    while words and "=" in (words[0].text or ""):
        name, _, value = words[0].partition("=")
        settings[name.text or ""], words = value, words[1:]
    if not words:
        yield from _run_default_recipe(module, settings, done)
    while words:
        path, words = (words[0].text or "").split("::"), words[1:]
        reached = [module]
        while path and (below := _submodules(reached, path[0])):
            reached, path = below, path[1:]
            if not path:  # `just module recipe`
                path, words = [word.text or "" for word in words[:1]], words[1:]
        left = words
        for each in reached:
            if not path:
                yield from _run_default_recipe(each, settings, done)
            elif path[0] in each.recipes:
                values, left = each.recipes[path[0]].bind_parameters(words)
                yield from _run_recipe(each, path[0], {**settings, **values}, done)
        words = left


def _submodules(modules: list[Module], name: str) -> list[Module]:
    return [other for each in modules for other in each.modules.get(name, ())]


def _run_default_recipe(module: Module, settings: Values, finished: set[tuple[int, str]]) -> Iterator[tuple[Step, File]]:
    for name in list(module.recipes)[:1]:
        yield from _run_recipe(module, name, {**settings, **module.recipes[name].bind_parameters([])[0]}, finished)


def _run_recipe(module: Module, name: str, values: Values, finished: set[tuple[int, str]]) -> Iterator[tuple[Step, File]]:
    """Runs a recipe with its dependencies before it; those after `&&` are run, too."""
    recipe, values = module.recipes.get(name), {**module.settings, **values}
    if recipe is None or (id(module), name) in finished or _TOO_MANY in finished:
        return
    if len(finished) >= _MAX_RECIPES:
        finished.add(_TOO_MANY)
        yield unread_step(f"more than {_MAX_RECIPES} of its recipes are needed"), module.file
        return
    finished.add((id(module), name))
    for need, arguments in recipe.needs:
        here, path = [module], need.split("::")
        words = [values.get(word, _default_value(word)) for word in _DEPENDENCY_ARGUMENT.findall(arguments)]
        for part in path[:-1]:
            here = _submodules(here, part)
        for each in here:
            if path[-1] in each.recipes:
                yield from _run_recipe(each, path[-1], each.recipes[path[-1]].bind_parameters(words)[0], finished)
    yield from ((step, module.file) for step in recipe.list_steps(values))


def _default_value(source: str) -> Word:
    return known_word(source[1:-1]) if source[:1] in ("'", '"') else EMPTY if not source else UNKNOWN_TEXT


def _interpolate(line: str, values: Values) -> Word:
    result = EMPTY
    for n, piece in enumerate(re.split(r"\{\{(.*?)\}\}", line)):
        result = result + (values.get(piece.strip(), UNKNOWN_TEXT) if n % 2 else known_word(piece))
    return result
