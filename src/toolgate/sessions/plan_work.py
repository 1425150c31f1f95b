"""Prepares the comparison of a call with a plan: the plan as a value, the enforcement mode of the environment, and what a comment
lifts.

The plan's own commands are parsed by the reader that parses the call, so that the two can be compared.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from toolgate import rules
from toolgate.designs import AD_HOC_COMMENT, PLAN_FOLDER_VARIABLE, PLAN_PROFILE
from toolgate.judge import decide
from toolgate.model.action import Action, OtherTool, RunShell
from toolgate.model.decision import Decision, Finding, Verdict
from toolgate.model.effect import DEFAULT_ORIGIN, Effect, Effects, Environment, Interpret, Opaque, Operation, Run, Span
from toolgate.model.event import Scene
from toolgate.model.plan import Plan
from toolgate.model.rule import Policy, Ruling
from toolgate.model.word import known_word
from toolgate.model.world import ABSENT, World
from toolgate.overlay import Overlay
from toolgate.paths import resolve_path
from toolgate.rules.plan import context
from toolgate.rules.plan.context import Condition, PlanDocument
from toolgate.rules.plan.unplanned import INSPECTION, Options
from toolgate.rules.written_rules import absolute_pattern
from toolgate.shell.syntax.comments import find_comments
from toolgate.shell.syntax.parser import parse
from toolgate.shell.syntax.tree import Pipeline
from toolgate.understand import understand
from toolgate.world_memory import WorldMemory

RULE = "plan.unplanned"
Wrappers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class PlanWork:
    """What a call is compared with. `plan`: None where the call is a planned command word for word, or there is no plan.
    `policy`: the one in force, with the enforcement mode applied. `own`: the files that only the user changes. `directory`: the
    iteration's folder, empty where there is none. `ad_hoc`: the call is marked as no part of the plan."""

    plan: Plan | None
    conditions: tuple[Condition, ...]
    policy: Policy
    options: Options
    own: tuple[str, ...]
    directory: str
    ad_hoc: bool


def prepare_work(action: Action, scene: Scene, policy: Policy, world: World) -> PlanWork | None:
    """Returns None where neither a plan nor its profile is in force."""
    options = _read_options(policy)
    folder = context.iteration_folder(scene)
    files = tuple(_iter_plan_files(folder, options, scene, world))
    missed = not files and _is_plan_expected(options, policy)
    if not files and not missed and policy.profile != PLAN_PROFILE:
        return None
    documents = [context.parse_plan(world.read(file, context.MAX_PLAN_BYTES)) for file in files]
    conditions = tuple(condition for each in documents for condition in each.conditions)
    own = (*files, *_list_validator_files(policy), *([f"{folder}/{context.VIOLATIONS_FILE}"] if folder else []))
    folders = _with_link_targets((folder,), world) if folder not in ("", "/") else ()
    compared = (files or missed) and not _is_planned_command(action, conditions, scene)
    return PlanWork(
        _build_compared_plan(action, files, documents, options, scene, world, policy.wrappers) if compared else None,
        conditions,
        _apply_enforcement(policy, options, scene, folders),
        options,
        _with_link_targets(own, world),
        folder,
        options.ad_hoc != 0 and _is_marked_ad_hoc(action),
    )


def _is_marked_ad_hoc(action: Action) -> bool:
    return isinstance(action, RunShell) and action.language == "shell" and AD_HOC_COMMENT in find_comments(action.text)


def _is_planned_command(action: Action, conditions: tuple[Condition, ...], scene: Scene) -> bool:
    """Returns whether the call is a planned command word for word, in the folder that the plan is for."""
    if not isinstance(action, RunShell) or scene.cwd != scene.project:
        return False
    return any(action.text.strip() == each.command for each in conditions)


def _build_compared_plan(
    action: Action,
    files: tuple[str, ...],
    documents: list[PlanDocument],
    options: Options,
    scene: Scene,
    world: World,
    wrappers: Wrappers,
) -> Plan:
    free = (*options.always, *(INSPECTION if options.inspection else ()))
    plan = _build_plan(files, documents, scene, world, wrappers)._replace(always=frozenset(tuple(each.split()) for each in free))
    return plan._replace(pipelines=tuple(_iter_pipelines(action.text))) if isinstance(action, RunShell) else plan


def _read_options(policy: Policy) -> Options:
    options = policy.rulings[RULE].options
    found = rules.build_options(RULE, options)
    assert isinstance(found, Options)
    return found


def _iter_plan_files(folder: str, options: Options, scene: Scene, world: World) -> Iterator[str]:
    """Yields the plan's files: the experiment's, which must exist, and the project's own, where there is one."""
    if folder:
        yield f"{folder}/{context.PLAN_FILE}"
    if options.file:
        file = absolute_pattern(options.file, scene)
        if world.kind(file) is not ABSENT:
            yield file


def _list_validator_files(policy: Policy) -> tuple[str, ...]:
    """Returns the validator's files, which are protected: changing them would forge its result."""
    ending = policy.rulings.get("plan.unfinished")
    argv = ending.options.get("validator", ()) if ending is not None else ()
    return tuple(part for part in argv if part.startswith("/")) if isinstance(argv, list | tuple) else ()


def _is_plan_expected(options: Options, policy: Policy) -> bool:
    """Returns whether a plan is expected: under the design's profile, and where the policy names a file."""
    return (policy.profile == PLAN_PROFILE or bool(options.file)) and policy.on_missing_context == "closed"


def _build_plan(files: tuple[str, ...], documents: list[PlanDocument], scene: Scene, world: World, wrappers: Wrappers) -> Plan:
    if not files:
        return Plan("nothing", problem=f"there is none: {PLAN_FOLDER_VARIABLE} is not set")
    for file, document in zip(files, documents, strict=True):
        if document.problem:
            return Plan(file, problem=document.problem)
    at = scene._replace(cwd=scene.project)
    commands = tuple(dict.fromkeys(_iter_commands(documents)))
    programs, variables = _PLAN_MEMORY.compute_or_reuse(
        (commands, _scene_key(at), wrappers), world, lambda noting: _read_commands(commands, at, noting, wrappers)
    )
    named = (context.resolve_program(known_word(program), None, scene, world) for each in documents for program in each.programs)
    return Plan(
        " and ".join(files),
        programs.union(*named),
        variables,
        _join_lists(
            [None if each.paths is None else tuple(absolute_pattern(glob, scene) for glob in each.paths) for each in documents]
        ),
        _join_lists([each.hosts for each in documents]),
    )


_PLAN_MEMORY = WorldMemory()


def _scene_key(scene: Scene) -> Hashable:
    """Returns the parts of a scene that a command may depend on, without the caller."""
    return scene.project, scene.home, scene.user, tuple(sorted(scene.environ.items()))


def _read_commands(
    commands: tuple[str, ...], scene: Scene, world: World, wrappers: Wrappers
) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
    """Returns the programs that these commands run, and the variables that they set."""
    effects = [understand(RunShell(text), scene, world, wrappers=wrappers) for text in commands]
    return (
        frozenset[str]().union(*(context.collect_programs(each, scene, world) for each in effects)),
        frozenset((each.name, each.value.display_text) for some in effects for each in some.all if isinstance(each, Environment)),
    )


def _iter_commands(documents: list[PlanDocument]) -> Iterator[str]:
    return (condition.command for each in documents for condition in each.conditions)


def _join_lists(lists: list[tuple[str, ...] | None]) -> tuple[str, ...] | None:
    spoken = [each for each in lists if each is not None]
    return tuple(one for each in spoken for one in each) if spoken else None


def _with_link_targets(paths: tuple[str, ...], world: World) -> tuple[str, ...]:
    """Returns the paths, and the targets of their links."""
    overlay = Overlay(world)
    return tuple(dict.fromkeys(each for path in paths for each in (path, *resolve_path(path, overlay))))


def _apply_enforcement(policy: Policy, options: Options, scene: Scene, folders: tuple[str, ...]) -> Policy:
    """Returns the policy with the work folders as safe places. In warn mode everything except floors is a warning under the
    design's own profile; under another one only for an experiment's plan."""
    safe = tuple(folder for folder in folders if not set(folder) & set("*?[") and not f"{scene.home}/".startswith(f"{folder}/"))
    policy = replace(policy, places=policy.places._replace(safe=(*policy.places.safe, *safe)))
    strictly = options.enforcement if options.enforcement != "environment" else context.enforcement_mode(scene.environ)
    if strictly == "strict":
        return policy
    if policy.profile == PLAN_PROFILE:
        return replace(policy, cap=min(policy.cap, Verdict.WARN))
    if not folders:
        return policy
    ruling = policy.rulings[RULE]
    warning = Ruling(min(ruling.verdict, Verdict.WARN), min(ruling.unsure, Verdict.WARN), ruling.options, ruling.rate)
    return replace(policy, rulings={**policy.rulings, RULE: warning})


def _iter_pipelines(text: str) -> Iterator[Span]:
    """Yields the spans of commands joined by `|`, at any depth."""
    left: list[object] = [parse(text).body]
    while left:
        node = left.pop()
        if isinstance(node, tuple):
            left += node
            continue
        if isinstance(node, Pipeline):
            yield node.span
        left += [getattr(node, name) for name in getattr(node, "__match_args__", ())]


def iter_notices(scene: Scene, policy: Policy, world: World) -> Iterator[str]:
    """Yields what the user should know about the plan when a session starts."""
    if context.iteration_folder(scene) and (problem := context.describe_invalid_mode(scene.environ)):
        yield problem
    found = prepare_work(OtherTool(""), scene, policy, world)
    if found is not None and found.plan is not None and found.plan.problem:
        yield f"{found.plan.file} cannot be used as a plan, {found.plan.problem}: nothing is planned"


# ---- applying the plan to a call


def add_nothing_effect(effects: Effects, action: Action) -> Effects:
    """Adds an effect where a text runs nothing, which a plan may not name."""
    if not isinstance(action, RunShell) or any(map(_is_execution, effects.all)):
        return effects
    return replace(effects, all=(*effects.all, Operation("shell.nothing", DEFAULT_ORIGIN)))


def _is_execution(effect: Effect) -> bool:
    """Returns whether the effect runs something; a file whose text was read is represented by its effects."""
    if isinstance(effect, Interpret):
        return not effect.followed or bool(effect.code.src)
    return isinstance(effect, Run | Opaque)


def lift_findings(decision: Decision, work: PlanWork) -> Decision:
    """Removes the plan's findings where the call is marked as no part of the plan; other findings stay. Where the user decides
    that, the call asks instead."""
    if not work.ad_hoc:
        return decision
    if work.options.ad_hoc_by == "user":
        return decide(tuple(_as_question(each) if each.rule == RULE else each for each in decision.findings), work.policy)
    return decide(decision.findings, work.policy, tuple(each for each in decision.findings if each.rule == RULE))


def _as_question(finding: Finding) -> Finding:
    """Turns a denial into a question; a warning stays a warning."""
    if finding.verdict < Verdict.ASK:
        return finding
    reason = f"{finding.match.reason} The call says that it is no part of the plan, which is the user's to agree to."
    return finding._replace(verdict=Verdict.ASK, match=finding.match._replace(reason=reason, instead=""))
