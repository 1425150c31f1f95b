"""Compiles the files of all layers to one policy. Heavy (TOML, msgspec): runs when a file changed, and for `toolgate policy`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from toolgate import rules
from toolgate.model.errors import PolicyError
from toolgate.model.rule import Row, WrittenRule

from . import profiles
from .cache import Cache, digest
from .find import DEPLOYED, GUARDRAILS, SQUAD, Found
from .formats import deployed, guardrails, squad
from .lines import line_of, parts
from .merge import Layers, Merged, Source, merge
from .operations import declared
from .reading import Vocabulary, read
from .statements import Statements

FORMATS: dict[str, Callable[[bytes, str], Statements]] = {GUARDRAILS: guardrails.read, SQUAD: squad.read}
"""Readers of other designs' files."""

TryExample = Callable[[WrittenRule, str], bool]


@dataclass(frozen=True, slots=True)
class Compiled:
    """`problems`: errors that make a file unusable. `ignored`: settings below a floor, which have no effect. The policy is valid
    either way."""

    merged: Merged
    problems: tuple[PolicyError, ...] = ()
    ignored: tuple[PolicyError, ...] = ()


def compile_policy(
    table: Mapping[str, Row],
    found: tuple[Found, ...],
    cache: Cache,
    here: Callable[[str], bool],
    *,
    joined: str = "",
    instead_of_profile: str = "",
    embedded: str = "",
    try_example: TryExample | None = None,
) -> Compiled:
    """`embedded`: the profile chosen by a program of the user's that embeds the gate: it replaces the one of their file."""
    words = Vocabulary(table, declared(), profiles.names(), _options_of)
    layers: dict[str, Statements] = {}
    problems: list[PolicyError] = []
    notices: list[str] = []
    degraded = False
    imported: list[Statements] = []
    chosen, chosen_in = embedded, "the program that embeds the gate"
    for each in found:
        try:
            if each.name == DEPLOYED:
                chosen, chosen_in = deployed.profile(each, here, words.profiles), each.file
                continue
            if each.name in FORMATS:
                imported.append(_imported(each))
                continue
            layers[each.author] = _checked(each, words, try_example)
            if each.author != "project":
                cache.keep_last_good(each.file, each.data)
            continue
        except PolicyError as problem:
            problems.append(problem)
        if each.author == "project":
            notices.append(_of_a_stranger(problems[-1]))
            continue
        if each.name in (*FORMATS, DEPLOYED):
            degraded = True
            notices.append(str(problems[-1]))
            continue
        layers[each.author] = _last_good(each, words, cache) or Statements(each.author, each.file)
        recovered = layers[each.author] != Statements(each.author, each.file)
        degraded = degraded or not recovered
        holds = "its last good version holds" if recovered else "until it is mended, whatever does more than read asks"
        notices.append(f"{problems[-1]} ({holds})")
    if chosen:
        layers["user"] = replace(layers.get("user") or Statements("user", chosen_in), profile=chosen)
    environment = None
    if joined:
        try:
            environment = profiles.load(table, joined)
        except KeyError:
            degraded = True
            names = ", ".join(words.profiles)
            problems.append(PolicyError("environment", "TOOLGATE_PROFILE", "there is no such profile", f"there are {names}"))
            notices.append(str(problems[-1]))
    merged = merge(
        table,
        Layers(layers.get("organisation"), layers.get("user"), layers.get("project"), environment, here, tuple(imported)),
        lambda name: profiles.load(table, name),
        instead_of_profile,
    )
    policy = replace(merged.policy, notices=(*notices, *merged.policy.notices), degraded=degraded)
    ignored = tuple(_below_a_floor(source, found) for source in merged.below_floors)
    return Compiled(replace(merged, policy=replace(policy, digest=digest(policy))), tuple(problems), ignored)


def _below_a_floor(source: Source, found: tuple[Found, ...]) -> PolicyError:
    data = next((each.data for each in found if each.file == source.file), b"")
    rule = parts(source.key)[-1]
    if source.layer == "user" and not source.key.startswith("floors"):
        remedy = f'remove it; lowering a floor takes [floors."{rule}"] with a reason, in the highest layer there is'
    else:
        remedy = "remove it: this file lowers no floor"
    line = line_of(data.decode("utf-8", "replace"), parts(source.key))
    return PolicyError(source.file, source.key, "this is below the rule's floor and has no effect", remedy, line)


def _imported(found: Found) -> Statements:
    if found.problem is not None:
        raise found.problem
    return FORMATS[found.name](found.data, found.file)


def _checked(found: Found, words: Vocabulary, try_example: TryExample | None) -> Statements:
    if found.problem is not None:
        raise found.problem
    said = read(found.data, found.author, found.file, words)
    for example in said.examples if try_example is not None else ():
        assert try_example is not None
        if try_example(example.rule, example.text) != example.stops:
            problem = f"the rule {example.rule.id} {'does not stop' if example.stops else 'stops'} this example"
            raise PolicyError(found.file, example.key, problem, "mend the rule's conditions, or the example", example.line)
    return said


def _options_of(rule: str) -> type | None:
    found: type | None = getattr(rules.module(rule), "Options", None) if rule in rules.TABLE else None
    return found


def _last_good(found: Found, words: Vocabulary, cache: Cache) -> Statements | None:
    data = cache.last_good(found.file)
    if data is None:
        return None
    try:
        return read(data, found.author, found.file, words)
    except PolicyError:
        return None


def _of_a_stranger(problem: PolicyError) -> str:
    """Describes a problem of a project's file, which may be hostile, without repeating its text."""
    where = f"{problem.file}:{problem.line}" if problem.line else problem.file
    return f"{where}: cannot be used and counts as absent; `toolgate policy check` says why"
