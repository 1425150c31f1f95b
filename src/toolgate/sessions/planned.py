"""A call where a plan is in force: the plan as a value, what the environment says of it, and what a comment lifts.

The plan's own commands are understood by the reader that understands the call, so that the two can be compared.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from toolgate import rules
from toolgate.judge import decide
from toolgate.model.action import Action, OtherTool, RunShell
from toolgate.model.decision import Decision, Finding, Verdict
from toolgate.model.effect import HERE_AND_NOW, Effect, Effects, Environment, Interpret, Opaque, Operation, Run, Span
from toolgate.model.event import Scene
from toolgate.model.plan import Plan
from toolgate.model.rule import Policy, Ruling
from toolgate.model.word import known
from toolgate.model.world import ABSENT, World
from toolgate.overlay import Overlay
from toolgate.paths import resolve
from toolgate.rules.plan import context
from toolgate.rules.plan.context import Condition, Document
from toolgate.rules.plan.unplanned import INSPECTION, Options
from toolgate.rules.written import located
from toolgate.shell.comments import comments
from toolgate.shell.parser import parse
from toolgate.shell.syntax import Pipeline
from toolgate.understand import understand

from .remembering import Memory

RULE = "plan.unplanned"
PROFILE = "nous-plan"
Wrappers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Work:
    """What a call is compared with; `plan` None: nothing, because it is the plan's own, word for word, or there is none.
    `policy`: the one in force, as the environment would have it. `own`: the files that only the user changes. `directory`: the
    iteration's folder, empty where there is none. `ad_hoc`: the call says that it is no part of the plan."""

    plan: Plan | None
    conditions: tuple[Condition, ...]
    policy: Policy
    options: Options
    own: tuple[str, ...]
    directory: str
    ad_hoc: bool


def work(action: Action, scene: Scene, policy: Policy, world: World) -> Work | None:
    """None: no plan is in force here, and its mode neither."""
    options = _options(policy)
    folder = context.directory(scene)
    files = tuple(_files(folder, options, scene, world))
    missed = not files and _is_missed(options, policy)
    if not files and not missed and policy.profile != PROFILE:
        return None
    documents = [context.document(world.read(file, context.LARGEST)) for file in files]
    conditions = tuple(condition for each in documents for condition in each.conditions)
    own = (*files, *_validator(policy), *([f"{folder}/{context.VIOLATIONS}"] if folder else []))
    folders = _wherever((folder,), world) if folder not in ("", "/") else ()
    compared = (files or missed) and not _is_a_condition(action, conditions, scene)
    return Work(
        _compared(action, files, documents, options, scene, world, policy.wrappers) if compared else None,
        conditions,
        _enforced(policy, options, scene, folders),
        options,
        _wherever(own, world),
        folder,
        options.ad_hoc != 0 and _is_marked(action),
    )


def _is_marked(action: Action) -> bool:
    return isinstance(action, RunShell) and action.language == "shell" and context.AD_HOC in comments(action.text)


def _is_a_condition(action: Action, conditions: tuple[Condition, ...], scene: Scene) -> bool:
    """Is it a planned command word for word, in the folder that the plan is for?"""
    if not isinstance(action, RunShell) or scene.cwd != scene.project:
        return False
    return any(action.text.strip() == each.command for each in conditions)


def _compared(
    action: Action,
    files: tuple[str, ...],
    documents: list[Document],
    options: Options,
    scene: Scene,
    world: World,
    wrappers: Wrappers,
) -> Plan:
    free = (*options.always, *(INSPECTION if options.inspection else ()))
    plan = _plan(files, documents, scene, world, wrappers)._replace(always=frozenset(tuple(each.split()) for each in free))
    return plan._replace(pipelines=tuple(_pipelines(action.text))) if isinstance(action, RunShell) else plan


def _options(policy: Policy) -> Options:
    given = policy.rulings[RULE].options
    found = rules.options(RULE, given)
    assert isinstance(found, Options)
    return found


def _files(folder: str, options: Options, scene: Scene, world: World) -> Iterator[str]:
    """Where the plan stands: the experiment's, which must be there, and the project's own, where there is one."""
    if folder:
        yield f"{folder}/{context.PLAN}"
    if options.file:
        file = located(options.file, scene)
        if world.kind(file) is not ABSENT:
            yield file


def _validator(policy: Policy) -> tuple[str, ...]:
    """Who could change what says whether the work is done could say so."""
    ending = policy.rulings.get("plan.unfinished")
    argv = ending.options.get("validator", ()) if ending is not None else ()
    return tuple(part for part in argv if part.startswith("/")) if isinstance(argv, list | tuple) else ()


def _is_missed(options: Options, policy: Policy) -> bool:
    """A plan is expected under the design's profile, and where the policy names a file."""
    return (policy.profile == PROFILE or bool(options.file)) and policy.on_missing_context == "closed"


def _plan(files: tuple[str, ...], documents: list[Document], scene: Scene, world: World, wrappers: Wrappers) -> Plan:
    if not files:
        return Plan("nothing", problem=f"there is none: {context.DIRECTORY} is not set")
    for file, document in zip(files, documents, strict=True):
        if document.problem:
            return Plan(file, problem=document.problem)
    at = scene._replace(cwd=scene.project)
    commands = tuple(dict.fromkeys(_commands(documents)))
    programs, variables = _MEMORY.of(
        (commands, _without_call(at), wrappers), world, lambda noting: _read(commands, at, noting, wrappers)
    )
    named = (context.names(known(program), None, scene, world) for each in documents for program in each.programs)
    return Plan(
        " and ".join(files),
        programs.union(*named),
        variables,
        _together([None if each.paths is None else tuple(located(glob, scene) for glob in each.paths) for each in documents]),
        _together([each.hosts for each in documents]),
    )


_MEMORY = Memory()


def _without_call(scene: Scene) -> Hashable:
    """What of a scene a command may depend on: not who makes this very call."""
    return scene.project, scene.home, scene.user, tuple(sorted(scene.environ.items()))


def _read(
    commands: tuple[str, ...], scene: Scene, world: World, wrappers: Wrappers
) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
    """The programs that these commands run, and the variables that they set."""
    effects = [understand(RunShell(text), scene, world, wrappers=wrappers) for text in commands]
    return (
        frozenset[str]().union(*(context.programs(each, scene, world) for each in effects)),
        frozenset((each.name, each.value.shown) for some in effects for each in some.all if isinstance(each, Environment)),
    )


def _commands(documents: list[Document]) -> Iterator[str]:
    return (condition.command for each in documents for condition in each.conditions)


def _together(said: list[tuple[str, ...] | None]) -> tuple[str, ...] | None:
    spoken = [each for each in said if each is not None]
    return tuple(one for each in spoken for one in each) if spoken else None


def _wherever(paths: tuple[str, ...], world: World) -> tuple[str, ...]:
    """The paths, and where links lead them."""
    overlay = Overlay(world)
    return tuple(dict.fromkeys(each for path in paths for each in (path, *resolve(path, overlay))))


def _enforced(policy: Policy, options: Options, scene: Scene, folders: tuple[str, ...]) -> Policy:
    """Where the work is done is a place to work in. In warn mode everything but floors is a warning under the design's own
    profile; under another one that is so for an experiment's plan alone."""
    safe = tuple(folder for folder in folders if not set(folder) & set("*?[") and not f"{scene.home}/".startswith(f"{folder}/"))
    policy = replace(policy, places=policy.places._replace(safe=(*policy.places.safe, *safe)))
    strictly = options.enforcement if options.enforcement != "environment" else context.mode(scene.environ)
    if strictly == "strict":
        return policy
    if policy.profile == PROFILE:
        return replace(policy, cap=min(policy.cap, Verdict.WARN))
    if not folders:
        return policy
    ruling = policy.rulings[RULE]
    warning = Ruling(min(ruling.verdict, Verdict.WARN), min(ruling.unsure, Verdict.WARN), ruling.options, ruling.rate)
    return replace(policy, rulings={**policy.rulings, RULE: warning})


def _pipelines(text: str) -> Iterator[Span]:
    """Where commands are joined by `|`, however deep."""
    left: list[object] = [parse(text).body]
    while left:
        node = left.pop()
        if isinstance(node, tuple):
            left += node
            continue
        if isinstance(node, Pipeline):
            yield node.span
        left += [getattr(node, name) for name in getattr(node, "__match_args__", ())]


def notices(scene: Scene, policy: Policy, world: World) -> Iterator[str]:
    """What the user should know of the plan when a session starts."""
    if context.directory(scene) and (problem := context.misspelt(scene.environ)):
        yield problem
    found = work(OtherTool(""), scene, policy, world)
    if found is not None and found.plan is not None and found.plan.problem:
        yield f"{found.plan.file} cannot be used as a plan, {found.plan.problem}: nothing is planned"


# ---- what comes of the call


def seen(effects: Effects, action: Action) -> Effects:
    """That a text runs nothing is an effect here: the plan names something else."""
    if not isinstance(action, RunShell) or any(map(_runs_something, effects.all)):
        return effects
    return replace(effects, all=(*effects.all, Operation("shell.nothing", HERE_AND_NOW)))


def _runs_something(effect: Effect) -> bool:
    """A file whose text was read speaks by its effects; there may be none."""
    if isinstance(effect, Interpret):
        return not effect.followed or bool(effect.code.src)
    return isinstance(effect, Run | Opaque)


def lifted(decision: Decision, work: Work) -> Decision:
    """Without the plan's findings where the call says that it is no part of the plan; whatever else is found stays. Where that is
    the user's to say, the call asks instead."""
    if not work.ad_hoc:
        return decision
    if work.options.ad_hoc_by == "user":
        return decide(tuple(_asking(each) if each.rule == RULE else each for each in decision.findings), work.policy)
    return decide(decision.findings, work.policy, tuple(each for each in decision.findings if each.rule == RULE))


def _asking(finding: Finding) -> Finding:
    """What is only warned of stays that: nobody is kept from it."""
    if finding.verdict < Verdict.ASK:
        return finding
    reason = f"{finding.match.reason} The call says that it is no part of the plan, which is the user's to agree to."
    return finding._replace(verdict=Verdict.ASK, match=finding.match._replace(reason=reason, instead=""))
