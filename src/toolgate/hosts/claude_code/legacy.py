"""The answer format before `hookSpecificOutput`: `{"decision": "block", "reason": ...}`, which the client still accepts.

`{"decision": "allow"}` fails its validation and counts as no answer, so it is never sent to a live client: `encode_decision` is
for comparison with the old format.
"""

import json

from toolgate.model.decision import Decision, Verdict
from toolgate.model.request import SILENCE, Answer


def answer(decision: Decision) -> Answer:
    """Returns the answer for a live client: a refusal in the old format, with the exit code that blocks by itself; silence
    otherwise."""
    return Answer(encode_decision(decision), _choose_reason(decision), 2) if decision.verdict >= Verdict.ASK else SILENCE


def encode_decision(decision: Decision) -> str:
    if decision.verdict >= Verdict.ASK:
        return json.dumps({"decision": "block", "reason": _choose_reason(decision)})
    return json.dumps({"decision": "allow"})


def _choose_reason(decision: Decision) -> str:
    return decision.tell_agent or decision.tell_user
