"""The programs that a command of a call runs; several where a word of it has several values."""

from collections.abc import Collection

from toolgate.model.effect import Effects, Run
from toolgate.model.word import Word


def list_runs(command: int, effects: Effects) -> list[Run]:
    """Returns the runs of a command, by its number, without those of no word."""
    return [each for each in effects.of_command(command) if isinstance(each, Run) and each.argv]


def runs_only(command: int, effects: Effects, programs: Collection[str]) -> bool:
    """Returns whether a command runs one of these programs, and no other one."""
    runs = list_runs(command, effects)
    return bool(runs) and all(run.argv[0].file_name in programs for run in runs)


def list_option_values(options: tuple[str, ...], argv: tuple[Word, ...]) -> list[Word]:
    """Returns the values of these options, as the next word or behind `=`."""
    found: list[Word] = []
    for n, word in enumerate(argv):
        name, attached, value = word.partition("=")
        if name.text in options and (attached or n + 1 < len(argv)):
            found.append(value if attached else argv[n + 1])
    return found
