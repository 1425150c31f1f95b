"""Records what a session creates (toolgate.creations): before a call what is absent, after it what is there.

Only a result counts that the host reported for a recorded call of the same session. A host without call ids, a background call
and a client that was killed prove nothing.
"""

from collections.abc import Callable, Mapping

from toolgate import audit, creations
from toolgate.machine.environment import find_folders
from toolgate.model.effect import Effects
from toolgate.model.errors import StoreError
from toolgate.model.event import Scene, ToolCall, ToolFailed, ToolResult
from toolgate.model.store import MADE, Document, Store, ledger_key
from toolgate.model.world import World

from .ledger import KEEP_SECONDS

OpenStore = Callable[[], Store]
_NANOSECONDS = 1_000_000_000


def record_candidates(event: ToolCall, effects: Effects, world: World, now: float, open_store: OpenStore) -> None:
    """Records the paths that a permitted call creates or changes if it ends well."""
    scene = event.scene
    paths = [path for path in creations.list_created_paths(effects) if not path.startswith("/dev/")]
    if not paths or not event.call or not scene.caller.session:
        return
    at = int(now * _NANOSECONDS)

    def add(facts: Document) -> tuple[Document, None]:
        return creations.add_pending(facts, event.call, paths, world, at), None

    if _update(scene, add, now, open_store):
        audit.mark_first_time(find_folders(scene.environ, scene.home).cache, scene.caller.session, MADE)


def settle_result(event: ToolResult | ToolFailed, world: World, now: float, open_store: OpenStore) -> None:
    """Makes the session's own what the call of this result has created."""
    proves = isinstance(event, ToolResult) and not _is_in_background(event.response)

    def settle(facts: Document) -> tuple[Document, None]:
        return creations.settle_pending(facts, event.call, world, proves=proves), None

    _update(event.scene, settle, now, open_store)


def _update(scene: Scene, change: Callable[[Document], tuple[Document, None]], now: float, open_store: OpenStore) -> bool:
    """Returns whether the store accepted the change. Without it, nothing is the session's own."""
    try:
        open_store().update(ledger_key(scene.caller.host, scene.caller.session, MADE), change, now, now + KEEP_SECONDS)
    except StoreError:
        return False
    return True


def _is_in_background(response: object) -> bool:
    """Returns whether the result was reported at the start of a call that goes on."""
    if not isinstance(response, Mapping):
        return False
    return bool(response.get("backgroundTaskId") or response.get("isAsync")) or response.get("status") == "async_launched"
