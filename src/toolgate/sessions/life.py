"""Handles the start and end of a session, and changes of its settings. Approvals end with the session; counters stay for a
resume."""

from collections.abc import Callable, Iterator

from toolgate.consent import approvals
from toolgate.consent.approvals import ASKED
from toolgate.hosts import host as host_named
from toolgate.install.wiring import check_wiring
from toolgate.machine import integrity
from toolgate.model.event import ConfigChanged, Scene
from toolgate.model.host import Host
from toolgate.model.request import Answer, Request
from toolgate.model.rule import Policy
from toolgate.model.state import ANSWERS, Key, Store
from toolgate.model.world import World

from . import may_have_a_plan, session_of
from .asking import ENDED, KEPT
from .healing import Lost, healed

AGENT_CONFIRMS = "`agent_may_confirm` is true: the agent's own word that you agreed lets a stopped call run"


def opening(scene: Scene, in_force: Policy, host: str, world: Callable[[], World], now: float) -> list[str]:
    """Returns what the user should know when a session starts."""
    notices = [*in_force.notices, *_put_back(scene, host, now)]
    if in_force.agent_may_confirm:
        notices.append(AGENT_CONFIRMS)
    if may_have_a_plan(in_force, scene):
        from .planned import notices as about_the_plan

        notices += about_the_plan(scene, in_force, world())
    if changed := integrity.changes():
        notices.append(f"packages of the gate changed since it was registered: {', '.join(changed)}; toolgate doctor says more")
    for problem in check_wiring(host, scene.home, scene.project, scene.environ, ask_version=False):
        notices.append(f"{problem.where}: {problem.what}; {problem.remedy}")
    return notices


def _put_back(scene: Scene, host: str, now: float) -> Iterator[str]:
    try:
        if told := healed(scene, host_named(host), now):
            yield told
    except Lost as problem:
        yield str(problem)


def closing(scene: Scene, in_force: Policy, host: Host, store: Store, now: float) -> None:
    """Ends the approvals of this session and its lease on an iteration. Raises StoreError."""
    ended(scene, store, now)
    if may_have_a_plan(in_force, scene):
        from .executing import released

        released(scene, host, store, now)
    if in_force.messages == "guardrail":
        from .allowlist import show

        show(store, host.own_folder(scene.home, scene.environ), now)


def ended(scene: Scene, store: Store, now: float) -> None:
    """Raises StoreError. Parallel sessions are unaffected; where nothing was asked, nothing is written."""
    scope = session_of(scene)
    asked, answers = store.load((Key(scope, ASKED), Key(scope, ANSWERS)), now)
    if asked:
        store.update(Key(scope, ASKED), approvals.withdrawn, now, now + KEPT)
    if asked or answers:
        store.update(Key(scope, ENDED), lambda _before: ({"at": now}, None), now, now + KEPT)


def reconfigured(event: ConfigChanged, host: Host, request: Request) -> Answer | None:
    """Refuses a change of a settings file after which the gate would not be called, or could not refuse."""
    scene = event.scene
    problems = check_wiring(request.host, scene.home, scene.project, scene.environ, ask_version=False)
    if not problems:
        return None
    what = "; ".join(f"{problem.where}: {problem.what}" for problem in problems[:3])
    return host.refuse(
        request.event, f"toolgate refuses this change of settings, because it would not be asked any more: {what}."
    )
