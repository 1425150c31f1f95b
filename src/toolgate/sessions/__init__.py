"""State beyond one call: approvals, counters, budgets. Connects the pure decision with the store.

State is lazy: a call that needs none opens no store. Where the store fails, nothing is assumed about its contents; decisions that
do not need it are unaffected.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from toolgate import audit, designs, stores
from toolgate.machine.environment import find_folders
from toolgate.model.event import Scene
from toolgate.model.rule import Policy
from toolgate.model.store import Scope, Store
from toolgate.policy.cache_storage import CacheStorage, FolderStorage

if TYPE_CHECKING:
    from toolgate.audit.record import OutcomeRecord, Record


class AnswerWays(NamedTuple):
    """How a person may answer a request: the command for it, and whether an answer in the conversation counts."""

    command: str = "toolgate approve"
    in_conversation: bool = True


USER_ANSWER_WAYS = AnswerWays()


@dataclass(slots=True)
class Stores:
    """Persistent state and its location: the stores that this process has opened, kept for the next call; the audit; the cache.
    All of it belongs to the user, unless a supervisor keeps it (transport/supervised_call.py)."""

    _met: dict[tuple[str, str], Store] = field(default_factory=dict)
    ways: AnswerWays = USER_ANSWER_WAYS
    _places: set[str] = field(default_factory=set)

    def find_store(self, scene: Scene, policy: Policy) -> Store:
        """Returns the store of a scene, without opening it. Raises StoreError for a URL that names no store."""
        key = choose_store_url(policy, scene.environ), find_folders(scene.environ, scene.home).state
        if key not in self._met:
            self._met[key] = stores.find_store(*key)
        return self._met[key]

    def has_document(self, scene: Scene, name: str) -> bool:
        """Returns whether this session has a marked document (model.store.MARKED): otherwise no store is opened for it."""
        return audit.is_marked(find_folders(scene.environ, scene.home).cache, scene.caller.session, name)

    def can_record(self, scene: Scene) -> bool:
        """Returns whether there is a place for the audit. A missing home folder is not created; it is looked for once."""
        state = find_folders(scene.environ, scene.home).state
        if state not in self._places and (not state.startswith(f"{scene.home}/") or os.path.isdir(scene.home)):
            self._places.add(state)
        return state in self._places

    def record_call(self, scene: Scene, record: "Record | OutcomeRecord", policy: Policy) -> str:
        """Adds to the audit. Returns what went wrong, in a sentence for the user; empty when nothing did."""
        return audit.write_record(self.audit_folder(scene), record, policy.log_limits)

    def audit_folder(self, scene: Scene) -> str:
        return f"{find_folders(scene.environ, scene.home).state}/audit"

    def make_checkpoint(self, scene: Scene, now: float) -> dict[str, object] | None:
        """Returns a checkpoint of the audit; None where there is none."""
        from toolgate.audit.checkpoints import make_checkpoint_of_head

        try:
            return make_checkpoint_of_head(self.audit_folder(scene), now)
        except OSError:
            return None

    def open_shelf(self, scene: Scene) -> CacheStorage:
        return FolderStorage(find_folders(scene.environ, scene.home).cache)


def choose_store_url(policy: Policy, environ: Mapping[str, str]) -> str:
    """Returns the URL of the store: as fixed by the organisation, else of the environment, else of the user; empty: a file in the
    state folder."""
    named = "" if policy.store_is_fixed else environ.get("TOOLGATE_STORE_URL", "")
    return named or policy.store


def session_scope(scene: Scene) -> Scope:
    return Scope("session", f"{scene.caller.host}/{scene.caller.session}")


def list_approval_scopes(scene: Scene) -> tuple[Scope, ...]:
    """Returns the scopes in which an approval for this scene may be stored: its session, its iteration where it has one, its
    project."""
    iteration = scene.environ.get(designs.PLAN_FOLDER_VARIABLE, "")
    between = (Scope("iteration", iteration),) if iteration else ()
    return (session_scope(scene), *between, Scope("project", scene.project))


def may_have_plan(in_force: Policy, scene: Scene) -> bool:
    """Returns whether the plan rule is configured and something names a plan: only then one is searched."""
    ruling = in_force.rulings.get("plan.unplanned")
    named = designs.PLAN_FOLDER_VARIABLE in scene.environ or in_force.profile == designs.PLAN_PROFILE
    return ruling is not None and (named or bool(ruling.options))
