"""Guesses of what programs without a row delete, from their subcommands.

Most services use a kind of thing and a verb (`apps delete web`, `destroy cluster`, `apps:destroy`, `delete-bucket`), or a verb
and an option against questions (`delete --yes`). That is a guess, and never sure.
"""

import re
from collections.abc import Iterator
from itertools import takewhile

from toolgate.model.effect import Operation
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, join_words

from .subcommands import split_words

_SERVICE_VERBS = """
delete destroy purge terminate wipe teardown deprovision undeploy decommission erase nuke obliterate unregister deregister
"""
_GENERAL_VERBS = "remove rm del drop"
_WHOLE_SERVICE_VERBS = "destroy teardown deprovision decommission"
_SERVICE_NOUNS = """
project service server instance machine vm cluster pool database db dataset keyspace bucket volume disk share filesystem site
domain zone record stack deployment queue topic stream user team org organization organisation account tenant secret token
certificate cert backup snapshot namespace group policy flag customer product invoice dashboard monitor alert subnet gateway
loadbalancer vault webhook hub registry resource droplet pipeline workflow integration tunnel identity realm credential connector
datasource warehouse schedule firewall campaign audience contact trail fleet experiment controller model fn action
"""
_AMBIGUOUS_NOUNS = """
app application table schema key archive repo repository segment addon environment document target connection role collection
index indices function node network space workspace job subscription endpoint trigger
"""
_LOCAL_NOUNS = """
cache caches tmp temp build builds artifact artifacts lock locks history branch tag bookmark task note file env config context
profile session plugin package extension theme alias component route helper mixin initializer adapter serializer mailer
"""
_HARMLESS_VERBS = """
list ls get show describe create add new init update set edit logs log run exec start watch search find info status ssh deploy apply
read export import open view echo say print
"""
_CONFIRMING_OPTIONS = """
--yes -y --force -f --confirm --auto-approve --no-prompt --no-prompts --no-input --non-interactive --no-confirm --assume-yes
--skip-confirm --skip-confirmation --approve --assumeyes
"""
_DRY_RUN_OPTIONS = "--dry-run --dryrun --dry --help -h --version --what-if --whatif --noop --no-op --preview --plan --simulate"

STRONG_VERBS, WEAK_VERBS = frozenset(_SERVICE_VERBS.split()), frozenset(_GENERAL_VERBS.split())
STANDALONE_VERBS = frozenset(_WHOLE_SERVICE_VERBS.split())
"""Verbs of deletion: those used for what a service stores, and those used as often for things in a project.
`ALL`: verbs that need no noun where they come first."""
REMOTE_NOUNS, REMOTE_OR_LOCAL_NOUNS = frozenset(_SERVICE_NOUNS.split()), frozenset(_AMBIGUOUS_NOUNS.split())
"""Kinds of things that services store, and kinds that are as likely local: for the latter a weak verb proves nothing."""
OTHER_VERBS = frozenset(_HARMLESS_VERBS.split())
"""Verbs whose following words are names, whatever they look like."""
OWN_NOUNS = frozenset(_LOCAL_NOUNS.split())
"""Kinds of things that are local or can be made again: a command that names one deletes nothing from a service."""
CONFIRMATION_FLAGS, DRY_RUN_FLAGS = frozenset(_CONFIRMING_OPTIONS.split()), frozenset(_DRY_RUN_OPTIONS.split())
_MAX_SUBCOMMAND_DEPTH = 4
"""The deepest level of subcommands; words after it are names."""


def guess_deletions(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[Operation]:
    """Yields what a program without a row deletes, judged by its words. A program with a relative path is the project's own."""
    texts = [word.text for word in argv]
    enabled = _enabled_options(texts)
    own = "/" in argv[0].outline and (argv[0].starts_with("/") is False or _BUILT_HERE(argv[0].outline) is not None)
    if own or "help" in texts[1:] or not DRY_RUN_FLAGS.isdisjoint(enabled):
        return
    before = argv[1 : texts.index("--")] if "--" in texts else argv[1:]
    words = [word for word in before if word.starts_with("-") is False]
    words_of_names = split_words(takewhile(lambda word: word.text not in OTHER_VERBS, words[:_MAX_SUBCOMMAND_DEPTH]))
    if any(not OWN_NOUNS.isdisjoint(parts) for parts in words_of_names):
        return
    unasked = not CONFIRMATION_FLAGS.isdisjoint(enabled)
    end = next((n for n in range(len(words_of_names)) if _is_deletion(words_of_names, n, unasked)), None)
    if end is not None:
        yield Operation("cloud.delete", context.origin._replace(sure=None), join_words(words[: end + 2]), (("dry_run", False),))


_BUILT_HERE = re.compile(r"/(?:target/(?:[\w-]+/)?(?:debug|release)|\.build/[\w-]+|bin/(?:Debug|Release))/").search
"""Matches the path of a program that a build of the project's makes."""


def _enabled_options(texts: list[str | None]) -> set[str]:
    """Returns the options that are given, without those set to false."""
    parts = [text.partition("=") for text in texts[1:] if text is not None]
    return {name for name, _, value in parts if value not in ("false", "none")}


def _is_deletion(words_of_names: list[list[str]], at: int, unasked: bool) -> bool:
    """Returns whether this word has a verb of deletion, and it or a word beside it a noun that can be deleted."""
    parts = words_of_names[at]
    if len(parts) == 1:
        neighbours = [part for word in (*words_of_names[max(at - 1, 0) : at], *words_of_names[at + 1 : at + 2]) for part in word]
        return (
            any(_is_deletable(parts[0], noun) for noun in neighbours)
            or (unasked and at < 2 and parts[0] in STRONG_VERBS)
            or (at == 0 and parts[0] in STANDALONE_VERBS)
        )
    return any(_is_deletable(verb, noun) for verb in (parts[0], parts[-1]) for noun in parts if noun != verb)


def _is_deletable(verb: str, noun: str) -> bool:
    singular = f"{noun[:-3]}y" if noun.endswith("ies") else noun.removesuffix("s")
    kept = not REMOTE_NOUNS.isdisjoint((noun, singular))
    return (verb in WEAK_VERBS and kept) or (
        verb in STRONG_VERBS and (kept or not REMOTE_OR_LOCAL_NOUNS.isdisjoint((noun, singular)))
    )
