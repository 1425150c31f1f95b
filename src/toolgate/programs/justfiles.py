"""Justfiles: their recipes, imports and modules, and the steps of a call of `just`.

A recipe of a module runs in the module's folder; an imported recipe runs in the folder of the importing file.
"""

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field

from toolgate.model.seen import Seen
from toolgate.model.word import EMPTY, Word, joined, known

from .make_expansion import SOMETHING
from .manifests import Step, unread_step
from .nearest import File, files
from .recipes import without_unknown_start

_RECIPE = re.compile(r"^@?([A-Za-z_][\w-]*)((?:\s+[*+$]*\w+(?:=(?:\"[^\"]*\"|'[^']*'|\S+))?)*)\s*:(?!=)\s*(.*)$")
_IMPORT = re.compile(r"^import\??\s+[\"']([^\"'\n]+)[\"']")
_MODULE = re.compile(r"^mod\??\s+([A-Za-z_][\w-]*)(?:\s+[\"']([^\"'\n]+)[\"'])?\s*(?:#.*)?$")
_SETTING = re.compile(r"^(?:export\s+)?([A-Za-z_][\w-]*)\s*:=\s*(?:\"([^\"\\]*)\"|'([^']*)')\s*(?:#.*)?$")
_PARAMETER = re.compile(r"([*+]?)\$?(\w+)(?:=(\"[^\"]*\"|'[^']*'|\S+))?")
_NEED = re.compile(r"\(\s*([\w:-]+)([^)]*)\)|([\w:-]+)")
_GIVEN = re.compile(r"\"[^\"]*\"|'[^']*'|[^\s\"']+")
_MOST = 200
_BEYOND = (0, "")
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

    def bound(self, words: list[Word]) -> tuple[Values, list[Word]]:
        """Return the values of its parameters from these words, and the remaining words."""
        values: Values = {}
        for several, name, default in _PARAMETER.findall(self.parameters):
            if several:
                values[name], words = joined(words) if words else _default(default), []
            elif words:
                values[name], words = words[0], words[1:]
            else:
                values[name] = _default(default)
        return values, words

    def steps(self, values: Values) -> Iterator[Step]:
        """Each line is a command; a recipe that begins with `#!` is one script."""
        shown = self.file.path.rpartition("/")[2]
        if self.lines and (first := self.lines[0][1].strip()).startswith("#!"):
            names = [word.rpartition("/")[2] for word in first[2:].split() if not word.startswith("-")]
            name = names[1] if names[:1] == ["env"] and len(names) > 1 else names[0] if names else "sh"
            body = textwrap.dedent("\n".join(line for _, line in self.lines))
            yield Step(_filled(body, values), self.lines[0][0], shown, _LANGUAGES.get(name, name))
            return
        held: list[str] = []
        for number, line in self.lines:
            held.append(line.strip())
            if line.endswith("\\"):
                held[-1] = held[-1][:-1]
            else:
                text, held = " ".join(held), []
                if text and not text.startswith("#"):
                    yield Step(without_unknown_start(_filled(text.lstrip("@-"), values)), number, shown)


@dataclass(slots=True)
class Module:
    """`file`: the file whose folder its recipes run in. `left_out`: it imports more files than are read here."""

    file: File
    recipes: dict[str, Recipe] = field(default_factory=dict)
    modules: "dict[str, list[Module]]" = field(default_factory=dict)
    settings: Values = field(default_factory=dict)
    left_out: bool = False


def read(file: File, seen: Seen) -> Module:
    """Read a justfile with its imports and modules. Its own recipes override imported ones."""
    count = [0]
    module = _read(file, seen, count)
    module.left_out = count[0] >= _MOST
    return module


def _read(file: File, seen: Seen, count: list[int]) -> Module:
    module, waiting = Module(file), [file]
    found: list[tuple[str, str | None]] = []
    while waiting and count[0] < _MOST:
        one = waiting.pop(0)
        count[0] += 1
        folder = one.path.rpartition("/")[0] or "/"
        for imported in _add(module, one, found):
            waiting += files((known(_at_home(imported, seen)),), folder, seen)
    home = file.path.rpartition("/")[0] or "/"
    for name, path in found:
        names = (
            (path,) if path else (f"{name}.just", f"{name}/mod.just", f"{name}/justfile", f"{name}/.justfile", f"{name}/Justfile")
        )
        if path and not path.endswith(".just") and "justfile" not in path.lower():
            names = (f"{path}/mod.just", f"{path}/justfile", f"{path}/.justfile", f"{path}/Justfile", path)
        if count[0] < _MOST:
            others = files(tuple(known(_at_home(each, seen)) for each in names), home, seen)
            module.modules[name] = [_read(other, seen, count) for other in others]
    return module


def _at_home(path: str, seen: Seen) -> str:
    return seen.home + path[1:] if path.startswith("~/") else path


def _add(module: Module, file: File, modules: list[tuple[str, str | None]]) -> list[str]:
    """Add the recipes of one file to a module; return the paths of its imports."""
    imports: list[str] = []
    current: list[tuple[int, str]] = []
    for number, line in enumerate(file.text.split("\n"), 1):
        if line[:1] in (" ", "\t"):
            current.append((number, line))
        elif match := _SETTING.match(line):
            module.settings.setdefault(match[1], known(match[2] or match[3] or ""))
        elif match := _IMPORT.match(line):
            imports.append(match[1])
        elif match := _MODULE.match(line):
            modules.append((match[1], match[2]))
        elif match := _RECIPE.match(line):
            needs = tuple((name or bare, given) for name, given, bare in _NEED.findall(match[3].partition("#")[0]))
            recipe = Recipe(match[1], match[2], needs, file)
            current = module.recipes.setdefault(match[1], recipe).lines
            if module.recipes[match[1]] is not recipe:
                current = []
        elif line.strip():
            current = []
    return imports


def steps(module: Module, words: list[Word]) -> Iterator[tuple[Step, File]]:
    """Yield what a call with these words would run, each step with the file whose folder it runs in."""
    done: set[tuple[int, str]] = set()
    settings: Values = {}
    if module.left_out:
        yield unread_step(f"it is made of more than {_MOST} files"), module.file
    while words and "=" in (words[0].text or ""):
        name, _, value = words[0].partition("=")
        settings[name.text or ""], words = value, words[1:]
    if not words:
        yield from _first(module, settings, done)
    while words:
        path, words = (words[0].text or "").split("::"), words[1:]
        reached = [module]
        while path and (below := _below(reached, path[0])):
            reached, path = below, path[1:]
            if not path:  # `just module recipe`
                path, words = [word.text or "" for word in words[:1]], words[1:]
        left = words
        for each in reached:
            if not path:
                yield from _first(each, settings, done)
            elif path[0] in each.recipes:
                values, left = each.recipes[path[0]].bound(words)
                yield from _run(each, path[0], {**settings, **values}, done)
        words = left


def _below(modules: list[Module], name: str) -> list[Module]:
    return [other for each in modules for other in each.modules.get(name, ())]


def _first(module: Module, settings: Values, done: set[tuple[int, str]]) -> Iterator[tuple[Step, File]]:
    for name in list(module.recipes)[:1]:
        yield from _run(module, name, {**settings, **module.recipes[name].bound([])[0]}, done)


def _run(module: Module, name: str, values: Values, done: set[tuple[int, str]]) -> Iterator[tuple[Step, File]]:
    """Run a recipe with its dependencies before it; those after `&&` are run, too."""
    recipe, values = module.recipes.get(name), {**module.settings, **values}
    if recipe is None or (id(module), name) in done or _BEYOND in done:
        return
    if len(done) >= _MOST:
        done.add(_BEYOND)
        yield unread_step(f"more than {_MOST} of its recipes are needed"), module.file
        return
    done.add((id(module), name))
    for need, given in recipe.needs:
        here, path = [module], need.split("::")
        words = [values.get(word, _default(word)) for word in _GIVEN.findall(given)]
        for part in path[:-1]:
            here = _below(here, part)
        for each in here:
            if path[-1] in each.recipes:
                yield from _run(each, path[-1], each.recipes[path[-1]].bound(words)[0], done)
    yield from ((step, module.file) for step in recipe.steps(values))


def _default(source: str) -> Word:
    return known(source[1:-1]) if source[:1] in ("'", '"') else EMPTY if not source else SOMETHING


def _filled(line: str, values: Values) -> Word:
    result = EMPTY
    for n, piece in enumerate(re.split(r"\{\{(.*?)\}\}", line)):
        result = result + (values.get(piece.strip(), SOMETHING) if n % 2 else known(piece))
    return result
