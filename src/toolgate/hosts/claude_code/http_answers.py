"""Encodes answers for hooks that Claude Code posts instead of starting: there is no exit code, only a body."""

import json

from toolgate.model.request import Answer


def render_body(answer: Answer) -> str:
    """Never empty: an empty body is no opinion, which only silence may be."""
    if answer.stdout:
        return answer.stdout
    return json.dumps({"decision": "block", "reason": answer.stderr}) if answer.exit_code else "{}"
