"""Reading or setting the user's identity in git: `user.email` and what prints it.

An address is personal data, and git adds it to commits by itself. Off except where a team's rules require it.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation, Read
from toolgate.model.place import LOCAL
from toolgate.model.rule import RuleContext

_GIT_CONFIG_FILES = ("/.gitconfig", "/.config/git/config", "/etc/gitconfig")

_ADVICE = "ask the user for the address."


def check(effect: Operation | Read, _options: None, context: RuleContext) -> Iterator[Match]:
    if isinstance(effect, Operation):
        yield Match(effect, f"Reads or sets the user's e-mail address: {context.effects.quote_command(effect)}.", _ADVICE)
    elif effect.place.machine == LOCAL and (effect.place.path or "").endswith(_GIT_CONFIG_FILES):
        yield Match(effect, f"Reads {effect.place.display_text}, which holds the user's e-mail address.", _ADVICE)
