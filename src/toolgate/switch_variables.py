"""Variables of the environment that switch an act on, such as `APPLY=1`. A call that sets none leaves the act off.

Who runs a program with such a switch sets it in the call, where it is seen. No other variable is taken for unset: that the
address of a service is not known here does not mean that there is none.
"""

import re

from toolgate.model.word import Hole, Word, variable_word

_OFF_WORDS = frozenset("0 f n no false off".split())
_WORDS = _OFF_WORDS | frozenset("1 t y yes true on".split())
"""What switches are set to."""
_names_switch = re.compile(
    r"(?i)(?:(?:.*_)?(?:apply|confirm|confirmed|force|execute|really|dry_?run|allow)(?:_(?!url|host|key|token|file|path|dir)\w+)?|yes)"
).fullmatch


def is_switch_word(text: str | None) -> bool:
    """Returns whether this is a text that switches are set to: `1`, `true`, `No`."""
    return text is not None and text.lower() in _WORDS


def is_off_word(text: str) -> bool:
    """Returns whether a switch that is set to this text is off."""
    return text.lower() in _OFF_WORDS


def find_variable(word: Word) -> str:
    """Returns the name of the variable that is all of this word, if nothing sets it; empty for other words."""
    only = word.parts[0] if len(word.parts) == 1 else ""
    name = only.variable if isinstance(only, Hole) else ""
    return name if name and word.parts == variable_word(name).parts else ""


def is_switch(word: Word) -> bool:
    """Returns whether the word is a variable that nothing sets, with the name of a switch: `$CONFIRM_DELETE`."""
    return _names_switch(find_variable(word)) is not None
