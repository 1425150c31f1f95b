"""Commands as reasons quote them: without the values of options, which may be secret, unless they name the object."""

from collections.abc import Sequence
from itertools import pairwise, takewhile

_MAX_SHORT_OPTIONS, _MAX_SHOWN = 4, 80
_NAMING_OPTIONS = frozenset(
    "-n -X --name --namespace --context --kube-context --cluster --project --project-name --env --environment --stage --stack"
    " --stack-name --app --service --region --profile --bucket --method".split()
)
"""Options whose value tells what a command is about, and is no secret."""


def quote_command(argv: Sequence[str], target: str, paths: Sequence[str]) -> str:
    """Returns the command between backquotes. `target` and `paths`: words of it that are shown in any case."""
    named = set(target.casefold().split())
    name, *words = argv
    verbs = len(tuple(takewhile(lambda word: not word.startswith("-"), words)))
    shown_words = (_without_value(word, before, named) for before, word in pairwise(["", *words[verbs:]]))
    shown = " ".join((name.rpartition("/")[2], *words[:verbs], *filter(None, shown_words), *paths))
    return f"`{shown if len(shown) <= _MAX_SHOWN else f'{shown[:_MAX_SHOWN]}...'}`"


def _without_value(word: str, before: str, named: set[str]) -> str:
    """Returns a word as it is shown: empty if it may be the value of an option that tells no object."""
    if before in _NAMING_OPTIONS or not named.isdisjoint(word.casefold().split()):
        return word
    if word.startswith("--"):
        name = word.partition("=")[0]
        return word if name in _NAMING_OPTIONS else name
    if word.startswith("-"):
        return word if len(word) <= _MAX_SHORT_OPTIONS else ""
    return "" if before.startswith("-") and "=" not in before else word
