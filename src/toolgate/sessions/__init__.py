"""What holds beyond one call: approvals, counters, budgets. Between the decision, which is pure, and the store that remembers.

State is lazy: a call that needs none opens no store. Where the store fails, nothing is assumed that it might have said; what
does not need it is decided as ever.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from toolgate import audit, stores
from toolgate.machine.environment import folders
from toolgate.model.event import Scene
from toolgate.model.rule import Policy
from toolgate.model.state import LEDGER, Scope, Store
from toolgate.policy.shelf import Folder, Shelf

if TYPE_CHECKING:
    from toolgate.audit.record import Record


class Ways(NamedTuple):
    """How a person may answer a request: the command for it, and whether an answer in the conversation counts."""

    command: str = "toolgate approve"
    in_conversation: bool = True


BY_THE_USER = Ways()


@dataclass(slots=True)
class Stores:
    """What outlasts a call, and where: the stores that this process has met, kept open for the next one; the record; what was
    worked out before. All of it is the user's own, unless a supervisor has it (transport/errand.py)."""

    _met: dict[tuple[str, str], Store] = field(default_factory=dict)
    ways: Ways = BY_THE_USER

    def of(self, scene: Scene, policy: Policy) -> Store:
        """Opens nothing by itself. Raises StoreError for a URL that names no store."""
        key = address(policy, scene.environ), folders(scene.environ, scene.home).state
        if key not in self._met:
            self._met[key] = stores.store(*key)
        return self._met[key]

    def has_ledger(self, scene: Scene) -> bool:
        """Whether anything was kept in this session's ledger: else no store is opened for it."""
        return audit.is_marked(folders(scene.environ, scene.home).cache, scene.caller.session, LEDGER)

    def can_record(self, scene: Scene) -> bool:
        """Whether there is a place for the audit. A home folder that is not there is not made."""
        return not folders(scene.environ, scene.home).state.startswith(f"{scene.home}/") or os.path.isdir(scene.home)

    def record(self, scene: Scene, record: "Record") -> str:
        """Adds to the audit. What went wrong, in a sentence for the user; empty when nothing did."""
        return audit.write(f"{folders(scene.environ, scene.home).state}/audit", record)

    def shelf(self, scene: Scene) -> Shelf:
        return Folder(folders(scene.environ, scene.home).cache)


def address(policy: Policy, environ: Mapping[str, str]) -> str:
    """The URL of the store: by the organisation's word, the environment's, the user's; empty: a file in the state folder."""
    named = "" if policy.store_is_fixed else environ.get("TOOLGATE_STORE_URL", "")
    return named or policy.store


def session_of(scene: Scene) -> Scope:
    return Scope("session", f"{scene.caller.host}/{scene.caller.session}")


def scopes_of(scene: Scene) -> tuple[Scope, ...]:
    """Where an approval for this scene may stand: its session, its iteration where it has one, its project."""
    iteration = scene.environ.get("NOUS_ITER_DIR", "")
    between = (Scope("iteration", iteration),) if iteration else ()
    return (session_of(scene), *between, Scope("project", scene.project))


def may_have_a_plan(in_force: Policy, scene: Scene) -> bool:
    """Only where the rule could come to anything, and something leads to a plan: then alone is one looked for."""
    ruling = in_force.rulings.get("plan.unplanned")
    return ruling is not None and ("NOUS_ITER_DIR" in scene.environ or bool(ruling.options) or in_force.profile == "nous-plan")
