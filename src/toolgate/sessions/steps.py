"""The steps between a judgement and its answer, in order. A step is a function and a line in one of two tables.

A step of `DECIDING` may change the decision: it consults what outlasts the call (plans, budgets, approvals, copies). A step of
`TELLING` may only change what is told and what is recorded. Each loads its machinery when it has something to do.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import NamedTuple

from toolgate import audit
from toolgate.designs import LAYOUTS, load_module
from toolgate.hosts.capabilities import load_capabilities
from toolgate.judge import decide
from toolgate.machine.environment import find_folders
from toolgate.model.action import Action, AskUser, RunShell
from toolgate.model.decision import Decision, Verdict
from toolgate.model.effect import Connect, Delete, Effects, Move, Operation, Write
from toolgate.model.event import PermissionRequested, Scene, ToolCall
from toolgate.model.host import Host
from toolgate.model.request import Request
from toolgate.model.rule import Policy
from toolgate.model.store import MADE, Store
from toolgate.model.world import World

from . import Stores
from .judgements import Judgement
from .loss_detection import needs_copy


class JudgedCall(NamedTuple):
    """A call between its judgement and its answer, and the parts of the gate that steps use.

    `judge` judges another action of the same scene under the given policy; `make_world` gives a World without remembered answers;
    `watch` is told every decision; `began` is a reading of `time.perf_counter_ns`.
    """

    event: ToolCall | PermissionRequested
    host: Host
    request: Request
    stores: Stores
    judge: Callable[[Action, Policy], Judgement]
    make_world: Callable[[], World]
    watch: Callable[[ToolCall | PermissionRequested, Decision], None] | None
    began: int

    def open_store(self, policy: Policy) -> Store:
        return self.stores.find_store(self.event.scene, policy)


# ---- deciding


def compare_with_plan(call: JudgedCall, judgement: Judgement) -> Judgement:
    """Where a plan is in force: who else works on it, and how many calls were no part of it."""
    event, work, now = call.event, judgement.work, call.request.now
    if work is None or not isinstance(event, ToolCall):
        return judgement
    from . import plan_execution

    store = partial(call.open_store, judgement.policy)
    decision = plan_execution.count_ad_hoc_call(event, judgement.decision, work, now, store)
    return judgement._replace(
        decision=plan_execution.check_single_session(event, judgement.effects, decision, work, call.host, now, store)
    )


def rewrite_command(call: JudgedCall, judgement: Judgement) -> Judgement:
    policy = judgement.policy
    if not policy.rewrite or not isinstance(call.event, ToolCall) or not load_capabilities(call.request.host).can_rewrite:
        return judgement
    from .call_rewriting import rewrite_call

    def judge_again(action: RunShell) -> tuple[Effects, Decision]:
        judged = call.judge(action, policy)
        return judged.effects, judged.decision

    return judgement._replace(decision=rewrite_call(call.event, judgement.effects, judgement.decision, policy, judge_again))


def withhold_output(call: JudgedCall, judgement: Judgement) -> Judgement:
    """Runs a command without showing its output, where that is all it is stopped for and the policy prefers it to a question."""
    policy = judgement.policy
    if policy.on_credential_print != "withhold" or not isinstance(call.event, ToolCall):
        return judgement
    if not load_capabilities(call.request.host).can_wrap:
        return judgement
    from . import command_filter

    return judgement._replace(decision=command_filter.withhold_output(judgement.decision, call.event, policy))


def consult_session(call: JudgedCall, judgement: Judgement) -> Judgement:
    """Applies what outlasts one call: budgets and rates, what a person said before, how often the call was denied. A question
    that the host would drop becomes a request. A call that needs none of it touches no state."""
    event, host, request = call.event, call.host, call.request
    if not isinstance(event, ToolCall) or not _needs_state(judgement, event):
        return judgement
    from toolgate.consent.operation import digest_operation
    from toolgate.consent.pushes import collect_pushed_commits

    from . import approval_requests, counters, deletion_budget

    policy, now = judgement.policy, request.now
    store = partial(call.open_store, policy)
    decision = counters.apply_rates(event, judgement.decision, policy, now, store)
    decision = deletion_budget.check_session_losses(event, judgement._replace(decision=decision), now, store)
    if (over := counters.check_question_budget(event, policy, now, store)) is not None:
        decision = decide((*decision.findings, over), policy, decision.waived)
    judgement = judgement._replace(decision=decision)
    if decision.verdict is not Verdict.ASK:
        judgement = _keep_losses(call, judgement)
        if judgement.decision.verdict is not Verdict.DENY:
            return judgement
        return judgement._replace(decision=counters.escalate_denial(event, judgement.decision, now, store))
    effects, followed, ways = judgement.effects, judgement.world.followed_files, call.stores.ways
    unheard = approval_requests.explain_unasked(event, policy, effects, host, request)

    @cache
    def digest() -> str:
        commits = collect_pushed_commits(effects, event.scene.cwd, call.make_world())
        return digest_operation(event, effects, followed(), commits)

    asking_call = approval_requests.AskingCall(event, decision, effects, followed, policy, host, request, unheard, digest, ways)
    if needs_copy(judgement) and not approval_requests.is_refused(asking_call, store):
        judgement = _keep_losses(call, judgement)
        asking_call = replace(asking_call, decision=judgement.decision)
    if judgement.decision.verdict is Verdict.ASK:
        judgement = judgement._replace(decision=approval_requests.decide_asking_call(asking_call, store))
        deletion_budget.reset_deletions(event, judgement.decision, now, store)
        if judgement.decision.verdict < Verdict.ASK:
            judgement = _keep_losses(call, judgement)
    return judgement


def answer_host_prompt(call: JudgedCall, judgement: Judgement) -> Judgement:
    """Answers the host's own question, where the policy lets that be proven unnecessary."""
    if judgement.policy.answer_prompts == "off":
        return judgement
    from .prompting import answer_by_proof

    return answer_by_proof(judgement, call.event, call.host, call.request, call.stores)


def _needs_state(judgement: Judgement, event: ToolCall) -> bool:
    decision = judgement.decision
    counted = isinstance(event.action, AskUser) and judgement.policy.max_questions is not None
    limited = any(each.rate for each in decision.findings) or bool(judgement.effects.of_kind(Delete))
    return counted or limited or decision.verdict >= Verdict.ASK or needs_copy(judgement)


def _keep_losses(call: JudgedCall, judgement: Judgement) -> Judgement:
    """Copies what the call would lose into the undo store, where a copy is an answer."""
    if not needs_copy(judgement) or not isinstance(call.event, ToolCall):
        return judgement
    from .undo_copies import keep_losses

    return judgement._replace(decision=keep_losses(call.event, judgement, call.request.now))


# ---- telling


def hide_secrets(call: JudgedCall, judgement: Judgement, decision: Decision) -> Decision:
    if decision.tell_user or decision.tell_agent:
        from .call_redaction import redact_decision

        decision = redact_decision(decision, judgement.policy, call.event.scene, call.event.action)
    return replace(decision, tell_user=decision.to_user_alone) if decision.to_user_alone else decision


def note_fetched_files(call: JudgedCall, judgement: Judgement, decision: Decision) -> Decision:
    if decision.verdict < Verdict.DENY and any(type(effect) is Connect for effect in judgement.effects.all):
        from .ledger import record_fetched_files

        record_fetched_files(call.event.scene, judgement.effects, call.request.now, partial(call.open_store, judgement.policy))
    return decision


def note_written_code(call: JudgedCall, judgement: Judgement, decision: Decision) -> Decision:
    if decision.verdict < Verdict.DENY and any(type(effect) in (Write, Move) for effect in judgement.effects.all):
        from .ledger import record_written_code

        record_written_code(call.event.scene, judgement.effects, call.request.now, partial(call.open_store, judgement.policy))
    return decision


def note_creations(call: JudgedCall, judgement: Judgement, decision: Decision) -> Decision:
    """Notes what the call creates outside the project, or, in it, which folders and branches; and what it changes where the
    session has created something before."""
    event, effects = call.event, judgement.effects
    written, operations = effects.of_kind(Write), {each.name for each in effects.of_kind(Operation)}
    if decision.verdict >= Verdict.DENY or not isinstance(event, ToolCall) or not event.call:
        return decision
    creates = "git.create-branch" in operations or any(_is_worth_noting(write) for write in written)
    if creates or ((written or "git.commit" in operations) and call.stores.has_document(event.scene, MADE)):
        from .creations import record_candidates

        store = partial(call.open_store, judgement.policy)
        record_candidates(event, judgement.effects, call.make_world(), call.request.now, store)
    return decision


def _is_worth_noting(write: Write) -> bool:
    place = write.place
    if place.path is None or place.is_in("temporary", "device") is True:
        return False
    return place.is_in("project") is not True or write.folder or write.tree is True


def record_decision(call: JudgedCall, judgement: Judgement, decision: Decision) -> Decision:
    if not audit.should_record(judgement.policy, decision) or not call.stores.can_record(call.event.scene):
        return decision
    from .decision_records import record_call

    return add_notice(decision, record_call(call, judgement), call.event.scene)


def write_allowlist_log(call: JudgedCall, judgement: Judgement, decision: Decision) -> Decision:
    """Writes the log and the view of the design whose messages are in force, in the host's folder. A loss changes nothing."""
    if judgement.policy.messages != "plain" and isinstance(call.event, ToolCall):
        own = load_module(LAYOUTS[judgement.policy.messages], "session_files")
        scene = call.event.scene
        folder = call.host.own_folder(scene.home, scene.environ)
        own.record_decision(call.event, decision, judgement.policy, folder, call.stores, call.request.now)
    return decision


def write_journal(call: JudgedCall, judgement: Judgement, decision: Decision) -> Decision:
    if judgement.policy.journal == "none" or not isinstance(call.event, ToolCall):
        return decision
    from . import journal

    problem = journal.record_decision(call.event, decision, judgement.policy, call.host, call.request.now)
    return add_notice(decision, problem, call.event.scene)


def note_plan_progress(call: JudgedCall, judgement: Judgement, decision: Decision) -> Decision:
    if judgement.work is None or not isinstance(call.event, ToolCall):
        return decision
    from .plan_execution import log_deviation

    problem = log_deviation(call.event, judgement.decision, judgement.work, call.request.now)
    return add_notice(decision, problem, call.event.scene, "plan")


def tell_embedding(call: JudgedCall, _judgement: Judgement, decision: Decision) -> Decision:
    if call.watch is not None:
        call.watch(call.event, decision)
    return decision


def redact_output(call: JudgedCall, judgement: Judgement, decision: Decision) -> Decision:
    """Runs the command through the filter that takes secrets out of its output, on hosts that let a hook change the command."""
    if (
        not judgement.policy.wrap_commands
        or decision.verdict is Verdict.DENY
        or not load_capabilities(call.request.host).can_wrap
    ):
        return decision
    from .command_filter import filter_command

    return filter_command(decision, call.event)


def add_notice(decision: Decision, problem: str, scene: Scene, log: str = "told") -> Decision:
    """Tells the user, once a session, that records are lost."""
    if not problem or not audit.mark_first_time(find_folders(scene.environ, scene.home).cache, scene.caller.session, log):
        return decision
    return replace(decision, tell_user=f"{decision.tell_user}\n{problem}" if decision.tell_user else problem)


DECIDING: tuple[Callable[[JudgedCall, Judgement], Judgement], ...] = (
    compare_with_plan,
    rewrite_command,
    withhold_output,
    consult_session,
    answer_host_prompt,
)
TELLING: tuple[Callable[[JudgedCall, Judgement, Decision], Decision], ...] = (
    hide_secrets,
    note_fetched_files,
    note_written_code,
    note_creations,
    record_decision,
    write_allowlist_log,
    write_journal,
    note_plan_progress,
    tell_embedding,
    redact_output,
)


def finish_decision(call: JudgedCall, judgement: Judgement) -> Judgement:
    """The judgement after every step of `DECIDING`."""
    for step in DECIDING:
        judgement = step(call, judgement)
    return judgement


def prepare_answer(call: JudgedCall, judgement: Judgement) -> Decision:
    """The decision as it is told, after every step of `TELLING`."""
    decision = judgement.decision
    for step in TELLING:
        decision = step(call, judgement, decision)
    return decision
