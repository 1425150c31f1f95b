"""Changing scheduled jobs: crontabs and cron folders.

A job goes on running unnoticed after this session. Let the person install it.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Delete, Link, Move, Operation, Write
from toolgate.model.place import LOCAL
from toolgate.model.rule import RuleContext

_ADVICE = "show the user the job, and let them install it."


def check(effect: Write | Delete | Move | Link | Operation, _options: None, context: RuleContext) -> Iterator[Match]:
    if isinstance(effect, Operation):
        removes = effect.get_flag("remove") is True
        does = "Deletes all scheduled jobs" if removes else "Changes what this machine runs at set times"
        yield Match(effect, f"{does}: {context.effects.quote_command(effect)}.", _ADVICE)
        return
    place = effect.to if isinstance(effect, Move) else effect.place
    if place.machine.startswith("container:") or place.is_anywhere:
        return
    sure = place.is_in("scheduler")
    if sure is not False:
        where = "this machine" if place.machine == LOCAL else place.machine.removeprefix("ssh:")
        yield Match(effect, f"Changes {place.display_text}, which {where} runs at set times.", _ADVICE, sure)
