"""Destroying infrastructure, or the record of it.

Machines, networks and data are lost with it. `terraform plan -destroy` shows what would be destroyed.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Delete, Operation
from toolgate.model.rule import RuleContext

_STATE_FILES = ("terraform.tfstate", "terraform.tfstate.backup")


def check(destroy: Operation | Delete, _options: None, _context: RuleContext) -> Iterator[Match]:
    if isinstance(destroy, Delete):
        if (destroy.place.path or "").rpartition("/")[2] in _STATE_FILES:
            yield Match(destroy, f"Deletes the record of what infrastructure there is ({destroy.place.display_text}).")
        return
    if destroy.get_flag("dry_run") is True:
        return
    what = f" ({destroy.target.display_text})" if destroy.target and destroy.target.parts else ""
    if destroy.get_flag("record") is True:
        reason = f"Changes the record of what infrastructure there is{what}: the next run may create or destroy things."
        yield Match(destroy, reason, instead="terraform state list")
    elif destroy.get_flag("unseen") is True:
        reason = "Applies an unreviewed plan: resources that it replaces are destroyed first."
        yield Match(destroy, reason, instead="terraform plan -out=tf.plan")
    else:
        yield Match(destroy, f"Destroys infrastructure{what}.", instead="terraform plan -destroy")
