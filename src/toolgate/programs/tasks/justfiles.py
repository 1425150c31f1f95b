"""Justfiles: their recipes, imports and modules, and the steps of a call of `just`.

A recipe of a module runs in the module's folder; an imported recipe runs in the folder of the importing file.
"""

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field

from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import EMPTY, Word, join_words, known_word

from .just_expressions import Expressions, Values
from .makefiles import drop_unknown_start
from .steps import Step, define_variables, unread_step
from .task_files import File, read_candidates

_INNER = r"\((?:[^()]|\([^()]*\))*\)"
"""An expression in parentheses, which may call functions."""
_DEFAULT = rf"\"[^\"]*\"|'[^']*'|`[^`]*`|{_INNER}|[\w-]+{_INNER}|\S+"
_RECIPE = re.compile(rf"^@?([A-Za-z_][\w-]*)((?:\s+[*+$]*\w+(?:=(?:{_DEFAULT}))?)*)\s*:(?!=)\s*(.*)$")
_IMPORT = re.compile(r"^import\??\s+[\"']([^\"'\n]+)[\"']")
_MODULE = re.compile(r"^mod\??\s+([A-Za-z_][\w-]*)(?:\s+[\"']([^\"'\n]+)[\"'])?\s*(?:#.*)?$")
_SETTING = re.compile(r"^(?:export\s+)?([A-Za-z_][\w-]*)\s*:=\s*(.+)$")
_SHELL_SETTING = re.compile(r"^set\s+(?:unix-)?shell\s*:=\s*\[\s*[\"']([^\"']+)[\"']")
_EVALUATED = re.compile(r"```(.*?)```|`([^`]+)`|\bshell\(\s*(?:'([^']*)'|\"([^\"]*)\")", re.DOTALL)
_PARAMETER = re.compile(rf"([*+]?)(\$?)(\w+)(?:=({_DEFAULT}))?")
_DEPENDENCY = re.compile(rf"\(\s*([\w:-]+)((?:[^()]|{_INNER})*)\)|([\w:-]+)")
_DEPENDENCY_ARGUMENT = re.compile(rf"\"[^\"]*\"|'[^']*'|`[^`]*`|(?:[\w-]+)?{_INNER}|[^\s\"'()]+")
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


@dataclass(frozen=True, slots=True)
class Recipe:
    name: str
    parameters: str
    needs: tuple[tuple[str, str], ...]
    file: File
    lines: list[tuple[int, str]] = field(default_factory=list)

    def bind_parameters(self, words: list[Word], module: "Module", given: Values) -> tuple[Values, list[Word]]:
        """Returns the values of its parameters from these words, beside those given, and the remaining words."""
        values: dict[str, Word] = dict(given)
        for several, _, name, default in _PARAMETER.findall(self.parameters):
            if words:
                values[name], words = (join_words(words), []) if several else (words[0], words[1:])
            else:
                values[name] = module.build_expressions(values).evaluate(default) if default else EMPTY
        return values, words

    def list_steps(self, expressions: Expressions) -> Iterator[Step]:
        """Each line is a command; a recipe that begins with `#!` is one script."""
        shown = self.file.path.rpartition("/")[2]
        parameters = [name for _, dollar, name, _ in _PARAMETER.findall(self.parameters) if dollar]
        exported = {name: expressions.value_of(name) for name in (*expressions.exported, *parameters)}
        if self.lines and (first := self.lines[0][1].strip()).startswith("#!"):
            names = [word.rpartition("/")[2] for word in first[2:].split() if not word.startswith("-")]
            name = names[1] if names[:1] == ["env"] and len(names) > 1 else names[0] if names else "sh"
            body = textwrap.dedent("\n".join(line for _, line in self.lines))
            yield Step(expressions.interpolate(body), self.lines[0][0], shown, _LANGUAGES.get(name, name))
            return
        held: list[str] = []
        for number, line in self.lines:
            held.append(line.strip())
            if line.endswith("\\"):
                held[-1] = held[-1][:-1]
            else:
                text, held = " ".join(held), []
                if text and not text.startswith("#"):
                    line_of_shell = drop_unknown_start(expressions.interpolate(text.lstrip("@-")))
                    yield Step(define_variables(line_of_shell, exported), number, shown)


@dataclass(slots=True)
class Module:
    """`file`: the file whose folder its recipes run in. `home`: the user's. `assigned`: the source of each variable. `evaluated`:
    commands in backticks, which run before any recipe, and the program that runs recipes. `left_out`: it imports more files than
    are read here."""

    file: File
    home: str
    recipes: dict[str, Recipe] = field(default_factory=dict)
    modules: "dict[str, list[Module]]" = field(default_factory=dict)
    assigned: dict[str, str] = field(default_factory=dict)
    exported: set[str] = field(default_factory=set)
    exports_all: bool = False
    evaluated: list[Step] = field(default_factory=list)
    left_out: bool = False

    def build_expressions(self, given: Values) -> Expressions:
        exported = self.assigned.keys() if self.exports_all else self.exported
        return Expressions(self.assigned, given, self.file.path.rpartition("/")[0] or "/", self.home, frozenset(exported))


def read_justfile(file: File, context: ExecutionContext) -> Module:
    """Reads a justfile with its imports and modules. Its own recipes override imported ones."""
    count = [0]
    module = _read_module(file, context, count)
    module.left_out = count[0] >= _MAX_RECIPES
    return module


def _read_module(file: File, context: ExecutionContext, count: list[int]) -> Module:
    module, waiting = Module(file, context.home), [file]
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
            module.assigned.setdefault(match[1], _strip_comment("", match[2]))
            module.exported.update({match[1]} if line.startswith("export") else ())
        elif _match_export_setting(line):
            module.exports_all = True
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


_match_export_setting = re.compile(r"set\s+export\s*(?::=\s*true\s*)?$").match
_strip_comment = re.compile(r"\s+#[^\"'`]*$").sub


def _list_evaluated(line: str, number: int, file: File) -> list[Step]:
    """Returns the commands whose output is the value of a variable."""
    shown = file.path.rpartition("/")[2]
    return [Step(known_word("".join(found)), number, shown) for found in _EVALUATED.findall(line)]


def find_steps(module: Module, words: list[Word]) -> Iterator[tuple[Step, File]]:
    """Yields what a call with these words would run, each step with the file whose folder it runs in."""
    done: set[tuple[int, str]] = set()
    settings: dict[str, Word] = {}
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
                values, left = each.recipes[path[0]].bind_parameters(words, each, settings)
                yield from _run_recipe(each, path[0], values, done)
        words = left


def _submodules(modules: list[Module], name: str) -> list[Module]:
    return [other for each in modules for other in each.modules.get(name, ())]


def _run_default_recipe(module: Module, settings: Values, finished: set[tuple[int, str]]) -> Iterator[tuple[Step, File]]:
    for name in list(module.recipes)[:1]:
        yield from _run_recipe(module, name, module.recipes[name].bind_parameters([], module, settings)[0], finished)


def _run_recipe(module: Module, name: str, values: Values, finished: set[tuple[int, str]]) -> Iterator[tuple[Step, File]]:
    """Runs a recipe with its dependencies before it; those after `&&` are run, too."""
    recipe, expressions = module.recipes.get(name), module.build_expressions(values)
    if recipe is None or (id(module), name) in finished or _TOO_MANY in finished:
        return
    if len(finished) >= _MAX_RECIPES:
        finished.add(_TOO_MANY)
        yield unread_step(f"more than {_MAX_RECIPES} of its recipes are needed"), module.file
        return
    finished.add((id(module), name))
    for need, arguments in recipe.needs:
        here, path = [module], need.split("::")
        words = [expressions.evaluate(source) for source in _DEPENDENCY_ARGUMENT.findall(arguments)]
        for part in path[:-1]:
            here = _submodules(here, part)
        for each in here:
            if path[-1] in each.recipes:
                yield from _run_recipe(each, path[-1], each.recipes[path[-1]].bind_parameters(words, each, {})[0], finished)
    yield from ((step, module.file) for step in recipe.list_steps(expressions))
