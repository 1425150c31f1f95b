"""Ending a turn before the plan's evidence is written and valid.

An experiment ends with its evidence: a file in the iteration's folder, which the policy's validator accepts. An agent that ends
its turn before is told what is missing, and goes on.

Write the evidence, fix what the validator reports, and end the turn again.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.designs import PLAN_FOLDER_VARIABLE
from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext
from toolgate.model.world import ABSENT

from .context import iteration_folder

MAX_EVIDENCE_BYTES = 8 * 1024 * 1024  # bytes of the evidence


@dataclass(frozen=True, slots=True)
class Options:
    """`evidence`: a file in the iteration's folder, or an absolute path. `validator`: a program's absolute path and its
    arguments; it is run in that folder, and any exit code but 0 is an error. `seconds`: its time limit. `attempts`: how often in
    a row a turn is kept from ending. `expected`: a missing folder is an error too."""

    evidence: str = "principle_updates.json"
    validator: tuple[str, ...] = ()
    seconds: float = 5.0
    attempts: int = 8
    expected: bool = False


def check(ending: Operation, options: Options, context: RuleContext) -> Iterator[Match]:
    """Matches the end of a turn whose evidence is missing or invalid. `target`: what the validator reports."""
    folder, said = iteration_folder(context.scene), ending.target.display_text if ending.target is not None else ""
    if not folder:
        if options.expected:
            message = f"{PLAN_FOLDER_VARIABLE} is not set, so it cannot be checked whether the work is done."
            yield Match(ending, message, "ask the user to set it.")
        return
    if context.world.kind(folder) not in ("folder", "link"):
        message = f"{folder} ({PLAN_FOLDER_VARIABLE}) is not a folder, so it cannot be checked whether the work is done."
        yield Match(ending, message, "ask the user to correct it.")
    elif problem := _find_evidence_problem(evidence_path(folder, options), context):
        yield Match(ending, problem)
    elif said:
        yield Match(ending, f"validation failed: {said}")


def evidence_path(folder: str, options: Options) -> str:
    return options.evidence if options.evidence.startswith("/") else f"{folder}/{options.evidence}"


def _find_evidence_problem(file: str, context: RuleContext) -> str:
    """Returns what is wrong with the evidence, as far as it can be seen without running the validator."""
    text = context.world.read(file, MAX_EVIDENCE_BYTES)
    if text is ABSENT:
        return f"{file} does not exist; the work is done once it is written."
    if not isinstance(text, str):
        return f"{file} cannot be read as text, or is larger than {MAX_EVIDENCE_BYTES // 1024 // 1024} MiB."
    if not text.strip():
        return f"{file} is empty."
    if file.endswith(".json") and not _is_json(text):
        return f"{file} is not JSON."
    return ""


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
