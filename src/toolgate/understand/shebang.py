"""Which program runs a text file: by its first line, as the kernel and the shells read it."""

from toolgate import languages
from toolgate.model.word import Word, unread_parts
from toolgate.shell.protocol import Command

_LOOKED_AT = 80
"""Characters of a first line in which bash looks for a NUL: a file that holds one there is a binary and no script."""


def shell_of(command: Command, text: str) -> str:
    """The program that reads a shell text: what its first line names where it is run by its path, else the command itself.
    Whoever else has text run gives it to sh."""
    name = command.argv[0].tail.rpartition("/")[2]
    if text.startswith("#!") and languages.of_interpreter(name) != "shell":
        return _interpreter(text)
    return name


def language_of(text: str) -> str | None:
    """The language of a text file that is run by its path: what its first line names, else a shell's; None for a binary, and for
    an interpreter that is not known."""
    first = text[: 4 * _LOOKED_AT].partition("\n")[0]
    if first.startswith("#!"):
        return languages.of_interpreter(_interpreter(first))
    return None if "\0" in first[:_LOOKED_AT] else "shell"


def may_be_unread_script(code: Word) -> bool:
    """Does this content of a file that is run by its path hold text that was not read, and is it no binary?"""
    return any(hole.unread is not None and not hole.unread.is_binary for hole in unread_parts(code))


def _interpreter(text: str) -> str:
    """The program that a script's first line names."""
    words = text.split("\n", 1)[0][2:].split()
    names = [word.rpartition("/")[2] for word in words if "=" not in word and not word.startswith("-")]
    return names[1] if len(names) > 1 and names[0] == "env" else names[0] if names else "sh"
