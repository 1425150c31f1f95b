"""Arguments of a call that lift a safeguard for what the call does: `unlock_period: true`, `safety_zone: "override"`."""

import re
from collections.abc import Iterable

_LIFTING_SWITCH = re.compile(
    r"(?:unlock|reopen)(?:period|month|year|books?|account|journal|ledger|quarter|fiscal)\w*"
    r"|bypass(?!cache|cdn|proxy|queue)\w+"
    r"|(?:ignore|override|disable|skip|suppress|defeat|relax)\w*"
    r"(?:limits|safety|interlock|failsafe|approvals?|compliance|kyc|aml|fraud\w*|sanctions?|guardrails?|riskchecks?|lockout)"
    r"|(?:ignore|override|disable|bypass)\w*(?:validations?|checks|locks?|controls|review)|skip(?:safety\w*|validations?|review)"
)
"""Matches a folded argument that lifts a safeguard when it is true."""
_SAFEGUARD = re.compile(
    r"\w*(?:safety(?!settings|filter|level|tolerance|checker)|interlock|failsafe|geofence|emergencystop|estop)\w*|collision(?:check|avoid|detect)\w*"
    r"|(?:torque|speed|force|dose|temperature|current|position|credit|risk)limit(?:s|er|check)?|guardrails?|limitcheck\w*"
)
"""Matches a folded argument whose value says whether a safeguard is on."""
_LIFTED_VALUES = frozenset(
    "override overridden off disabled disable bypass bypassed none ignore ignored muted suppressed skip defeated".split()
)


def lifts_safeguard(leaves: Iterable[tuple[str, object]]) -> bool:
    """Returns whether an argument unlocks, overrides or ignores what protects people, machines or books."""
    return any(_lifts(key, value) for key, value in leaves if len(key) <= _MAX_KEY)


def _lifts(key: str, value: object) -> bool:
    if value is True:
        return _LIFTING_SWITCH.fullmatch(key) is not None
    is_off = value is False or (isinstance(value, str) and value.lower() in _LIFTED_VALUES)
    return is_off and _SAFEGUARD.fullmatch(key) is not None


_MAX_KEY = 60
