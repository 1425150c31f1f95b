"""Places of a host whose settings set no variables, and which has no folder that holds only scripts."""

from collections.abc import Mapping


def environment_files(_project: str) -> tuple[str, ...]:
    return ()


def hook_folders(_home: str, _project: str, _environ: Mapping[str, str]) -> tuple[str, ...]:
    return ()
