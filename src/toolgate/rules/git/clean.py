"""`git clean -f` deletes files that git does not know: nothing brings them back.

`git clean -n` shows them first; `git stash -u` puts them aside.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import Context


def check(clean: Operation, _options: None, _context: Context) -> Iterator[Match]:
    if clean.flag("dry_run") is True:
        return
    force = clean.flag("force")
    if force is not False:
        yield Match(clean, "This deletes files that git does not track.", instead="git clean -n", sure=force)
