"""The programs that a command of a call runs; several where a word of it has several values."""

from collections.abc import Collection

from toolgate.model.effect import Effects, Run


def list_runs(command: int, effects: Effects) -> list[Run]:
    """Returns the runs of a command, by its number, without those of no word."""
    return [each for each in effects.of_command(command) if isinstance(each, Run) and each.argv]


def runs_only(command: int, effects: Effects, programs: Collection[str]) -> bool:
    """Returns whether a command runs one of these programs, and no other one."""
    runs = list_runs(command, effects)
    return bool(runs) and all(run.argv[0].file_name in programs for run in runs)
