"""Folders for temporary files that the call itself makes: repositories, clones, places to exchange files.

Their names may hold what only the shell knows (`/tmp/share-$$`), so that they are told by the words that name them.
"""

from toolgate.model.effect import Effects, Operation, Permission, Run, Write
from toolgate.model.word import Word
from toolgate.temporary_folders import is_in_temporary_folder, leads_into_temporary_folder

_MAKING_PROGRAMS = {"git": ("init", "clone"), "svnadmin": ("create",)}


def is_made_here(folder: Word, user: Operation | Permission, effects: Effects) -> bool:
    """Returns whether an earlier command of the call makes this folder, and it is one for temporary files."""
    if not leads_into_temporary_folder(folder):
        return False
    return is_in_temporary_folder(folder) or folder in _list_made(user.origin.command, effects)


def _list_made(before: int, effects: Effects) -> list[Word]:
    made = [write.place.word for write in effects.of_kind(Write) if write.origin.command < before and write.origin.sure]
    for run in effects.of_kind(Run):
        if (
            run.argv
            and run.origin.command < before
            and any(word.text in _MAKING_PROGRAMS.get(run.argv[0].file_name, ()) for word in run.argv[1:3])
        ):
            made.append(run.argv[-1])
    return made
