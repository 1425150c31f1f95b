"""The page on the designs that toolgate replaces: their profiles, variables and verdicts."""

from collections.abc import Iterator

from rule_pages import verdicts_under

from toolgate.designs import PROFILES, VARIABLES
from toolgate.rules import TABLE

GUIDES = {
    "failover": ("[Safety hook of a fleet](coming-from-failover-hook.md)", "[unattended agents](../fleets.md)"),
    "guardrail-confirm": ("[Guardrail hooks](coming-from-guardrail-hooks.md)", "[the policy](../policy.md)"),
    "nous-plan": ("[Plan enforcer](coming-from-plan-enforcer.md)", "[plans](../plans.md), [campaigns](../campaigns.md)"),
    "squad": ("[Prompt policies of a team](coming-from-squad-policies.md)", "[teams](../teams.md)"),
}


def page() -> str:
    return "\n".join((*_introduction(), *_variables(), *_verdicts())) + "\n"


def _introduction() -> Iterator[str]:
    yield "# Other designs\n"
    yield "toolgate replaces four earlier guards. Each has a profile with its verdicts, and a page for people who come from it.\n"
    yield "| design | profile | guide |\n|---|---|---|"
    for name in sorted(PROFILES):
        design, guide = GUIDES[name]
        yield f"| {design} | `{name}` | {guide} |"
    yield "\nTo use a profile, set `profile` in [your policy](../policy.md). `toolgate rules --profile NAME` lists its verdicts."


def _variables() -> Iterator[str]:
    yield "\n## Variables\n"
    yield "| variable | does |\n|---|---|"
    yield from (f"| `{name}` | {does} |" for name, does in sorted(VARIABLES.items()))


def _verdicts() -> Iterator[str]:
    yield "\n## Verdicts\n"
    yield "For each profile, the rules whose verdicts differ from those of the profile `default`. Of two verdicts, the second is"
    yield "for a match that only running the call would confirm."
    for name in sorted(PROFILES):
        yield f"\n### {name}\n"
        yield f"| rule | default | {name} |\n|---|---|---|"
        for rule, row in sorted(TABLE.items()):
            usual, here = verdicts_under("default", rule, row), verdicts_under(name, rule, row)
            if usual != here:
                yield f"| [`{rule}`](../rules/{rule.replace('.', '/')}.md) | {usual} | {here} |"
