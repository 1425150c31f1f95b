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
    places,
)
from toolgate.model.event import Scene
from toolgate.model.glob import matches as glob_matches
from toolgate.model.glob import name_matches, overlaps, solid
from toolgate.model.pattern import Compiled, opened
from toolgate.model.place import LOCAL, Place
from toolgate.model.rule import WrittenRule
from toolgate.model.word import Maybe, Word, every, joined, some

FILES = (Read, Write, Delete, Move, Link, Permission)
LONGEST = 128 * 1024  # characters that a text pattern searches; beyond that the result is unknown


def triggers(rule: WrittenRule) -> tuple[str, ...]:
    """Returns the kinds of effect that a rule is about."""
    if rule.path:
        return _ON_FILES
    if rule.connect:
        return (Connect.__name__,)
    if rule.operation:
        return (Operation.__name__,)
    return (Run.__name__,) if rule.program else (Run.__name__, Interpret.__name__)


_ON_FILES = tuple(each.__name__ for each in FILES)


def matches(rule: WrittenRule, effect: Effect, effects: Effects, scene: Scene, *, folds_case: bool = False) -> Maybe:
    """Returns whether every condition of the rule holds for this effect."""
    if kind_of(effect) not in triggers(rule):
        return False
    return every(_conditions(rule, effect, effects, scene, folds_case=folds_case))


def _conditions(rule: WrittenRule, effect: Effect, effects: Effects, scene: Scene, *, folds_case: bool) -> Iterator[Maybe]:
    if rule.operation:
        yield isinstance(effect, Operation) and name_matches(rule.operation, effect.name)
    if rule.connect:
        yield isinstance(effect, Connect) and _connects(rule.connect.lower(), effect.target)
    if rule.path:
        yield _touches(located(rule.path, scene), effect, folds_case=folds_case)
    if rule.zone:
        yield some(place.is_in(rule.zone) for place in _places(effect, effects))  # type: ignore[arg-type]
    if rule.program:
        yield some(_is_program(rule.program, run.argv[0]) for run in _runs(effect, effects) if run.argv)
    if rule.text:
        yield some(_says(rule.text, text) for text in _texts(rule, effect, effects))


def _places(effect: Effect, effects: Effects) -> Iterator[Place]:
    """Yields the places that the command of an effect changes, without those that it reads."""
    for other in effects.all:
        if other.origin.command == effect.origin.command and not isinstance(other, Read):
            yield from places(other)


def located(pattern: str, scene: Scene) -> str:
    """Returns an absolute path pattern: `~` is the user's home, a relative one is inside the project."""
    if pattern == "~" or pattern.startswith("~/"):
        return scene.home + pattern[1:]
    return pattern if pattern.startswith("/") else f"{scene.project.rstrip('/')}/{pattern.removeprefix('./')}"


def _touches(pattern: str, effect: Effect, *, folds_case: bool) -> Maybe:
    """Returns whether one of the effect's places matches, or the effect removes a folder that contains the matches."""
    whole: Maybe = effect.recursive if isinstance(effect, Delete | Permission) else isinstance(effect, Move)
    return some(_lies(pattern, place, whole, folds_case=folds_case) for place in places(effect))


def _lies(pattern: str, place: Place, whole: Maybe, *, folds_case: bool) -> Maybe:
    if place.machine != LOCAL:
        return False
    if folds_case:
        pattern = pattern.lower()
    if place.path is None:
        if place.anchor is None:
            return None
        return overlaps(pattern, *(each.lower() if folds_case else each for each in (place.anchor, place.rest)))
    paths = {path.lower() if folds_case else path for path in (place.path, as_written(place)) if path}
    answers = [glob_matches(pattern, path) for path in paths]
    if whole is not False and any((solid(pattern) + "/").startswith(path.rstrip("/") + "/") for path in paths):
        answers.append(whole)
    return some(answers)


def as_written(place: Place) -> str:
    """Returns the full path before links are followed, where it is known: a pattern may name the link."""
    text, base = place.word.text, place.base.text
    if not text or ".." in text:
        return ""
    return text if text.startswith("/") else f"{base}/{text.removeprefix('./')}" if base else ""


def _is_program(asked: str, head: Word) -> Maybe:
    """Returns whether the program matches: a bare name in any folder, one with a slash only as that path."""
    text = head.text
    if text is not None:
        return name_matches(asked, text if "/" in asked else text.rpartition("/")[2])
    tail = head.tail.rpartition("/")[2] if "/" in head.tail else ""
    return name_matches(asked, tail) if tail and "/" not in asked else None


def _connects(asked: str, target: Word) -> Maybe:
    named = host(target)
    return None if named is None else name_matches(asked, named)


def host(target: Word) -> str | None:
    """Returns the host of a URL, `user@host:path`, `host:port` or `host`; None where it is not literal."""
    if target.text is not None:
        return host_of(target.text)
    rest = target.head.rpartition("://")[2]
    return host_of(rest) if any(end in rest for end in "/?#") else None


def _runs(effect: Effect, effects: Effects) -> Iterator[Run]:
    """Yields the command that an effect comes from; none for a tool that writes files by itself."""
    if isinstance(effect, Run):
        yield effect
        return
    for other in effects.all:
        if isinstance(other, Run) and other.origin.command == effect.origin.command:
            yield other


def _texts(rule: WrittenRule, effect: Effect, effects: Effects) -> Iterator[Word]:
    """Yields the texts that a text pattern searches: what is written where the rule names a path, else the command's words, and
    the pipeline that ends in it."""
    if rule.path:
        if isinstance(effect, Write) and effect.content is not None:
            yield effect.content
        return
    yield from spoken(effect, effects)


def spoken(effect: Effect, effects: Effects) -> Iterator[Word]:
    """Yields the words of the command that an effect comes from, and of the pipeline that ends in it; code that is run."""
    if isinstance(effect, Interpret):
        yield effect.code
        return
    if isinstance(effect, Operation) and effect.target is not None:
        yield effect.target
    for run in _runs(effect, effects):
        line = joined(run.argv)
        yield line
        before = effects.feeding(frozenset({run.origin.command})) - {run.origin.command}
        if before:
            feeding = [joined(each.argv) for each in effects.all if isinstance(each, Run) and each.origin.command in before]
            yield joined([*feeding, line], " | ")


def _says(pattern: str, text: Word) -> Maybe:
    """Returns whether the pattern is found in the source text, in which unknown parts keep their names."""
    shown = text.shown
    return compiled(pattern).search(shown) is not None if len(shown) <= LONGEST else None


@lru_cache(2048)
def compiled(pattern: str) -> Compiled:
    """Raises ImportError where there is no re2, ValueError for an invalid pattern."""
    return opened(pattern, 1 << 20)


def message(rule: WrittenRule) -> str:
    """Returns the reason to show: text of a project's policy is quoted and attributed to it."""
    if rule.author != "project":
        return rule.reason
    instead = f' It suggests: "{_quoted(rule.instead)}".' if rule.instead else ""
    return f'The project\'s policy says: "{_quoted(rule.reason)}".{instead}'


def instead(rule: WrittenRule) -> str:
    """Returns the suggestion in the gate's own words; a project's file has none."""
    return "" if rule.author == "project" else rule.instead


def _quoted(text: str) -> str:
    return text.replace('"', "'").rstrip(".")
