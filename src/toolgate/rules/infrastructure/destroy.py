"""Destroying infrastructure, or the record of it.

Machines, networks and data are lost with it. `terraform plan -destroy` shows what would be destroyed.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Delete, Operation
from toolgate.model.rule import Context

_STATE = ("terraform.tfstate", "terraform.tfstate.backup")


def check(destroy: Operation | Delete, _options: None, _context: Context) -> Iterator[Match]:
    if isinstance(destroy, Delete):
        if (destroy.place.path or "").rpartition("/")[2] in _STATE:
            yield Match(destroy, f"This deletes the record of what infrastructure there is ({destroy.place.shown}).")
        return
    if destroy.flag("dry_run") is True:
        return
    what = f" ({destroy.target.shown})" if destroy.target and destroy.target.parts else ""
    if destroy.flag("record") is True:
        reason = f"This changes the record of what infrastructure there is{what}: the next run may create or destroy things."
        yield Match(destroy, reason, instead="terraform state list")
    elif destroy.flag("unseen") is True:
        reason = "This carries out a plan that nobody has seen: what is to be replaced would be destroyed."
        yield Match(destroy, reason, instead="terraform plan -out=tf.plan")
    else:
        yield Match(destroy, f"This destroys infrastructure{what}.", instead="terraform plan -destroy")
