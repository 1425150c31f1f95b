"""Running a file that an earlier call of this session fetched from the network.

Whoever serves a script or a program decides what it does. Read it first; pin it by its digest, or install it from a registry.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Interpret, Read, Run
from toolgate.model.place import LOCAL
from toolgate.model.rule import RuleContext
from toolgate.model.store import ledger_key


def check(effect: Run | Interpret, _options: None, context: RuleContext) -> Iterator[Match]:
    caller = context.scene.caller
    ledger = context.load_document(ledger_key(caller.host, caller.session))
    if not ledger:
        return
    from toolgate.provenance import find_fetch_source  # few sessions have a ledger

    for path in _iter_executed_paths(effect, context):
        source = find_fetch_source(ledger, path)
        if source is not None and context.world.kind(path) == "file":
            yield Match(effect, f"Runs {path}, which this session fetched from {source}.", "read it first, and show the user.")
            return


def _iter_executed_paths(effect: Run | Interpret, context: RuleContext) -> Iterator[str]:
    """Yields the files whose content runs: the program itself, or the file that an interpreter is given."""
    if isinstance(effect, Run):
        if effect.place is not None and effect.place.path is not None and effect.place.machine == LOCAL:
            yield effect.place.path
        return
    if effect.file.startswith("/"):
        yield effect.file
    elif effect.file:
        for read in context.effects.of_command(effect.origin.command):
            if isinstance(read, Read) and read.place.machine == LOCAL:
                yield from (read.place.path,) if read.place.path is not None and read.place.word.text == effect.file else ()
