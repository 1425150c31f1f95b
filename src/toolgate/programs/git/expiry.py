"""git gc, prune and reflog expire: what they make impossible to restore."""

import re
from collections.abc import Iterator, Mapping

from toolgate.model.effect import ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word
from toolgate.programs.argv.options import ParsedOptions

from .refs import build_operation

_EXPIRIES = ("gc.pruneexpire", "gc.reflogexpire", "gc.reflogexpireunreachable")
_WEEKS_OLD = re.compile(r"(?:week|month|year)s?(?:[ .]ago)?$|^(?:never|false)$")


def expires_at_once(settings: Mapping[str, Word]) -> bool:
    """Returns whether the settings of a call make everything expire that is not referred to."""
    return any((settings[name].text or "") in ("0", "now", "all") for name in _EXPIRIES if name in settings)


def _is_at_once(expiry: Word) -> bool:
    """Returns whether objects expire that are not weeks old: those are what `git gc` alone removes."""
    return _WEEKS_OLD.search(expiry.text or "") is None


def expire_objects(options: ParsedOptions, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """reflog expire, gc --prune, prune: unreachable objects cannot be restored afterwards."""
    name, action = argv[0].text, options.operands[0].text if options.operands else ""
    if name == "filter-repo" and options.has_flag("--analyze", "--dry-run") is not True:
        yield build_operation("rewrite-history", context, argv[0])
    elif (name == "gc" and any(_is_at_once(value) for value in options.values_of("--prune"))) or (
        (name == "prune" or (name == "reflog" and action in ("expire", "delete"))) and options.has_flag("--dry-run") is not True
    ):
        yield build_operation("erase", context, argv[0])
