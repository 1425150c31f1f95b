"""Indexes a policy's written rules by what they are about, so that a thousand of them cost a call about as much as ten.

The index leaves out only rules that cannot match; `matches_rule` decides on the others.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from toolgate.model.effect import Connect, Effect, Effects, Interpret, Operation, Run, list_places
from toolgate.model.event import Scene
from toolgate.model.glob import ANY_FOLDERS, literal_folder, split_path
from toolgate.model.place import Place
from toolgate.model.rule import WrittenRule

from . import written_rules

_GLOB_CHARACTERS = frozenset("*?[")
_LITERAL_PREFIX = re.compile(r"[^*?\[]*")
_MAX_PATTERN_MEMORY = 64 << 20
_MAX_SEARCHED_CHARACTERS = (
    4096  # over a longer text so many expressions at once might run out of memory, which looks like no match
)


@dataclass(slots=True)
class RuleIndex:
    """Positions of rules, by what they are about. `rest`: rules that may concern any effect."""

    rules: tuple[WrittenRule, ...]
    programs: dict[str, list[int]] = field(default_factory=dict)
    operations: dict[str, list[int]] = field(default_factory=dict)
    hosts: dict[str, list[int]] = field(default_factory=dict)
    folders: dict[str, list[int]] = field(default_factory=dict)
    sorted_folders: list[str] = field(default_factory=list)
    paths: list[int] = field(default_factory=list)
    texts: list[int] = field(default_factory=list)
    rest: list[int] = field(default_factory=list)
    patterns: Any = None

    def find_candidates(self, effect: Effect, effects: Effects) -> Iterable[int]:
        """Returns the positions of the rules that may match, in the order of the policy."""
        return sorted({*self.rest, *self._iter_by_subject(effect), *self._iter_by_text(effect, effects)})

    def _iter_by_subject(self, effect: Effect) -> Iterator[int]:
        match effect:
            case Operation(name=name):
                yield from self.operations.get(name, ())
            case Connect(target=target):
                host = written_rules.read_host(target)
                yield from self.hosts.get(host, ()) if host is not None else (n for each in self.hosts.values() for n in each)
            case Run(argv=argv) if argv:
                text = argv[0].text
                name = (argv[0].tail if text is None else text).rpartition("/")[2]
                yield from self.programs.get(name, ())
                if text is None:
                    yield from (n for each in self.programs.values() for n in each)
            case _:
                pass
        for place in list_places(effect):
            if place.path is None and place.anchor is None:
                yield from self.paths
                return
            if place.path is None:
                yield from self._iter_around_path(*_split_certain_prefix(place))
                continue
            for path in {place.path, written_rules.path_before_links(place) or place.path}:
                yield from self._iter_around_path(path)

    def _iter_around_path(self, path: str, begins: str = "") -> Iterator[int]:
        yield from self._iter_above_path(path.casefold())
        yield from self._iter_beneath_path(path.casefold(), begins.casefold())

    def _iter_above_path(self, path: str) -> Iterator[int]:
        while True:
            yield from self.folders.get(path, ())
            if path in ("/", ""):
                return
            path = path.rpartition("/")[0] or "/"

    def _iter_beneath_path(self, path: str, begins: str) -> Iterator[int]:
        """Yields the rules for paths inside a folder that changes as a whole, or whose names begin so."""
        start = f"{path.rstrip('/')}/{begins}"
        for folder in self.sorted_folders[bisect_left(self.sorted_folders, start) :]:
            if not folder.startswith(start):
                return
            yield from self.folders[folder]

    def _iter_by_text(self, effect: Effect, effects: Effects) -> Iterator[int]:
        if not self.texts or not isinstance(effect, Run | Interpret):
            return
        for text in written_rules.iter_command_texts(effect, effects):
            shown = text.display_text
            if self.patterns is None or len(shown) > _MAX_SEARCHED_CHARACTERS:
                yield from self.texts
                return
            yield from (self.texts[n] for n in self.patterns.Match(shown) or ())


def _split_certain_prefix(place: Place) -> tuple[str, str]:
    """Returns the folder that a partly unknown path is surely in, and the known beginning of its next name."""
    folder = place.anchor or "/"
    for name in split_path(place.rest):
        if not _GLOB_CHARACTERS.isdisjoint(name):
            return folder, "" if ANY_FOLDERS in name else _LITERAL_PREFIX.match(name)[0]  # type: ignore[index]
        folder = f"{folder.rstrip('/')}/{name}"
    return folder, ""


def build_index(rules: tuple[WrittenRule, ...], scene: Scene) -> RuleIndex:
    found = RuleIndex(rules)
    for n, rule in enumerate(rules):
        if rule.path:
            folder = literal_folder(written_rules.absolute_pattern(rule.path, scene)).casefold()
            found.folders.setdefault(folder, []).append(n)
            found.paths.append(n)
        elif rule.operation and _GLOB_CHARACTERS.isdisjoint(rule.operation):
            found.operations.setdefault(rule.operation, []).append(n)
        elif rule.connect and _GLOB_CHARACTERS.isdisjoint(rule.connect):
            found.hosts.setdefault(rule.connect.lower(), []).append(n)
        elif rule.program and not (rule.operation or rule.connect) and _GLOB_CHARACTERS.isdisjoint(rule.program):
            found.programs.setdefault(rule.program.rpartition("/")[2], []).append(n)
        elif rule.text and not (rule.operation or rule.connect or rule.program):
            found.texts.append(n)
        else:
            found.rest.append(n)
    found.sorted_folders = sorted(found.folders)
    found.patterns = _compile_patterns([rules[n].text for n in found.texts])
    return found


def _compile_patterns(texts: list[str]) -> Any:
    """Returns all expressions as one; None where there are none, or re2 cannot combine them."""
    if not texts:
        return None
    import re2

    options: Any = re2.Options()
    options.max_mem, options.log_errors = _MAX_PATTERN_MEMORY, False
    every = re2.Set.SearchSet(options)
    for text in texts:
        every.Add(text)
    try:
        every.Compile()
    except re2.error:
        return None
    return every
