"""Loops over folders: `for d in services/*/; do make -C "$d" test; done`."""

from collections.abc import Generator
from typing import Any

from toolgate.model.word import Word, is_glob, known_word
from toolgate.shell.domain.protocol import ListFolders, Request, ResolvePlace
from toolgate.shell.domain.state import Shell

from .word_splitting import Fields


def find_folders(lists: list[Fields], shell: Shell) -> Generator[Request, Any, tuple[Word, ...]]:
    """Returns the folders that the globs among these words find, as the loop's variable names them. What a task runner does there
    is read from their files."""
    found: list[Word] = []
    for word in dict.fromkeys(word for fields in lists for word in fields):
        head, end = word.head, "/" if word.parts[-1:] == ("/",) else ""
        inner = word.parts[bool(head) : len(word.parts) - bool(end)]
        if len(inner) == 1 and is_glob(inner[0]):
            prefix = head.rpartition("/")[0] + "/" if "/" in head else ""
            for cwd in shell.cwd:
                place = yield ResolvePlace(Word((*([head] if head else []), *inner)), cwd, shell.frame.site)
                paths: tuple[str, ...] = yield ListFolders(place)
                found += [known_word(f"{prefix}{path.rpartition('/')[2]}{end}", word.src) for path in paths]
    return tuple(dict.fromkeys(found))
