"""The directories that a tilde prefix expands to: `~`, `~user`, `~+`, `~-`, `~2`, and zsh's named directories."""

import re

from toolgate.model.word import EMPTY, Hole, Word, known_word, unknown_word
from toolgate.shell.domain.state import NAMED_DIRECTORY_PREFIX, Shell
from toolgate.shell.domain.values import first_element

_IS_STACK_INDEX = re.compile("[+-]?[0-9]+").fullmatch


def expand_tilde(user: str, shell: Shell) -> tuple[Word, ...]:
    """Returns the directories that `~user` may expand to; `user` is empty for `~`, `+` and `-` for `~+` and `~-`."""
    if user == "":
        homes = tuple(first_element(value) for value in shell.get_values("HOME"))
        if EMPTY not in homes:
            return homes
        return (*homes, *shell.frame.home, *((known_word("~"),) if shell.frame.dialect.may_be_dash else ()))  # it may be unset
    if user == "+":
        return (*shell.cwd, *(first_element(value) for value in shell.variables.get("PWD", ())))
    if user == "-":
        return tuple(first_element(value) for value in shell.get_values("OLDPWD"))
    if _IS_STACK_INDEX(user):
        return (unknown_word(f"~{user}"),)
    if user == "root":
        return (known_word("/root"),)
    named = _find_named_directories(user, shell)
    if named and shell.frame.dialect.may_be_zsh:
        return named
    homes = tuple(home for home in shell.frame.home if home.text is not None and home.text.rpartition("/")[2] == user)
    if homes:
        return homes
    return (
        (Word((Hole(f"/home/{user}", f"~{user}"),)), known_word(f"~{user}"))  # without such a user it is text
        if user.replace("_", "").replace("-", "").isalnum()
        else (known_word("~" + user),)
    )


def _find_named_directories(name: str, shell: Shell) -> tuple[Word, ...]:
    """Returns the directories that zsh expands `~name` to: named by `hash -d`, or the value of a variable."""
    values = shell.variables.get(NAMED_DIRECTORY_PREFIX + name) or shell.variables.get(name, ())
    tables = (value for value in shell.variables.get("nameddirs", ()) if isinstance(value, tuple))
    words = (*map(first_element, values), *(word for table in tables for word in table))
    return tuple(word for word in words if word.head.startswith("/"))
