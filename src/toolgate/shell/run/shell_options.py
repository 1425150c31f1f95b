"""Options of a running shell that change how the commands after them are read: `set -k`, `shopt -s nocaseglob`, `setopt`.

Only options whose being on changes a reading are kept, by bash's names. They may be on: where paths meet, both remain possible.
"""

from toolgate.model.word import EMPTY, Word, unknown_word
from toolgate.shell.domain.protocol import TICK, CommandEvaluation
from toolgate.shell.domain.state import Shell

from .builtin_context import BuiltinContext

_LETTERS = {"a": "allexport", "k": "keyword", "B": "braceexpand", "C": "noclobber", "P": "physical", "x": "xtrace"}
_OF_ZSH = {"chaselinks": "physical", "cdablevars": "cdable_vars", "ignorebraces": "nobraceexpand"}
_OPTIONS_WHEN_ON = frozenset(
    ("allexport", "keyword", "noclobber", "physical", "cdable_vars", "nocaseglob", "nocasematch", "xtrace")
)
_OPTIONS_WHEN_OFF = {"braceexpand": "nobraceexpand", "clobber": "noclobber", "caseglob": "nocaseglob"}


def set_letters(letters: str, state: str, shell: Shell) -> None:
    """Sets the options that these letters of `set` stand for, `on` or `off`."""
    for letter in letters:
        set_option(_LETTERS.get(letter, ""), shell, state)


def set_option(name: str, shell: Shell, state: str) -> None:
    """Sets an option, by bash's name or zsh's, `on` or `off`."""
    plain = name.lower().replace("_", "")
    name = _OF_ZSH.get(plain, name if name in _OPTIONS_WHEN_ON else plain)
    if name in _OPTIONS_WHEN_OFF:
        name, state = _OPTIONS_WHEN_OFF[name], "off" if state == "on" else "on"
    if state == "off":
        shell.options -= {name}
    elif name in _OPTIONS_WHEN_ON or name in _OPTIONS_WHEN_OFF.values():
        shell.options |= {name}


def shopt(argv: tuple[Word, ...], _context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    """bash's `shopt -s NAME` and `-u NAME`; otherwise options are listed."""
    yield TICK
    letters = "".join(word.head[1:] for word in argv[1:] if word.starts_with("-") is True)
    for word in argv[1:] if set("su") & set(letters) else ():
        set_option(word.text or "", shell, "on" if "s" in letters else "off")
    return EMPTY if set("su") & set(letters) else unknown_word("shopt", frozenset({shell.number}))


def setopt(argv: tuple[Word, ...], _context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    """zsh's `setopt NAME` and `unsetopt NAME`."""
    yield TICK
    for word in argv[1:]:
        set_option(word.text or "", shell, "on" if argv[0].text == "setopt" else "off")
    return EMPTY if argv[1:] else unknown_word("setopt", frozenset({shell.number}))
