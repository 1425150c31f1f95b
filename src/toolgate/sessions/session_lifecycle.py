"""Handles the start and end of a session, and changes of its settings. Approvals end with the session; counters stay for a
resume."""

from collections.abc import Callable, Iterator

from toolgate import audit
from toolgate.consent import approvals
from toolgate.consent.approvals import ASKED_DOCUMENT
from toolgate.designs import LAYOUTS, load_module
from toolgate.hosts import load_host as host_named
from toolgate.install.wiring import check_wiring
from toolgate.machine import integrity
from toolgate.machine.current_account import effective_user
from toolgate.model.event import ConfigChanged, Scene
from toolgate.model.host import Host
from toolgate.model.request import Answer, Request
from toolgate.model.rule import Policy
from toolgate.model.store import ANSWERS, Key, Store
from toolgate.model.world import World

from . import Stores, may_have_plan, session_scope
from .approval_requests import ENDED_DOCUMENT, KEEP_SECONDS
from .script_repair import UnrepairableScript, repair_scripts

AGENT_CONFIRMS_NOTICE = "`agent_may_confirm` is true: the agent's own word that you agreed lets a stopped call run"


EVERY_DECISION_NOTICE = (
    "this version records every decision, calls that passed in silence included (toolgate log); "
    '`log = "interventions"` in your policy leaves those out, as before'
)


def collect_start_notices(
    scene: Scene, in_force: Policy, host: str, world: Callable[[], World], now: float, stores: Stores
) -> list[str]:
    """Returns what the user should know when a session starts."""
    notices = [*in_force.notices, *_repair_scripts(scene, host, now)]
    if in_force.audit == "decisions" and audit.was_kept_by_older_version(stores.audit_folder(scene)):
        notices.append(EVERY_DECISION_NOTICE)
    if in_force.agent_may_confirm:
        notices.append(AGENT_CONFIRMS_NOTICE)
    if may_have_plan(in_force, scene):
        from .plan_work import iter_notices as about_the_plan

        notices += about_the_plan(scene, in_force, world())
    if "team.write-outside-scope" in in_force.rulings:
        from .roster_check import describe_unread_roster

        notices += filter(None, [describe_unread_roster(scene.spawn.root or scene.project, world())])
    if changed := integrity.changed_packages():
        notices.append(f"packages of the gate changed since it was registered: {', '.join(changed)}; toolgate doctor says more")
    for problem in check_wiring(host, scene.home, scene.project, scene.environ, ask_version=False):
        notices.append(f"{problem.where}: {problem.what}; {problem.remedy}")
    return notices


def _repair_scripts(scene: Scene, host: str, now: float) -> Iterator[str]:
    try:
        if repaired := repair_scripts(scene, host_named(host), now):
            yield repaired
    except UnrepairableScript as problem:
        yield str(problem)


def end_session(scene: Scene, in_force: Policy, host: Host, store: Store, now: float) -> None:
    """Ends the approvals of this session and its lease on an iteration. Raises StoreError."""
    end_approvals(scene, store, now)
    if may_have_plan(in_force, scene):
        from .plan_execution import release_lease

        release_lease(scene, host, store, now)
    if in_force.messages != "plain":
        own = load_module(LAYOUTS[in_force.messages], "session_files")
        own.update_view(store, host.own_folder(scene.home, scene.environ), now)


def keep_checkpoint(scene: Scene, in_force: Policy, stores: Stores, request: Request) -> str:
    """Keeps a checkpoint of the audit where the policy says. Returns what went wrong, in a sentence; empty if nothing.

    It is written with the caller's own rights: the place may be the caller's choice."""
    if not in_force.checkpoint or effective_user() != request.uid:
        return ""
    from toolgate.audit.checkpoints import deliver_checkpoint

    checkpoint = stores.make_checkpoint(scene, request.now)
    return "" if checkpoint is None else deliver_checkpoint(checkpoint, in_force.checkpoint, scene.home)


def end_approvals(scene: Scene, store: Store, now: float) -> None:
    """Raises StoreError. Parallel sessions are unaffected; where nothing was asked, nothing is written."""
    scope = session_scope(scene)
    requests, answers = store.load((Key(scope, ASKED_DOCUMENT), Key(scope, ANSWERS)), now)
    if requests:
        store.update(Key(scope, ASKED_DOCUMENT), approvals.withdraw_all, now, now + KEEP_SECONDS)
    if requests or answers:
        store.update(Key(scope, ENDED_DOCUMENT), lambda _before: ({"at": now}, None), now, now + KEEP_SECONDS)


def check_config_change(event: ConfigChanged, host: Host, request: Request) -> Answer | None:
    """Refuses a change of a settings file after which the gate would not be called, or could not refuse."""
    scene = event.scene
    problems = check_wiring(request.host, scene.home, scene.project, scene.environ, ask_version=False)
    if not problems:
        return None
    what = "; ".join(f"{problem.where}: {problem.what}" for problem in problems[:3])
    return host.refuse(
        request.event, f"toolgate refuses this change of settings, because it would not be asked any more: {what}."
    )
