"""The values that a key of a policy may have, as error messages name them."""

from typing import get_args

from . import forms
from .strictness import SWITCHES

_VALUES_BY_KEY = {
    "verdict": ", ".join(get_args(forms.VerdictWord)),
    "unsure": ", ".join(get_args(forms.VerdictWord)),
    "cap": ", ".join(get_args(forms.Raised)),
    "log": "off, interventions, decisions",
    "human": "true, false",
    "redact": "on, off",
    "placeholders": "keyed, labels",
    "addresses": "people, all",
    "wrap_commands": "true, false",
    "rewrite": "true, false",
    "undo": "on, off",
    "answer_prompts": "off, read-only, granted",
    **{name: ", ".join(map(str, SWITCHES[name][::-1])) for name in SWITCHES if name.startswith("on_")},
}


def suggest_values(key: tuple[str | int, ...]) -> str:
    """Returns what a key of a policy may be set to, for an error message."""
    last = next((part for part in reversed(key) if isinstance(part, str)), "")
    if last in _VALUES_BY_KEY:
        values = _VALUES_BY_KEY[last].replace("pass, ", "") if key[0] == "rule" and last == "verdict" else _VALUES_BY_KEY[last]
        return f"one of {values}"
    return "`toolgate policy schema` has the form"
