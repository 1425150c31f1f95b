"""Stopping, disabling, masking or restarting a service of the system.

Others may depend on it, and a disabled service does not start with the machine. `systemctl status` shows it; services of your own
(`systemctl --user`) and of containers pass.
"""

from collections.abc import Iterator

from toolgate.flows.started_services import is_started_here
from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext

_ACTION_VERBS = {"stop": "stops", "disable": "disables", "restart": "restarts"}


def check(control: Operation, _options: None, context: RuleContext) -> Iterator[Match]:
    if control.get_flag("user") is True or control.origin.site.machine.startswith("container:"):
        return
    if is_started_here(control, context.effects):
        return
    for name, does in _ACTION_VERBS.items():
        if control.get_flag(name) is True:
            target = control.target.display_text if control.target else ""
            message = (
                f"{does.capitalize()} {target}, a service of the system."
                if target
                else f"{does.capitalize()} services of the system."
            )
            yield Match(
                control, message, f"systemctl status {target}".strip(), advice="look at its state, and let the user do it."
            )
            return
