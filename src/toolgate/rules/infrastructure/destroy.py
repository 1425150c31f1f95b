"""Destroying infrastructure, or the record of it.

Machines, networks and data are lost with it. `terraform plan -destroy` shows what would be destroyed.
"""

from collections.abc import Iterator

from toolgate.flows.started_services import is_started_here
from toolgate.model.decision import Match
from toolgate.model.effect import Delete, Operation
from toolgate.model.rule import RuleContext

_STATE_FILES = ("terraform.tfstate", "terraform.tfstate.backup")

_ADVICE = "list what would change, and show the user."


def check(destroy: Operation | Delete, _options: None, context: RuleContext) -> Iterator[Match]:
    if isinstance(destroy, Delete):
        if (destroy.place.path or "").rpartition("/")[2] in _STATE_FILES:
            message = f"Deletes {destroy.place.display_text}, the only record of which infrastructure exists."
            yield Match(destroy, message, "keep a copy, and let the user delete it.")
        return
    if destroy.get_flag("dry_run") is True or is_started_here(destroy, context.effects):
        return
    what = context.effects.describe(destroy) or "a resource"
    if destroy.get_flag("record") is True:
        reason = f"Changes the record of which infrastructure exists: {what}. The next run may create or destroy resources."
        yield Match(destroy, reason, "terraform state list", advice=_ADVICE)
    elif destroy.get_flag("unseen") is True:
        reason = f"Applies an unreviewed plan: {what}. Resources that it replaces are destroyed first."
        yield Match(destroy, reason, "terraform plan -out=tf.plan", advice=_ADVICE)
    else:
        yield Match(destroy, f"Destroys infrastructure: {what}.", "terraform plan -destroy", advice=_ADVICE)
