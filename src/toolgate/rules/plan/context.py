"""Reads the plan in force: where it is, what it names, which program a command runs, and how strictly it is enforced.

An experiment's plan is `experiment_plan.yaml` in the folder that a variable names (`arms`, their `conditions`, each with a
`command` or `cmd`); a plan for any project has `commands`, `programs`, `paths` and `hosts`. The same reader reads both, and one
file may hold both. It walks the graph of YAML nodes without building objects, so that aliases multiply nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from toolgate.designs import ENFORCEMENT_VARIABLE, PLAN_FOLDER_VARIABLE
from toolgate.documents import InvalidDocument, compose_yaml
from toolgate.model.effect import Effects, Run
from toolgate.model.event import Scene
from toolgate.model.word import Unread, Word
from toolgate.model.world import ABSENT, NoAnswer, World
from toolgate.overlay import Overlay
from toolgate.paths import resolve_path

if TYPE_CHECKING:
    from yaml import MappingNode, ScalarNode, SequenceNode

    Node = ScalarNode | SequenceNode | MappingNode

PLAN_FILE, VIOLATIONS_FILE = "experiment_plan.yaml", "plan_violations.jsonl"
MAX_PLAN_BYTES = 256 * 1024  # bytes of a plan
MAX_COMMANDS = 500  # commands that a plan names: each is parsed as the text of a call is
MAX_COMMAND_CHARACTERS = 64 * 1024  # characters of all of them together
CARRIERS = frozenset(
    (
        "env", "nice", "ionice", "chrt", "taskset", "nohup", "timeout", "stdbuf", "setsid", "time", "unbuffer", "caffeinate",
        "xargs", "sh", "bash", "dash", "ash", "ksh", "zsh",
    )
)  # fmt: skip
"""Programs that do nothing but run the command that they are given, here, and as the same user."""
_SYSTEM_FOLDERS = ("/usr/bin/", "/bin/")

EnforcementMode = Literal["strict", "warn"]


class Condition(NamedTuple):
    """A command that the plan names, and its arm."""

    arm: str
    command: str


class PlanDocument(NamedTuple):
    """The contents of a plan's file. `problem`: why it could not be read."""

    conditions: tuple[Condition, ...] = ()
    programs: tuple[str, ...] = ()
    paths: tuple[str, ...] | None = None
    hosts: tuple[str, ...] | None = None
    problem: str = ""


# ---- location and enforcement


def iteration_folder(scene: Scene) -> str:
    """Returns the iteration's folder, without a trailing slash, resolved against the project; empty where the variable is not
    set."""
    named = scene.environ.get(PLAN_FOLDER_VARIABLE, "")
    if not named:
        return ""
    return (named if named.startswith("/") else f"{scene.project}/{named}").rstrip("/") or "/"


def enforcement_mode(environ: Mapping[str, str]) -> EnforcementMode:
    """Returns the enforcement mode of the environment; any invalid value means strict."""
    mode = environ.get(ENFORCEMENT_VARIABLE, "").strip().lower()
    return "warn" if mode in ("", "warn") else "strict"


def describe_invalid_mode(environ: Mapping[str, str]) -> str:
    """Returns what is wrong with the mode that the environment names; empty where it is valid."""
    mode = environ.get(ENFORCEMENT_VARIABLE, "").strip()
    if mode.lower() in ("", "warn", "strict"):
        return ""
    shown = "".join(char if char.isprintable() else "?" for char in mode[:20])
    return f"{ENFORCEMENT_VARIABLE} is {shown!r}, which is neither strict nor warn: the plan is enforced strictly."


# ---- contents


def parse_plan(text: str | Unread | NoAnswer) -> PlanDocument:
    """Returns the contents of a plan's file, with `problem` set where it cannot be read."""
    if isinstance(text, Unread):
        return PlanDocument(problem=text.cause)
    if isinstance(text, NoAnswer):
        return PlanDocument(problem="it is not there" if text is ABSENT else "it cannot be read")
    return _parse_plan_text(text)


@lru_cache(8)
def _parse_plan_text(text: str) -> PlanDocument:
    try:
        return _build_document(compose_yaml(text))
    except (InvalidDocument, _InvalidPlan) as problem:
        return PlanDocument(problem=str(problem))


class _InvalidPlan(Exception):
    """A part of the plan has the wrong type."""


def _build_document(top: "Node | None") -> PlanDocument:
    if top is None:
        return PlanDocument()
    plan_fields = _read_mapping(top, "the plan")
    conditions: list[Condition] = []
    for arm in _iter_items(plan_fields.get("arms"), "arms"):
        each = _read_mapping(arm, "an arm")
        name = _read_text(each.get("arm_id"), "arm_id") or ""
        for condition in _iter_items(each.get("conditions"), "conditions"):
            condition_fields = _read_mapping(condition, "a condition")
            command = _read_text(condition_fields.get("command"), "command") or _read_text(condition_fields.get("cmd"), "cmd")
            if command:
                _add_condition(conditions, Condition(name, command))
    for command in _read_texts(plan_fields.get("commands"), "commands") or ():
        _add_condition(conditions, Condition("", command))
    return PlanDocument(
        tuple(conditions),
        _read_texts(plan_fields.get("programs"), "programs") or (),
        _read_texts(plan_fields.get("paths"), "paths"),
        _read_texts(plan_fields.get("hosts"), "hosts"),
    )


def _add_condition(conditions: list[Condition], condition: Condition) -> None:
    if sum(len(each.command) for each in conditions) + len(condition.command) > MAX_COMMAND_CHARACTERS:
        raise _InvalidPlan(f"its commands have more than {MAX_COMMAND_CHARACTERS // 1024} Ki characters together")
    if len(conditions) >= MAX_COMMANDS:
        raise _InvalidPlan(f"it names more than {MAX_COMMANDS} commands")
    conditions.append(condition)


def _is_null(node: "Node | None") -> bool:
    return node is None or node.tag == "tag:yaml.org,2002:null"


def _read_mapping(node: "Node", field: str) -> dict[str, "Node"]:
    if node.id != "mapping":
        raise _InvalidPlan(f"{field} is not a mapping")
    return {key.value: value for key, value in node.value if key.id == "scalar"}


def _iter_items(node: "Node | None", field: str) -> Iterator["Node"]:
    """Yields the nodes of a list; none where it is left out."""
    if node is None or _is_null(node):
        return
    if node.id != "sequence":
        raise _InvalidPlan(f"{field} is not a list")
    if len(node.value) > MAX_COMMANDS:
        raise _InvalidPlan(f"{field} has more than {MAX_COMMANDS} entries")
    yield from node.value


def _read_text(node: "Node | None", field: str) -> str | None:
    if node is None or _is_null(node):
        return None
    if node.id != "scalar":
        raise _InvalidPlan(f"{field} is not text")
    return str(node.value).strip()


def _read_texts(node: "Node | None", field: str) -> tuple[str, ...] | None:
    if node is None or _is_null(node):
        return None
    return tuple(text for text in (_read_text(item, field) for item in _iter_items(node, field)) if text)


# ---- which program a command runs


def iter_own_runs(effects: Effects) -> Iterator[Run]:
    """Yields the runs that the author of a text wrote: not those of a script that it runs, and not guesses about arguments."""
    for effect in effects.all:
        if isinstance(effect, Run) and effect.argv and not effect.origin.file and not is_guess(effect):
            yield effect


def is_guess(run: Run) -> bool:
    """A known program's name among the arguments of one that nobody described."""
    return bool(run.origin.via) and run.origin.via[-1].guessed


def plain_name(run: Run) -> str:
    """Returns the name of a program, without the folder where that is one of the system's."""
    head = run.argv[0].text or ""
    return head.removeprefix(next((folder for folder in _SYSTEM_FOLDERS if head.startswith(folder)), ""))


def is_pure_carrier(carrier: Run, effects: Effects) -> bool:
    """Returns whether the program does nothing but run the command that it was given, which follows it at once."""
    name, depth, reached = plain_name(carrier), len(carrier.origin.via), False
    if name not in CARRIERS:
        return False
    for effect in effects.all:
        if reached and isinstance(effect, Run):
            via = effect.origin.via
            return (
                len(via) > depth
                and not effect.origin.file
                and via[depth].program == name
                and via[depth].option in ("", "-c", "-S")
            )
        reached = reached or effect is carrier
    return False


def collect_programs(effects: Effects, scene: Scene, world: World) -> frozenset[str]:
    """Returns the programs that a plan's commands name. A plan does not say from which folder `./sim` is run: where the session's
    folder has no such file, it is kept as spelled, and any folder of the project may have it."""
    found: set[str] = set()
    for run in iter_own_runs(effects):
        if is_pure_carrier(run, effects):
            continue
        named = resolve_program(run.argv[0], run.cwd, scene, world)
        found |= named
        if (text := normalize_relative_path(run.argv[0])) and all(world.kind(path) is ABSENT for path in named):
            found.add(text)
    return frozenset(found)


def normalize_relative_path(head: Word) -> str:
    """Returns `./sim` for all spellings of it; empty for other paths and for one that leads upwards."""
    text = head.text or ""
    parts = [part for part in text.split("/") if part not in ("", ".")]
    return "" if "/" not in text or text.startswith("/") or ".." in parts else "./" + "/".join(parts)


def is_inside_work_folders(paths: frozenset[str], scene: Scene, world: World) -> bool:
    """Returns whether each path is inside the project or the iteration's folder."""
    overlay = Overlay(world)
    folders = [each for folder in (scene.project, iteration_folder(scene)) if folder for each in resolve_path(folder, overlay)]
    return bool(paths) and all(any(path.startswith(f"{folder.rstrip('/')}/") for folder in folders) for path in paths)


def resolve_program(head: Word, base: Word | None, scene: Scene, world: World) -> frozenset[str]:
    """Returns a bare name as it is, else the real paths that a command's head may lead to. Empty where that is unknown."""
    text = head.text
    if not text:
        return frozenset()
    if "/" not in text:
        return frozenset((text,))
    start = scene.project if base is None else base.text
    if not text.startswith("/") and start is None:
        return frozenset()
    return frozenset(resolve_path(text if text.startswith("/") else f"{start}/{text}", Overlay(world)))


def find_nearest_arm(command: str, conditions: Sequence[Condition]) -> str:
    """Returns the arm that the command names, or else the one whose command shares most words with it; empty where none shares
    any."""
    words, best, arm = _split_words(command), 0.0, ""
    for condition in conditions:
        if condition.arm in words:
            return condition.arm
        others = _split_words(condition.command)
        alike = len(words & others) / len(words | others) if words & others else 0.0
        if alike > best:
            best, arm = alike, condition.arm
    return arm


def _split_words(text: str) -> frozenset[str]:
    """Splits a command into words, including the parts of paths and the values of options."""
    return frozenset(word for word in re.split(r"[\s/=,;'\"]+", text) if word)
