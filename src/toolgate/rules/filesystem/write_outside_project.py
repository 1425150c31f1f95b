"""Writing outside the project.

The agent was given a project to work in. A file elsewhere may be somebody's other work, or a setting of some program. Inside the
project and in temporary folders files can be written freely.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Link, Move, Run, Write
from toolgate.model.place import LOCAL
from toolgate.model.rule import Context


def check(effect: Write | Move | Link, _options: None, context: Context) -> Iterator[Match]:
    place = effect.to if isinstance(effect, Move) else effect.place
    if place.machine != LOCAL:
        return
    if isinstance(effect, Write) and _only_makes_a_folder(effect, context):
        return
    sure = place.is_in("outside")
    if sure is not False:
        yield Match(effect, f"This writes {place.shown}, outside the project.", sure=sure)


def _only_makes_a_folder(write: Write, context: Context) -> bool:
    """mkdir: nothing is lost, and nothing is in it."""
    runs = [each for each in context.effects.of(write.origin.command) if isinstance(each, Run)]
    return bool(runs) and all(run.argv[0].text in ("mkdir", "/bin/mkdir", "/usr/bin/mkdir") for run in runs)
