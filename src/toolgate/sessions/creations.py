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
    """Records the paths and branches that a permitted call creates or changes if it ends well. The session is marked with its
    first fact."""
    scene = event.scene
    if not event.call or not scene.caller.session:
        return
    paths = [path for path in creations.list_created_paths(effects) if not path.startswith("/dev/")]
    at = int(now * _NANOSECONDS)

    def add(facts: Document) -> tuple[Document, bool]:
        after = creations.add_pending(facts, event.call, paths, effects, world, at)
        return after, after is not facts and not facts

    if _update(scene, add, now, open_store):
        audit.mark_first_time(find_folders(scene.environ, scene.home).cache, scene.caller.session, MADE)


def settle_result(event: ToolResult | ToolFailed, world: World, now: float, open_store: OpenStore) -> None:
    """Makes the session's own what the call of this result has created."""
    proves = isinstance(event, ToolResult) and not _is_in_background(event.response)

    def settle(facts: Document) -> tuple[Document, bool]:
        return creations.settle_pending(facts, event.call, world, proves=proves), True

    _update(event.scene, settle, now, open_store)


def _update(scene: Scene, change: Callable[[Document], tuple[Document, bool]], now: float, open_store: OpenStore) -> bool:
    """Returns what the change answers; False if the store did not accept it: then nothing is the session's own."""
    key = ledger_key(scene.caller.host, scene.caller.session, MADE)
    try:
        return open_store().update(key, change, now, now + KEEP_SECONDS)
    except StoreError:
        return False


def _is_in_background(response: object) -> bool:
    """Returns whether the result was reported at the start of a call that goes on."""
    if not isinstance(response, Mapping):
        return False
    return bool(response.get("backgroundTaskId") or response.get("isAsync")) or response.get("status") == "async_launched"
