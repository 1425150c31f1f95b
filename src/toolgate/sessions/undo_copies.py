"""Copies what a call would lose, so that some calls need no question, and others can be undone.

A call that is stopped only by shipped verdicts of rules on the loss of data runs where all of it was copied. A call that passes
runs in any case; what it deletes or overwrites and git does not hold is copied where that is cheap.
"""

import os
import stat
import sys
from dataclasses import replace
from typing import NamedTuple

from toolgate import audit
from toolgate.judge import blocking_findings, decide
from toolgate.machine import supervision
from toolgate.machine.environment import find_folders
from toolgate.machine.git_state import GitReader
from toolgate.machine.world import MachineWorld
from toolgate.model.action import ApplyPatch, EditFile
from toolgate.model.decision import Decision, Finding, Verdict
from toolgate.model.effect import Operation, list_places
from toolgate.model.errors import OutOfTime
from toolgate.model.event import ToolCall
from toolgate.model.place import LOCAL
from toolgate.model.rule import UndoLimits
from toolgate.model.stakes import Stakes
from toolgate.model.world import GitState, World
from toolgate.undo.calls import build_id, mark_path, store_folder
from toolgate.undo.entry import Entry
from toolgate.undo.losses import Losses, Scans, drop_nested, find_losses
from toolgate.undo.repositories import add_repository, find_git_losses, find_index, is_git_loss
from toolgate.undo.survey import OverBudget, SkipCheck, Survey
from toolgate.undo.vault import FullStore, NotKept, Vault

from .call_redaction import redact_action
from .judgements import Judgement
from .loss_detection import is_at_stake, iter_lost_places
from .undo_protection import build_protection

CHEAP_LIMITS = UndoLimits(max_entries=2_000, max_bytes=50_000_000)
"""Limits of the copies for a call that passes."""


def keep_losses(event: ToolCall, judgement: Judgement, now: float) -> Decision:
    """Copies what the call would lose, and returns the decision, without the findings that the copy answers."""
    policy, decision = judgement.policy, judgement.decision
    if type(judgement.world) is not MachineWorld or not _is_available():
        return decision
    try:
        if decision.verdict < Verdict.ASK:
            return _copy_for_passing_call(event, judgement, now)
        return _copy_instead_of_asking(event, judgement, blocking_findings(decision.findings, policy), now)
    except OutOfTime:
        return decision  # as without a copy: there is time left to report that


def _is_available() -> bool:
    """Returns whether copies are supported: not under a supervisor, which judges for other accounts whose files it does not copy,
    and not on Windows, which has no descriptors of folders."""
    return sys.platform != "win32" and not supervision.is_supervised()


# ---- calls that are stopped


def _copy_instead_of_asking(event: ToolCall, judgement: Judgement, stops: tuple[Finding, ...], now: float) -> Decision:
    decision, policy = judgement.decision, judgement.policy
    losses = find_losses(judgement.effects, judgement.world, Scans(), edits=True)
    if losses.unknown or not all(_is_copyable(each) for each in stops):
        return decision
    survey = _build_survey(event, judgement, policy.undo_limits)
    try:
        _add_losses(survey, losses, judgement.world)
        kept_git = _add_repositories(survey, event, judgement)
    except OverBudget:
        return decision
    if kept_git is None or survey.left_out or all(found.item.kind == "absent" for found in survey.found):
        return decision
    try:
        kept = _keep_copy(event, judgement, survey, losses, now, kept_git)
    except NotKept as problem:
        return replace(decision, tell_user=f"{decision.tell_user} No copy could be kept: {problem}.".strip())
    lifted = decide(decision.findings, policy, stops)
    verdict = max(lifted.verdict, Verdict.WARN)
    return replace(lifted, verdict=verdict, tell_user=_user_note(kept), tell_agent=AGENT_NOTE, copy=kept.id)


def _is_copyable(finding: Finding) -> bool:
    effect = finding.match.effect
    if isinstance(effect, Operation):
        return is_git_loss(effect)
    return all(place.machine == LOCAL for place in list_places(effect))


class _GitCopy(NamedTuple):
    """`exact`: folders of git that have to be restored exactly; `worktrees`: tops of worktrees whose files are all copied."""

    exact: tuple[str, ...] = ()
    worktrees: tuple[str, ...] = ()


def _add_repositories(survey: Survey, event: ToolCall, judgement: Judgement) -> _GitCopy | None:
    """Adds what git loses; returns None where that is unknown. Raises OverBudget."""
    losses = find_git_losses(judgement.effects)
    if losses is None or (losses and any(name in event.scene.environ for name in _GIT_REDIRECTS)):
        return None
    git, exact = GitReader(), list[str]()
    for loss in losses:
        state = judgement.world.git(loss.top)
        if not isinstance(state, GitState) or not state.ours:
            return None
        folders = add_repository(survey, loss, git, event.scene.home)
        if folders is None:
            return None
        exact += folders
    return _GitCopy(tuple(exact), tuple(loss.top for loss in losses if loss.whole))


_NO_GIT_COPY = _GitCopy()
_GIT_REDIRECTS = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_NAMESPACE")
"""Variables with which git works on other files than those that were examined."""


AGENT_NOTE = "toolgate kept a copy of what this deletes, for the user. Deleting it was not refused; say that you did it."


def _user_note(entry: Entry) -> str:
    return (
        f"toolgate kept a copy of what this call deletes or overwrites ({entry.summary}) and let it run. "
        f"To get it back, on a terminal of your own:  toolgate undo {entry.id}"
    )


# ---- calls that pass


def _copy_for_passing_call(event: ToolCall, judgement: Judgement, now: float) -> Decision:
    scans, edits = Scans(), not isinstance(event.action, EditFile | ApplyPatch)
    if not _loses_existing_paths(judgement, scans):
        return judgement.decision
    losses = find_losses(judgement.effects, judgement.world, scans, edits=edits)
    at_stake = [lost.path for lost in losses.trees if is_at_stake(lost.place, judgement.world)]
    if not at_stake:
        return judgement.decision
    survey = _survey_within_limits(event, judgement, losses, at_stake)
    if survey is None or all(found.item.kind == "absent" for found in survey.found):
        return judgement.decision
    try:
        return replace(judgement.decision, copy=_keep_copy(event, judgement, survey, losses, now).id)
    except FullStore as problem:
        return _tell_once(event, judgement, f"toolgate keeps no copies any more: {problem}. `toolgate undo --expire` makes room.")
    except NotKept:
        pass  # the call passes anyway
    return judgement.decision


def _loses_existing_paths(judgement: Judgement, scans: Scans) -> bool:
    """Returns whether a place at stake holds anything at this moment, without a look at the places that are not at stake."""
    lost = iter_lost_places(judgement.effects, judgement.world)
    return any(scans.expand_place(place) for place in lost if is_at_stake(place, judgement.world))


def _survey_within_limits(event: ToolCall, judgement: Judgement, losses: Losses, at_stake: list[str]) -> Survey | None:
    """Returns a survey of all that the call changes, or else of what git does not hold; None where that is too much, too."""
    limits = judgement.policy.undo_limits
    cheap = UndoLimits(min(limits.max_entries, CHEAP_LIMITS.max_entries), min(limits.max_bytes, CHEAP_LIMITS.max_bytes))
    survey = _build_survey(event, judgement, cheap)
    try:
        _add_losses(survey, losses, judgement.world)
        return survey
    except OverBudget:
        pass
    part = _build_survey(event, judgement, cheap, skips=_skip_recoverable_files(judgement))
    try:
        part.add_trees(drop_nested(at_stake))
        return part
    except OverBudget:
        return None


def _skip_recoverable_files(judgement: Judgement) -> SkipCheck:
    """Returns a filter that skips files that git holds or a tool generates."""
    world = judgement.world

    def is_skipped(path: str, status: os.stat_result) -> bool:
        if stat.S_ISDIR(status.st_mode):
            found = world.stakes(path) if path.rpartition("/")[2] in _LARGE_FOLDERS else None
            return isinstance(found, Stakes) and not found.unheld and not found.ignored
        return world.as_committed(path) is True

    return is_skipped


_LARGE_FOLDERS = frozenset(("node_modules", ".venv", "venv", "target", "dist", "build", "__pycache__"))


def _tell_once(event: ToolCall, judgement: Judgement, note: str) -> Decision:
    scene, decision = event.scene, judgement.decision
    if not audit.mark_first_time(find_folders(scene.environ, scene.home).cache, scene.caller.session, "undo-full"):
        return decision
    message = f"{decision.tell_user}\n{note}".strip()
    return replace(decision, verdict=max(decision.verdict, Verdict.WARN), tell_user=message)


# ---- both


def _build_survey(event: ToolCall, judgement: Judgement, limits: UndoLimits, *, skips: SkipCheck | None = None) -> Survey:
    protects = build_protection(event.scene, judgement.world, judgement.policy.places)
    made = Survey(limits.max_entries, limits.max_bytes, protects)
    if skips is not None:
        made.skips = skips
    return made


def _add_losses(survey: Survey, losses: Losses, world: World) -> None:
    survey.add_trees(drop_nested(lost.path for lost in losses.trees))
    survey.add_trees(drop_nested(losses.beside))
    survey.add_single(losses.single)
    tops = {state.root for path in losses.staged if isinstance(state := world.git(path), GitState) and state.ours}
    survey.add_single(index for top in tops if (index := find_index(top)))


def _keep_copy(
    event: ToolCall, judgement: Judgement, survey: Survey, losses: Losses, now: float, kept_git: _GitCopy = _NO_GIT_COPY
) -> Entry:
    scene, policy = event.scene, judgement.policy
    shown = redact_action(event.action, policy, scene)
    vault = Vault(store_folder(find_folders(scene.environ, scene.home).state))
    session = scene.caller.session
    entry = Entry(
        id=build_id(session, event.call, now, shown),
        at=now,
        host=scene.caller.host,
        session=session,
        project=scene.project,
        operation=shown,
        roots=tuple(drop_nested(lost.path for lost in losses.trees)),
        items=(),
        exact=kept_git.exact,
        worktrees=kept_git.worktrees,
    )
    kept = vault.save_copy(entry, survey, policy.undo_limits)
    vault.mark_call(mark_path(vault.folder, session, event.call), kept.id)
    return kept
