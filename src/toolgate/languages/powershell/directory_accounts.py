"""Accounts of a directory (Active Directory, Entra ID, Exchange, Google Workspace) that a cmdlet locks."""

import re

_LOCKING_CMDLETS = frozenset(
    (
        *("disable-adaccount", "revoke-azureaduserallrefreshtoken", "revoke-mgusersigninsession", "disable-mailbox"),
        *("invoke-mginvalidateuserrefreshtoken", "disable-remotemailbox", "suspend-gsuser"),
    )
)
_SETTING_CMDLETS = frozenset("update-mguser update-mgbetauser set-aduser set-azureaduser set-msoluser update-gsuser".split())
_LOCKS = re.compile(
    r"-(?:Account)?Enabled(?::|\s)\s*\$?(?:false|0)\b|\bAccountEnabled[\"']?\s*[=:]\s*\$?false\b"
    r"|-(?:BlockCredential|Suspended)(?::|\s)\s*\$?(?:true|1)\b",
    re.IGNORECASE,
)
_ONLY_TELLS = re.compile(r"-WhatIf\b(?!:\s*\$false)", re.IGNORECASE)


def locks_out(cmdlet: str, text: str) -> bool:
    """Returns whether a cmdlet locks accounts, or ends their sessions. `text`: the whole command."""
    locks = cmdlet in _LOCKING_CMDLETS or (cmdlet in _SETTING_CMDLETS and _LOCKS.search(text) is not None)
    return locks and _ONLY_TELLS.search(text) is None
