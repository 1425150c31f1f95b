"""Matches rules that users write in a policy: conditions on one effect, evaluated without running any code of theirs.

`path` applies to file effects, `connect` to connections, `operation` to operations, `program` to the command that causes the
effect, `text` to that command's words. A condition on something unknown is unknown.
"""

from collections.abc import Iterator
from functools import lru_cache

from toolgate.model.address import host_of
from toolgate.model.effect import (
    Connect,
    Delete,
    Effect,
    Effects,
    Interpret,
    Link,
    Move,
    Operation,
    Permission,
    Read,
    Run,
    Write,
    kind_of,
    list_places,
)
from toolgate.model.event import Scene
from toolgate.model.glob import literal_folder, name_matches, overlaps_pattern
from toolgate.model.glob import matches_path as glob_matches
from toolgate.model.pattern import CompiledPattern, compile_pattern
from toolgate.model.place import LOCAL, Place
from toolgate.model.rule import WrittenRule
from toolgate.model.word import Maybe, Word, join_words, maybe_all, maybe_any

FILE_EFFECTS = (Read, Write, Delete, Move, Link, Permission)
MAX_SEARCHED_CHARACTERS = 128 * 1024  # characters that a text pattern searches; beyond that the result is unknown


def list_triggers(rule: WrittenRule) -> tuple[str, ...]:
    """Returns the kinds of effect that a rule is about."""
    if rule.path:
        return _FILE_TRIGGERS
    if rule.connect:
        return (Connect.__name__,)
    if rule.operation:
        return (Operation.__name__,)
    return (Run.__name__,) if rule.program else (Run.__name__, Interpret.__name__)


_FILE_TRIGGERS = tuple(each.__name__ for each in FILE_EFFECTS)


def matches_rule(rule: WrittenRule, effect: Effect, effects: Effects, scene: Scene, *, folds_case: bool = False) -> Maybe:
    """Returns whether every condition of the rule holds for this effect."""
    if kind_of(effect) not in list_triggers(rule):
        return False
    return maybe_all(_iter_conditions(rule, effect, effects, scene, folds_case=folds_case))


def _iter_conditions(rule: WrittenRule, effect: Effect, effects: Effects, scene: Scene, *, folds_case: bool) -> Iterator[Maybe]:
    if rule.operation:
        yield isinstance(effect, Operation) and name_matches(rule.operation, effect.name)
    if rule.connect:
        yield isinstance(effect, Connect) and _matches_host(rule.connect.lower(), effect.target)
    if rule.path:
        yield _touches_pattern(absolute_pattern(rule.path, scene), effect, folds_case=folds_case)
    if rule.zone:
        yield maybe_any(place.is_in(rule.zone) for place in _iter_changed_places(effect, effects))  # type: ignore[arg-type]
    if rule.program:
        yield maybe_any(_matches_program(rule.program, run.argv[0]) for run in _iter_runs(effect, effects) if run.argv)
    if rule.text:
        yield maybe_any(_matches_text(rule.text, text) for text in _iter_searched_texts(rule, effect, effects))


def _iter_changed_places(effect: Effect, effects: Effects) -> Iterator[Place]:
    """Yields the places that the command of an effect changes, without those that it reads."""
    for other in effects.all:
        if other.origin.command == effect.origin.command and not isinstance(other, Read):
            yield from list_places(other)


def absolute_pattern(pattern: str, scene: Scene) -> str:
    """Returns an absolute path pattern: `~` is the user's home, a relative one is inside the project."""
    if pattern == "~" or pattern.startswith("~/"):
        return scene.home + pattern[1:]
    return pattern if pattern.startswith("/") else f"{scene.project.rstrip('/')}/{pattern.removeprefix('./')}"


def _touches_pattern(pattern: str, effect: Effect, *, folds_case: bool) -> Maybe:
    """Returns whether one of the effect's places matches, or the effect removes a folder that contains the matches."""
    with_content: Maybe = effect.recursive if isinstance(effect, Delete | Permission) else isinstance(effect, Move)
    return maybe_any(_place_matches(pattern, place, with_content, folds_case=folds_case) for place in list_places(effect))


def _place_matches(pattern: str, place: Place, whole: Maybe, *, folds_case: bool) -> Maybe:
    if place.machine != LOCAL:
        return False
    if folds_case:
        pattern = pattern.lower()
    if place.path is None:
        if place.anchor is None:
            return None
        return overlaps_pattern(pattern, *(each.lower() if folds_case else each for each in (place.anchor, place.rest)))
    paths = {path.lower() if folds_case else path for path in (place.path, path_before_links(place)) if path}
    answers = [glob_matches(pattern, path) for path in paths]
    if whole is not False and any((literal_folder(pattern) + "/").startswith(path.rstrip("/") + "/") for path in paths):
        answers.append(whole)
    return maybe_any(answers)


def path_before_links(place: Place) -> str:
    """Returns the full path before links are followed, where it is known: a pattern may name the link."""
    text, base = place.word.text, place.base.text
    if not text or ".." in text:
        return ""
    return text if text.startswith("/") else f"{base}/{text.removeprefix('./')}" if base else ""


def _matches_program(pattern: str, head: Word) -> Maybe:
    """Returns whether the program matches: a bare name in any folder, one with a slash only as that path."""
    text = head.text
    if text is not None:
        return name_matches(pattern, text if "/" in pattern else text.rpartition("/")[2])
    tail = head.tail.rpartition("/")[2] if "/" in head.tail else ""
    return name_matches(pattern, tail) if tail and "/" not in pattern else None


def _matches_host(pattern: str, target: Word) -> Maybe:
    named = read_host(target)
    return None if named is None else name_matches(pattern, named)


def read_host(target: Word) -> str | None:
    """Returns the host of a URL, `user@host:path`, `host:port` or `host`; None where it is not literal."""
    if target.text is not None:
        return host_of(target.text)
    rest = target.head.rpartition("://")[2]
    return host_of(rest) if any(end in rest for end in "/?#") else None


def _iter_runs(effect: Effect, effects: Effects) -> Iterator[Run]:
    """Yields the command that an effect comes from; none for a tool that writes files by itself."""
    if isinstance(effect, Run):
        yield effect
        return
    for other in effects.all:
        if isinstance(other, Run) and other.origin.command == effect.origin.command:
            yield other


def _iter_searched_texts(rule: WrittenRule, effect: Effect, effects: Effects) -> Iterator[Word]:
    """Yields the texts that a text pattern searches: what is written where the rule names a path, else the command's words, and
    the pipeline that ends in it."""
    if rule.path:
        if isinstance(effect, Write) and effect.content is not None:
            yield effect.content
        return
    yield from iter_command_texts(effect, effects)


def iter_command_texts(effect: Effect, effects: Effects) -> Iterator[Word]:
    """Yields the words of the command that an effect comes from, and of the pipeline that ends in it; code that is run."""
    if isinstance(effect, Interpret):
        yield effect.code
        return
    if isinstance(effect, Operation) and effect.target is not None:
        yield effect.target
    for run in _iter_runs(effect, effects):
        line = join_words(run.argv)
        yield line
        before = effects.commands_feeding(frozenset({run.origin.command})) - {run.origin.command}
        if before:
            feeding = [join_words(each.argv) for each in effects.all if isinstance(each, Run) and each.origin.command in before]
            yield join_words([*feeding, line], " | ")


def _matches_text(pattern: str, text: Word) -> Maybe:
    """Returns whether the pattern is found in the source text, in which unknown parts keep their names."""
    shown = text.display_text
    return compile_cached_pattern(pattern).search(shown) is not None if len(shown) <= MAX_SEARCHED_CHARACTERS else None


@lru_cache(2048)
def compile_cached_pattern(pattern: str) -> CompiledPattern:
    """Raises ImportError where there is no re2, ValueError for an invalid pattern."""
    return compile_pattern(pattern, 1 << 20)


def build_reason(rule: WrittenRule) -> str:
    """Returns the reason to show: text of a project's policy is quoted and attributed to it."""
    if rule.author != "project":
        return rule.reason
    instead = f' It suggests: "{_escape_quotes(rule.instead)}".' if rule.instead else ""
    return f'The project\'s policy says: "{_escape_quotes(rule.reason)}".{instead}'


def build_suggestion(rule: WrittenRule) -> str:
    """Returns the suggestion in the gate's own words; a project's file has none."""
    return "" if rule.author == "project" else rule.instead


def _escape_quotes(text: str) -> str:
    return text.replace('"', "'").rstrip(".")
