"""Changing by hand the records that bind a team's agents: its lockouts, its security audit, its policies.

Lockouts change by `toolgate lockout`, the audit by the gate alone; only the person and the coordinator change
`config/policies.json`.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.rule import RuleContext

from .context import calling_agent, find_team
from .context.changes import FileChange, iter_changes

RECORD_FILES = ("lockout.json", "security-audit.log")
POLICY_FILE = "config/policies.json"


def check(effect: FileChange, _options: None, context: RuleContext) -> Iterator[Match]:
    files = RECORD_FILES if calling_agent(context).role == "coordinator" else (*RECORD_FILES, POLICY_FILE)
    for change in iter_changes(effect, context):
        if (sure := find_team(context).reaches_files(change.place, *files, whole=change.whole)) is not False:
            yield Match(
                effect,
                f"Changes {change.place.display_text}, which holds the team's own records.",
                "let the coordinator record it.",
                sure,
            )
            return
