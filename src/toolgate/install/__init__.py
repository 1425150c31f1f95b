"""Registers the gate with a host, and removes it."""

from .command import client, own_command
from .own_file import node_package
from .plan import (
    EDITED_SCOPES,
    ROOTS,
    Change,
    Command,
    Plan,
    apply,
    in_words,
    must_start,
    plan_install,
    plan_registration,
    plan_uninstall,
    with_layout,
)
from .trust import plan_trust, without_trust
from .wiring import Problem, check_wiring

__all__ = [
    "EDITED_SCOPES",
    "ROOTS",
    "Change",
    "Command",
    "Plan",
    "Problem",
    "apply",
    "check_wiring",
    "client",
    "in_words",
    "must_start",
    "node_package",
    "own_command",
    "plan_install",
    "plan_registration",
    "plan_trust",
    "plan_uninstall",
    "with_layout",
    "without_trust",
]
