"""Whether a search finds a file of a root: by the names that exist on this machine."""

from toolgate.model.glob import matches_path
from toolgate.model.world import World

_MAX_LISTED = 100


def finds_file(root: str, pattern: str, world: World) -> bool:
    """Returns whether a pattern matches a root, or a file that lies directly in it. The names of other files are not looked
    at, so a search that finds only those is not known to find the root's."""
    whole = pattern.replace("?**", "**")
    if matches_path(whole, root) is True:
        return True
    names = world.listing(root, _MAX_LISTED)
    return isinstance(names, tuple) and any(matches_path(whole, f"{root}/{name}") for name in names)
