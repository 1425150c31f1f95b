"""Compiles the files of all layers to one policy. Heavy (TOML, msgspec): runs when a file changed, and for `toolgate policy`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from toolgate import rules
from toolgate.designs import POLICY_FILES, PROFILES, load_module
from toolgate.model.errors import PolicyError
from toolgate.model.rule import RuleRow, WrittenRule

from . import profiles
from .cache import Cache, digest_policy
from .discovery import DEPLOYED_FILE, FoundFile
from .formats import deployed
from .line_numbers import find_line, split_key
from .merge import Layers, MergedPolicy, Source, merge
from .operations import list_declared
from .parsing import Vocabulary, parse_statements
from .statements import Statements

TryExample = Callable[[WrittenRule, str], bool]


@dataclass(frozen=True, slots=True)
class CompiledPolicy:
    """`problems`: errors that make a file unusable. `ignored`: settings below a floor, which have no effect. The policy is valid
    either way."""

    merged: MergedPolicy
    problems: tuple[PolicyError, ...] = ()
    ignored: tuple[PolicyError, ...] = ()


def compile_policy(
    table: Mapping[str, RuleRow],
    files: tuple[FoundFile, ...],
    cache: Cache,
    here: Callable[[str], bool],
    *,
    joined: str = "",
    instead_of_profile: str = "",
    embedding_profile: str = "",
    try_example: TryExample | None = None,
) -> CompiledPolicy:
    """`embedding_profile`: the profile chosen by a user's program that embeds the gate. It replaces the one in their file."""
    words = Vocabulary(table, list_declared(), profiles.list_names(), _find_options_class)
    layers: dict[str, Statements] = {}
    problems: list[PolicyError] = []
    notices: list[str] = []
    degraded = False
    imported: list[Statements] = []
    chosen, chosen_in = embedding_profile, "the program that embeds the gate"
    for each in files:
        try:
            if each.base_name == DEPLOYED_FILE:
                chosen, chosen_in = deployed.find_profile(each, here, words.profiles, joined), each.file
                continue
            if each.base_name in POLICY_FILES:
                imported.append(_read_imported(each))
                continue
            layers[each.author] = _read_checked(each, words, try_example)
            if each.author != "project":
                cache.save_last_valid(each.file, each.data)
            continue
        except PolicyError as problem:
            problems.append(problem)
        if each.author == "project":
            notices.append(_describe_project_problem(problems[-1]))
            continue
        if each.base_name in (*POLICY_FILES, DEPLOYED_FILE):
            degraded = True
            notices.append(str(problems[-1]))
            continue
        layers[each.author] = _read_last_valid(each, words, cache) or Statements(each.author, each.file)
        recovered = layers[each.author] != Statements(each.author, each.file)
        degraded = degraded or not recovered
        holds = "its last good version applies" if recovered else "until it is fixed, every call that does more than read asks"
        notices.append(f"{problems[-1]} ({holds})")
    if chosen:
        layers["user"] = replace(layers.get("user") or Statements("user", chosen_in), profile=chosen)
    environment = None
    if joined:
        try:
            environment = profiles.load_profile(table, joined)
        except KeyError:
            degraded = True
            names = ", ".join(words.profiles)
            problems.append(PolicyError("environment", "TOOLGATE_PROFILE", "there is no such profile", f"there are {names}"))
            notices.append(str(problems[-1]))
    merged = merge(
        table,
        Layers(layers.get("organisation"), layers.get("user"), layers.get("project"), environment, here, tuple(imported)),
        lambda name: profiles.load_profile(table, name),
        instead_of_profile,
    )
    policy = replace(merged.policy, notices=(*notices, *merged.policy.notices), degraded=degraded)
    ignored = tuple(_floor_error(source, files) for source in merged.below_floors)
    return CompiledPolicy(replace(merged, policy=replace(policy, digest=digest_policy(policy))), tuple(problems), ignored)


def _floor_error(source: Source, files: tuple[FoundFile, ...]) -> PolicyError:
    data = next((each.data for each in files if each.file == source.file), b"")
    rule = split_key(source.key)[-1]
    if source.layer == "user" and not source.key.startswith("floors"):
        remedy = f'remove it; lowering a floor takes [floors."{rule}"] with a reason, in the highest layer that exists'
    else:
        remedy = "remove it: this file lowers no floor"
    line = find_line(data.decode("utf-8", "replace"), split_key(source.key))
    return PolicyError(source.file, source.key, "this is below the rule's floor and has no effect", remedy, line)


def _read_imported(file: FoundFile) -> Statements:
    if file.problem is not None:
        raise file.problem
    reader = load_module(PROFILES[POLICY_FILES[file.base_name]], "policy_file")
    statements: Statements = reader.read_statements(file.data, file.file)
    return statements


def _read_checked(file: FoundFile, words: Vocabulary, try_example: TryExample | None) -> Statements:
    if file.problem is not None:
        raise file.problem
    statements = parse_statements(file.data, file.author, file.file, words)
    for example in statements.examples if try_example is not None else ():
        assert try_example is not None
        if try_example(example.rule, example.text) != example.stops:
            problem = f"the rule {example.rule.id} {'does not stop' if example.stops else 'stops'} this example"
            raise PolicyError(file.file, example.key, problem, "fix the rule's conditions, or the example", example.line)
    return statements


def _find_options_class(rule: str) -> type | None:
    found: type | None = getattr(rules.load_rule_module(rule), "Options", None) if rule in rules.TABLE else None
    return found


def _read_last_valid(file: FoundFile, words: Vocabulary, cache: Cache) -> Statements | None:
    data = cache.load_last_valid(file.file)
    if data is None:
        return None
    try:
        return parse_statements(data, file.author, file.file, words)
    except PolicyError:
        return None


def _describe_project_problem(problem: PolicyError) -> str:
    """Describes a problem of a project's file, which may be hostile, without repeating its text."""
    where = f"{problem.file}:{problem.line}" if problem.line else problem.file
    return f"{where}: cannot be used and counts as absent; `toolgate policy check` says why"
