"""`git reset --hard` throws away what is not committed, and leaves later commits to the reflog alone.

`git stash -u` puts the work aside instead, and `git stash pop` brings it back.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import Context


def check(reset: Operation, _options: None, _context: Context) -> Iterator[Match]:
    hard = reset.flag("hard")
    if hard is not False:
        yield Match(reset, "This throws away work that is not committed.", instead="git stash -u", sure=hard)
