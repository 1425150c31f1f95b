"""A session ends, and with it what was approved for it. Counters stay: whoever resumes it finds them as they were."""

from toolgate.consent import approvals
from toolgate.consent.approvals import ASKED
from toolgate.model.event import Scene
from toolgate.model.state import ANSWERS, Key, Store

from . import session_of
from .asking import ENDED, KEPT


def ended(scene: Scene, store: Store, now: float) -> None:
    """Raises StoreError. Parallel sessions are not touched; where nothing was asked, nothing is written."""
    scope = session_of(scene)
    asked, answers = store.load((Key(scope, ASKED), Key(scope, ANSWERS)), now)
    if asked:
        store.update(Key(scope, ASKED), approvals.withdrawn, now, now + KEPT)
    if asked or answers:
        store.update(Key(scope, ENDED), lambda _before: ({"at": now}, None), now, now + KEPT)
