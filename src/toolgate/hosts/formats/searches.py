"""Search tools: the folders that a pattern leads to."""

from toolgate.model.action import Search

_GLOB_CHARACTERS = frozenset("*?[{")


def parse_glob(folders: tuple[str, ...], pattern: str) -> Search:
    """Returns the search for names. The pattern may contain the folder to search (`/etc/ssh/*`, `../../x/*.pem`): its fixed part
    is added to the folders."""
    first_special = next((place for place, char in enumerate(pattern) if char in _GLOB_CHARACTERS), len(pattern))
    cut = pattern.rfind("/", 0, first_special)
    if cut < 0:
        return Search(folders, pattern)
    fixed, rest = pattern[:cut] or "/", pattern[cut + 1 :]
    if fixed.startswith(("/", "~")):
        return Search((fixed,), rest)
    return Search(tuple(f"{folder.rstrip('/')}/{fixed}" for folder in folders), rest)


def parse_content_search(folder: str, pattern: str, glob: str, *, is_named: bool) -> Search:
    """Returns the search in a folder, or in those of its files that a glob matches. `is_named`: the call names the folder."""
    paths = (folder, f"{folder.rstrip('/')}/{glob}") if glob else (folder,)
    return Search(paths, pattern, tree=is_named and not glob)
