"""Changing by hand the records that bind a team's agents: its lockouts, its security audit, its policies.

Lockouts change by `toolgate lockout`, the audit by the gate alone; only the person and the coordinator change
`config/policies.json`.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.rule import Context

from .context import agent, team
from .context.changes import Changing, changes

RECORDS = ("lockout.json", "security-audit.log")
POLICIES = "config/policies.json"


def check(effect: Changing, _options: None, context: Context) -> Iterator[Match]:
    files = RECORDS if agent(context).role == "coordinator" else (*RECORDS, POLICIES)
    for change in changes(effect, context):
        if (sure := team(context).reaches(change.place, *files, whole=change.whole)) is not False:
            yield Match(
                effect, f"{change.place.shown} is, or holds, what binds the team: no agent changes it by hand.", sure=sure
            )
            return
