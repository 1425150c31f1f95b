"""The form that answers had before `hookSpecificOutput`: `{"decision": "block", "reason": ...}`, which the client still takes.

`{"decision": "allow"}` fails its validation and counts as no answer, so it is never sent to a live client: `codec` is for whoever
compares with the old form.
"""

import json

from toolgate.model.decision import Decision, Verdict
from toolgate.model.request import SILENCE, Answer


def answer(decision: Decision) -> Answer:
    """For a live client: a no in the old form, with the exit code that counts by itself; silence otherwise."""
    return Answer(codec(decision), _reason(decision), 2) if decision.verdict >= Verdict.ASK else SILENCE


def codec(decision: Decision) -> str:
    if decision.verdict >= Verdict.ASK:
        return json.dumps({"decision": "block", "reason": _reason(decision)})
    return json.dumps({"decision": "allow"})


def _reason(decision: Decision) -> str:
    return decision.tell_agent or decision.tell_user
