"""Acts that bind somebody or reach people: decisions, filings, cancellations, notices, checks that are overridden.

`flight.setStatus`, `rx.dispense` and `efile_submit` belong to as many trades as there are organisations. What they share is a
verb that decides, a state that is decided, or a switch by which people learn of it.
"""

import re

from .data_keys import is_data_key
from .names import split_words

Leaves = list[tuple[str, object]]
DECIDING_VERBS = frozenset(
    "approve reject deny cancel submit efile sign countersign tender award certify ratify dispense discard discharge administer "
    "prescribe void reverse settle redeem liquidate dispatch immobilize immobilise disarm quarantine isolate recall divert "
    "evacuate announce evict fire hire dismiss release enact adjudicate garnish foreclose repossess eviction disconnect".split()
)
_NOTICES = frozenset("notice letter warning citation summons fine penalty recall reprimand".split())
_OWN_WORK = frozenset(
    "run runs build builds job jobs workflow workflows pipeline pipelines task tasks review reviews pr pull mr merge suggestion "
    "suggestions form query edit edits change selection dialog upload download timer session operation operations analysis "
    "breakpoint evaluation experiment sweep prompt code test tests solution answer feedback".split()
)
"""What such a verb is about in the daily work of an agent."""
_WORKBENCHES = frozenset(
    "git github gitlab bitbucket gitea filesystem memory obsidian notion linear jira atlassian asana trello monday clickup figma "
    "excalidraw drawio unity godot blender ide vscode jetbrains jupyter xcode xcodebuild simulator playwright browser puppeteer "
    "thinking serena dbt wandb mlflow ableton leetcode kaggle".split()
)
"""Servers on which an agent does its own work."""
_STATE_KEYS = frozenset("status decision outcome verdict state disposition ruling".split())
_DECIDED = frozenset("approved denied rejected signed awarded cancelled canceled voided granted revoked".split())
_NOTIFIES = re.compile(
    r"(?:notify|email|mail|sms|text|alert|inform)(?:the)?(?:applicants?|attendees?|guests?|customers?|clients?|pax|passengers?|users?"
    r"|members?|all|everyone|everybody|parents?|participants?|students?|patients?|tenants?|recipients?|subscribers?|candidates?"
    r"|buyers?|drivers?|staff|employees?|residents?|voters?)?"
    r"|delivernotifications?|send(?:letter|notice|email|mail|sms|notification|message|confirmation)s?(?:to\w+)?"
)
"""Matches a folded argument by which people learn of an act when it is true."""
_PAYMENT_FORMS = re.compile(r"(?:formof|method)?payment(?:form|method|token|card)?(?:id)?|cardtoken|creditcard")
_BUYING = frozenset("issue ticket tickets book order buy checkout renew subscribe purchase confirm".split())
_ACCEPTS = re.compile(
    r"(?:i)?(?:accept|agree)(?:ed|to)?(?:the)?(?:terms|tos|conditions|contract|quote)\w*|terms(?:accepted|agreed)"
)
_DESTROYS = re.compile(
    r"(?:delete|purge|wipe|drop|destroy|erase)(?:existing|old|previous|all|extraneous|removed|missing|orphans?|destination)(?!branch|sourcebranch)\w*"
)
"""Matches an argument that has what there is deleted."""
_OVERRIDES = re.compile(r"\w+override|override\w+")
_PAYS_NOW = re.compile(r"(?:execute|submit|send|release|make)(?:transfer|payment|order|trade|payout)")


def find_decision(server_words: frozenset[str], words: frozenset[str], leaves: Leaves, *, about_text: bool) -> str | None:
    """Returns the kind of act of a call that decides something for others. `server_words`: those of the server's name;
    `words`: those of the tool's; `about_text`: the tool is for texts and tickets, of which a state decides nothing."""
    if server_words & _WORKBENCHES or not leaves:
        return None
    is_notice = "issue" in words and words & _NOTICES
    if (words & DECIDING_VERBS or is_notice or {"write", "off"} <= words) and not words & _OWN_WORK and not about_text:
        return "binds"
    if any(_PAYMENT_FORMS.fullmatch(key) for key, _ in leaves) and words & _BUYING:
        return "pays"
    costs = [value for key, value in leaves if key.endswith(("amount", "price", "cost")) and isinstance(value, int | float)]
    if words & {"confirm", "accept"} and words & {"cost", "costs", "price", "quote", "offer"} and max(costs, default=1) >= 1:
        return "pays"
    if any(value is True and (_ACCEPTS.fullmatch(key) or _DESTROYS.fullmatch(key)) for key, value in leaves):
        return "binds" if any(_ACCEPTS.fullmatch(key) for key, _ in leaves) else "deletes"
    if any(value is True and _PAYS_NOW.fullmatch(key) for key, value in leaves):
        return "pays"
    if any(value is True and _NOTIFIES.fullmatch(key) for key, value in leaves):
        return "sends"
    if any(value is True and _OVERRIDES.fullmatch(key) for key, value in leaves):
        return "weakens"
    if about_text:
        return None
    decided = (value for key, value in leaves if key in _STATE_KEYS and isinstance(value, str) and not is_data_key(key))
    return "binds" if any(not _DECIDED.isdisjoint(split_words(value)) for value in decided) else None
