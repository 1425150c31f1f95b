"""Running or changing something that the plan does not name.

Where a plan is in force (an experiment's, in the folder that the environment names, or a project's own, under `file`), every
command of a line must be a program that the plan names, whatever its arguments: a path the same file, a bare name the same name.
A program that only carries a command (`env`, `timeout`, `bash -c`) is judged by that command. Setting PATH or a loader's
variables in another way than the plan does, and replacing a planned program, are deviations too, and so is a line that runs
nothing planned. In a pipeline with a planned command, programs that only filter text pass. A plan may also list what may be
changed (`paths`) and which machines may be contacted (`hosts`).

Run a program of the plan, have the plan changed, or mark the call as no part of it, with the comment that the denial names.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from toolgate.designs import AD_HOC_COMMENT
from toolgate.model.decision import Match
from toolgate.model.effect import (
    Connect,
    Delete,
    Effect,
    Environment,
    Interpret,
    Link,
    Move,
    Opaque,
    Operation,
    Permission,
    Run,
    Write,
    list_places,
)
from toolgate.model.glob import matches_path, name_matches
from toolgate.model.place import LOCAL, Place
from toolgate.model.plan import Plan
from toolgate.model.rule import RuleContext
from toolgate.rules.written_rules import read_host

from .context import (
    describe_invalid_mode,
    is_guess,
    is_inside_work_folders,
    is_pure_carrier,
    iter_own_runs,
    normalize_relative_path,
    plain_name,
    resolve_program,
)

FILTERS = (
    *(
        "cat",
        "tac",
        "tee",
        "head",
        "tail",
        "grep",
        "egrep",
        "fgrep",
        "zgrep",
        "rg",
        "sort",
        "uniq",
        "cut",
        "tr",
        "wc",
        "nl",
        "rev",
    ),
    *("fold", "paste", "column", "jq", "ts"),
)
"""Programs that only pass text on."""

INSPECTION = (
    *FILTERS,
    *("ls", "pwd", "stat", "file", "du", "df", "which", "whereis", "readlink", "realpath", "basename", "dirname", "tree", "diff"),
    *("cmp", "md5sum", "sha256sum", "date", "id", "whoami", "uname", "nproc", "uptime", "ps", "echo", "printf"),
    *("git status", "git diff", "git log", "git show", "git rev-parse", "git ls-files", "git blame"),
)
"""Programs that only inspect, and print what they find."""

BUILTINS = frozenset(("[", "test", "echo", "printf"))
"""Commands of the shell itself: they pass beside a planned command, and are not planned alone."""

LOADER_PREFIXES = ("LD_", "DYLD_")
MOST_NAMED = 6


@dataclass(frozen=True, slots=True)
class Options:
    """`file`: a plan for any project; a relative path is inside it. `always`: programs that need not be planned, or the first
    words of such a command (`git status`). `inspection`: whether programs that only inspect need not be planned either. `ad_hoc`:
    how many calls of an iteration may be marked as no part of the plan; unlimited where left out, 0: none. `ad_hoc_by`: whether
    the agent's mark is enough for that, or each such call asks the user. `enforcement`: what decides whether an experiment's plan
    is enforced strictly."""

    file: str = ""
    always: tuple[str, ...] = ()
    inspection: bool = False
    ad_hoc: int | None = None
    ad_hoc_by: Literal["agent", "user"] = "agent"
    enforcement: Literal["environment", "strict", "warn"] = "environment"


_ADVICE = "keep to the plan, or have it changed."


def check(effect: Effect, options: Options, context: RuleContext) -> Iterator[Match]:
    plan = context.plan
    if plan is None or effect.origin.file:
        return
    match effect:
        case Run():
            if effect.argv and not is_guess(effect) and not _is_allowed_run(effect, plan, context):
                head = effect.argv[0].display_text
                yield Match(
                    effect,
                    f"{_explain_deviation(f'`{head}` is not in the plan', plan)}{_describe_mode_problem(context)}",
                    _suggest_planned_call(options, plan),
                )
        case Operation(name="shell.nothing"):
            yield Match(
                effect, _explain_deviation("Runs nothing that the plan names", plan), _suggest_planned_call(options, plan)
            )
        case Interpret(followed=False) | Opaque():
            if not _is_planned_command(effect.origin.command, plan, context):
                message = _explain_deviation("Runs code that cannot be read and compared with the plan", plan)
                yield Match(effect, message, "write the command out.")
        case Environment(name=name, value=value):
            if _is_lookup_variable(name) and (name, value.display_text) not in plan.variables and not plan.problem:
                message = f"Sets {name} to another value than the plan ({plan.file}); a name may then run another program."
                yield Match(effect, message, _ADVICE)
        case Connect(target=target, listens=False):
            if plan.hosts is not None and not any(name_matches(each, read_host(target) or "") for each in plan.hosts):
                message = f"Contacts {target.display_text}, which the plan ({plan.file}) does not name."
                yield Match(effect, message, _ADVICE)
        case Write() | Delete() | Move() | Link() | Permission():
            yield from _check_changed_places(effect, plan, context)
        case _:
            pass


# ---- commands


def _is_allowed_run(run: Run, plan: Plan, context: RuleContext) -> bool:
    """Returns whether the run is planned, or allowed beside a planned one."""
    if _is_planned(run, plan, context):
        return True
    name = plain_name(run)
    if is_pure_carrier(run, context.effects) or any(_has_first_words(run, name, each) for each in plan.always):
        return True
    if name in BUILTINS:
        return any(_is_planned(other, plan, context) for other in iter_own_runs(context.effects))
    return name in FILTERS and _is_piped_with_planned_run(run, plan, context)


def _has_first_words(run: Run, name: str, words: tuple[str, ...]) -> bool:
    return (name, *(word.text for word in run.argv[1 : len(words)])) == words


def _is_planned(run: Run, plan: Plan, context: RuleContext) -> bool:
    found = resolve_program(run.argv[0], run.cwd, context.scene, context.world)
    if found and found <= plan.programs:
        return True
    return normalize_relative_path(run.argv[0]) in plan.programs and is_inside_work_folders(found, context.scene, context.world)


def _is_piped_with_planned_run(run: Run, plan: Plan, context: RuleContext) -> bool:
    start, end = run.origin.span
    joined = [each for each in plan.pipelines if each[0] <= start and end <= each[1]]
    return any(
        each[0] <= other.origin.span[0] and other.origin.span[1] <= each[1]
        for each in joined
        for other in iter_own_runs(context.effects)
        if _is_planned(other, plan, context)
    )


def _is_planned_command(command: int, plan: Plan, context: RuleContext) -> bool:
    """Returns whether this command is a planned one. What its program does with its arguments is not checked."""
    return any(run.origin.command == command and _is_planned(run, plan, context) for run in iter_own_runs(context.effects))


def _explain_deviation(description: str, plan: Plan) -> str:
    if plan.problem:
        return f"{description}: {plan.file} cannot be used as a plan, {plan.problem}."
    known = sorted(plan.programs)
    more = f" and {len(known) - MOST_NAMED} more" if len(known) > MOST_NAMED else ""
    return f"{description} ({plan.file}); it names {', '.join(known[:MOST_NAMED]) or 'no command'}{more}."


def _describe_mode_problem(context: RuleContext) -> str:
    problem = describe_invalid_mode(context.scene.environ)
    return f" {problem}" if problem else ""


def _suggest_planned_call(options: Options, plan: Plan) -> str:
    planned = "have the plan repaired" if plan.problem else "use a program of the plan"
    if options.ad_hoc == 0:
        return f"{planned}." if plan.problem else f"{planned}, or have the plan changed."
    asks = ", which asks the user" if options.ad_hoc_by == "user" else ""
    return f"{planned}; or, if the call is not part of it, add the comment `#{AD_HOC_COMMENT}`{asks}."


# ---- changes that make a planned name run something else


def _is_lookup_variable(name: str) -> bool:
    return name == "PATH" or name.startswith(LOADER_PREFIXES)


def _check_changed_places(effect: Write | Delete | Move | Link | Permission, plan: Plan, context: RuleContext) -> Iterator[Match]:
    for place in list_places(effect) if isinstance(effect, Move) else (effect.place,):
        if place.machine != LOCAL:
            continue
        if isinstance(effect, Write | Move | Link) and _is_planned_program_replaced(place, plan, context):
            yield Match(effect, f"Replaces {place.display_text}, which the plan ({plan.file}) names.", _ADVICE)
        elif plan.paths is not None and not _is_planned_path(place, plan.paths):
            yield Match(effect, f"{place.display_text} is not among the files that the plan ({plan.file}) changes.", _ADVICE)


def _is_planned_program_replaced(place: Place, plan: Plan, context: RuleContext) -> bool:
    """Returns whether the place is a planned program, or would be found before one."""
    if place.path is None:
        return False
    folder, _, name = place.path.rpartition("/")
    return place.path in plan.programs or (name in plan.programs and folder in context.scene.environ.get("PATH", "").split(":"))


def _is_planned_path(place: Place, globs: tuple[str, ...]) -> bool:
    if place.path is None:
        return False
    path = place.path
    return path.startswith("/dev/") or any(matches_path(each, path) or matches_path(f"{each}/**", path) for each in globs)
