"""Keeps only suggestions that name the same program and that the policy in force permits (law 7)."""

import re
from collections.abc import Callable
from dataclasses import replace

from toolgate import programs, rules
from toolgate.judge import decide
from toolgate.model.action import RunShell
from toolgate.model.decision import Decision, Finding, Verdict
from toolgate.model.effect import Effects, Run
from toolgate.model.rule import Policy

Judge = Callable[[RunShell], Decision]
_ENDS_AS_SENTENCE = re.compile(r"[\w)`}]\.$")


def keep_permitted_suggestions(decision: Decision, effects: Effects, policy: Policy, judge: Judge) -> Decision:
    """Returns the decision with only those suggested commands that would pass; a sentence stays unchanged."""
    if decision.verdict < Verdict.ASK or not any(each.match.instead for each in decision.findings):
        return decision
    called = effects.derive(_list_called_programs)
    answers: dict[str, bool] = {}

    def check_suggestion(finding: Finding) -> Finding:
        text = _name_called_program(finding, called)
        if text and is_command(text):
            if text not in answers:
                answers[text] = judge(RunShell(text)).verdict < Verdict.ASK
            text = text if answers[text] else ""
        return finding if text == finding.match.instead else finding._replace(match=finding.match._replace(instead=text))

    found = tuple(map(check_suggestion, decision.findings))
    if found == decision.findings:
        return decision
    fitted = decide(found, policy, tuple(map(check_suggestion, decision.waived)))
    return replace(decision, findings=found, waived=fitted.waived, tell_user=fitted.tell_user, tell_agent=fitted.tell_agent)


def is_command(text: str) -> bool:
    """Returns whether the text is a command, not a sentence, whose first word may be a program's name (`write it out.`)."""
    return not _ENDS_AS_SENTENCE.search(text) and programs.find_row(text.partition(" ")[0]) is not None


def _list_called_programs(effects: Effects) -> list[str]:
    heads = (effect.argv[0].text for effect in effects.all if isinstance(effect, Run) and effect.argv)
    return list(dict.fromkeys(head.rpartition("/")[2] for head in heads if head))


def _name_called_program(finding: Finding, called_names: list[str]) -> str:
    """Returns the suggestion with the name under which the program was called (`podman` for `docker`), or nothing where the
    command is another program's. A policy's own rule may suggest anything."""
    text = finding.match.instead
    name, blank, rest = text.partition(" ")
    if finding.rule not in rules.TABLE or not is_command(text) or name in called_names:
        return text
    same = next((each for each in called_names if programs.find_row(each) is programs.find_row(name)), "")
    return f"{same}{blank}{rest}" if same else ""
