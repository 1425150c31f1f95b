"""Rewrites a call that is stopped only for a word in it, where the policy says `rewrite = true`.

The rewritten call is judged like any other, and must have the same commands except for that word: the edit itself is never
trusted.
"""

import re
from collections.abc import Callable

from toolgate.judge import blocking_findings
from toolgate.model.action import RunShell
from toolgate.model.decision import Decision, Finding, RewrittenCommand, Verdict
from toolgate.model.effect import Effects, Run
from toolgate.model.event import ToolCall
from toolgate.model.rule import Policy

REWRITE_NOTE = "The policy leaves out what this is stopped for: it runs as `{command}`."
Judged = tuple[Effects, Decision]


def rewrite_call(
    event: ToolCall, effects: Effects, decision: Decision, policy: Policy, judge: Callable[[RunShell], Judged]
) -> Decision:
    """Returns the decision on the call without the word that it is stopped for, or the former decision."""
    if not isinstance(event.action, RunShell) or event.action.language != "shell":
        return decision
    found = blocking_findings(decision.findings, policy)
    words = {word for finding in found for word in finding.match.without}
    if not found or not all(finding.match.without and not finding.match.effect.origin.via for finding in found):
        return decision
    text = _remove_words(event.action.text, found)
    if text == event.action.text:
        return decision
    reached, allowed = judge(event.action._replace(text=text))
    if allowed.verdict >= Verdict.ASK or _list_commands(effects, words) != _list_commands(reached, frozenset()):
        return decision
    note = REWRITE_NOTE.format(command=text)
    return Decision(
        decision.judged, Verdict.WARN, decision.findings, (), tell_user=note, tell_agent=note, rewrite=RewrittenCommand(text)
    )


def _remove_words(text: str, findings: tuple[Finding, ...]) -> str:
    """Returns the text without those words, each within its own command."""
    cuts: set[tuple[int, int]] = set()
    for finding in findings:
        start, end = finding.match.effect.origin.span
        for word in finding.match.without:
            places = re.finditer(rf"[ \t]+{re.escape(word)}(?=[ \t]|$|[;&|\n)])", text[start:end])
            cuts |= {(start + place.start(), start + place.end()) for place in places}
    for start, end in sorted(cuts, reverse=True):
        text = text[:start] + text[end:]
    return text


def _list_commands(effects: Effects, excluded: set[str] | frozenset[str]) -> list[list[str | None]]:
    runs = (each for each in effects.all if isinstance(each, Run))
    return [[word.text for word in each.argv if word.text not in excluded] for each in runs]
