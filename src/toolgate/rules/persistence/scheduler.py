"""Changing scheduled jobs: crontabs and cron folders.

A job goes on running unnoticed after this session. Let the person install it.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Delete, Link, Move, Operation, Write
from toolgate.model.place import LOCAL
from toolgate.model.rule import RuleContext


def check(effect: Write | Delete | Move | Link | Operation, _options: None, _context: RuleContext) -> Iterator[Match]:
    if isinstance(effect, Operation):
        removes = effect.get_flag("remove") is True
        yield Match(effect, "Deletes the whole crontab." if removes else "Changes what the machine runs at set times.")
        return
    place = effect.to if isinstance(effect, Move) else effect.place
    if place.machine.startswith("container:") or place.is_anywhere:
        return
    sure = place.is_in("scheduler")
    if sure is not False:
        where = "the machine" if place.machine == LOCAL else place.machine.removeprefix("ssh:")
        yield Match(effect, f"Changes {place.display_text}, which {where} runs at set times.", sure=sure)
