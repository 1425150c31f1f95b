"""The design's message to the agent, and its names of rules."""

from toolgate.judge import describe_operand, explain_findings, heaviest_finding
from toolgate.model.decision import Finding, Verdict
from toolgate.model.effect import Delete, Effect, Operation, list_places
from toolgate.model.rule import Policy


def explain(findings: list[Finding], policy: Policy) -> str:
    """Returns the message in the design's form, followed by what the agent can do without the user."""
    first = heaviest_finding(findings)
    if first is None or first.verdict < Verdict.ASK:
        return explain_findings(findings, policy)
    targets = [place.display_text for place in list_places(first.match.effect)] or [describe_operand(first.match.effect)]
    how = (
        "To proceed, the user has to allow it; then make exactly the same call again."
        if first.verdict is Verdict.ASK and policy.human
        else "This cannot be confirmed."
    )
    lines = (f"GUARDRAIL BLOCKED: {first.match.reason}", f"Target: {', '.join(dict.fromkeys(targets))}")
    remedy = (f"Instead: {first.match.remedy}",) if first.match.remedy else ()
    return "\n".join((*lines, f"Rule: {name_rule(first, policy)}", "", how, *remedy))


def name_rule(finding: Finding, policy: Policy) -> str:
    """Returns the design's name of a finding's rule: `kubernetes.delete:uninstall` comes before `kubernetes.delete`."""
    names = policy.names
    return names.get(f"{finding.rule}:{_qualify(finding.match.effect)}") or names.get(finding.rule, finding.rule)


def _qualify(effect: Effect) -> str:
    """Returns the first word of an operation's target, and where a deleted place is: `blocked` or `home`."""
    if isinstance(effect, Operation):
        return effect.target.display_text.partition(" ")[0] if effect.target else ""
    if not isinstance(effect, Delete) or effect.place.path == "/" or effect.place.is_anywhere:
        return ""
    return (
        "blocked" if effect.place.inside & {"blocked", "system"} else "home" if effect.place.above | effect.place.inside else ""
    )
