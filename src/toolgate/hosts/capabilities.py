"""What a host does with each answer, how it behaves when the gate fails, and which calls reach its hooks.

`hosts/<host>/capabilities.toml` holds the values as measured in the real client; the end-to-end tests compare the client with it.
The wire answers, the pages of the documentation and `toolgate doctor` use this table alone.
"""

from collections.abc import Mapping
from functools import cache
from typing import Literal, NamedTuple

from . import HOSTS

Outcome = Literal["held", "open", "harmless", "ends the run", "not tried"]

VOCABULARY: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "call": {
        "allow": ("skips the question", "no opinion", "none"),
        "ask": ("asks", "runs", "ends the run", "none"),
        "deny": ("refuses", "ends the run"),
        "warn": ("to the agent", "beside the result", "none"),
        "notice": ("to the user", "to the user, unless denied", "none"),
        "rewrite": ("applies", "without substitutions", "ignored", "none"),
        "silence": ("the host decides",),
    },
    "result": {
        "redact": ("parts", "the whole", "none"),
        "withhold": ("yes", "no"),
        "failed calls": ("shown raw", "redacted", "not tried"),
    },
    "faults": dict.fromkeys(
        ("crash", "hang", "missing program", "no output", "bad output", "unknown key"),
        ("held", "open", "harmless", "ends the run", "not tried"),
    ),
    "reach": dict.fromkeys(
        ("edits", "subagents", "background shells", "MCP", "plan mode"), ("yes", "in part", "no", "not offered", "not tried")
    ),
}
"""Section -> key -> its possible values. Every host has every key."""

NO_QUESTION_REASONS: Mapping[str, str] = {
    "runs": "This client runs a call that a hook asks about.",
    "ends the run": "This client ends the run where a hook asks.",
    "none": "This client lets no hook ask its user.",
}


class Capabilities(NamedTuple):
    """`proof`: the real client, or documents alone. `activation`: what has to happen after `toolgate install`; empty where
    nothing has to. `gaps`: calls that bypass the gate, a sentence each."""

    title: str
    client: str
    version: str
    proof: Literal["client", "documents"]
    activation: str
    sections: Mapping[str, Mapping[str, str]]
    gaps: tuple[str, ...]

    @property
    def no_question(self) -> str:
        """Why the host does not put a question to its user; empty where it does."""
        asking = self.sections["call"]["ask"]
        return "" if asking == "asks" else NO_QUESTION_REASONS[asking]

    @property
    def can_rewrite(self) -> bool:
        return self.sections["call"]["rewrite"] in ("applies", "without substitutions")

    @property
    def can_wrap(self) -> bool:
        """Whether a command may be rewritten to any other, with substitutions in it."""
        return self.sections["call"]["rewrite"] == "applies"

    @property
    def shows_notice_of_denial(self) -> bool:
        """Whether the user sees a message of the hook beside a denied call."""
        return self.sections["call"]["notice"] == "to the user"

    @property
    def open_faults(self) -> tuple[str, ...]:
        """The failures of the gate under which this host runs the call."""
        return tuple(fault for fault, outcome in self.sections["faults"].items() if outcome == "open")

    @property
    def unguarded_kinds(self) -> tuple[str, ...]:
        """The kinds of calls of which some or all do not reach the hook."""
        return tuple(kind for kind, reaches in self.sections["reach"].items() if reaches in ("no", "in part"))


@cache
def load_capabilities(host: str) -> Capabilities:
    """Raises KeyError for a host that is not in the table."""
    import tomllib  # needed only for a question, a rewrite or a page
    from importlib.resources import files

    text = files(__package__).joinpath(HOSTS[host], "capabilities.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    return Capabilities(
        title=table["title"],
        client=table["client"],
        version=table["version"],
        proof=table["proof"],
        activation=table.get("activation", ""),
        sections={name: dict(table[name]) for name in VOCABULARY},
        gaps=tuple(table["gaps"]),
    )
