"""Registers the gate with a host, and removes it."""

from .command import find_client_kind, own_command
from .layout import add_layout, remove_layouts
from .own_file import find_node_package
from .plan import (
    EDITED_SCOPES,
    MANAGED_SCOPE,
    Change,
    Command,
    Plan,
    apply_plan,
    plan_install,
    plan_registration,
    plan_uninstall,
    report_os_errors,
    require_startable,
)
from .trust import add_trust_removal, plan_trust
from .wiring import Problem, check_wiring

__all__ = [
    "EDITED_SCOPES",
    "MANAGED_SCOPE",
    "Change",
    "Command",
    "Plan",
    "Problem",
    "add_layout",
    "add_trust_removal",
    "apply_plan",
    "check_wiring",
    "find_client_kind",
    "find_node_package",
    "own_command",
    "plan_install",
    "plan_registration",
    "plan_trust",
    "plan_uninstall",
    "remove_layouts",
    "report_os_errors",
    "require_startable",
]
