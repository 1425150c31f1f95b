"""Determines which program runs a text file, from its first line, as the kernel and the shells do."""

from toolgate import languages
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, unread_parts
from toolgate.shell.domain.protocol import Command

_NUL_SEARCH_LENGTH = 80
"""Characters of the first line in which bash looks for a NUL: a file with one is a binary, not a script."""


def shell_program(command: Command, text: str) -> str:
    """Returns the program that reads a shell text: the one in its first line if it is run by its path, otherwise the command
    itself. Other callers run text with sh."""
    name = command.argv[0].file_name
    if text.startswith("#!") and languages.language_of_interpreter(name) != "shell":
        return _parse_interpreter(text)
    return name


def script_language(text: str) -> str | None:
    """Returns the language of a text file that is run by its path, from its first line; a shell's by default; None for a
    binary, and for an unknown interpreter."""
    first = text[: 4 * _NUL_SEARCH_LENGTH].partition("\n")[0]
    if first.startswith("#!"):
        return languages.language_of_interpreter(_parse_interpreter(first))
    return None if "\0" in first[:_NUL_SEARCH_LENGTH] else "shell"


def may_be_unread_script(code: Word) -> bool:
    """Returns whether a file that is run by its path contains unread text and is not a binary."""
    return any(hole.unread is not None and not hole.unread.is_binary for hole in unread_parts(code))


def _parse_interpreter(text: str) -> str:
    """Returns the program in a script's first line."""
    words = text.split("\n", 1)[0][2:].split()
    names = [word.rpartition("/")[2] for word in words if "=" not in word and not word.startswith("-")]
    return names[1] if len(names) > 1 and names[0] == "env" else names[0] if names else "sh"


def read_scripts(file: Word, context: ExecutionContext) -> list[tuple[Word, str]]:
    """Returns the texts of a file that is run by its path, with the language of each first line."""
    found: list[tuple[Word, str]] = []
    for code in context.read_alternatives(file):
        if code.text is not None:
            language = script_language(code.text)
            if language is not None:
                found.append((code, language))
        elif code.src - {context.origin.command} or may_be_unread_script(code):  # unread text
            found.append((code, "shell"))
    return found
