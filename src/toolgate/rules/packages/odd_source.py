"""Installing a package from an unknown source, or over an unencrypted connection.

Installed code runs: its set-up code at once, the rest with the project. With two indexes, a stranger's package of the same name
and a higher version is taken. A setting (`npm config set registry`) persists, and applies to every project. Name your own sources
in `trusted`; a lock file with hashes makes the source matter less.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.flows.destinations import find_destination
from toolgate.flows.published_projects import KNOWN_HOSTS
from toolgate.model.decision import Match
from toolgate.model.effect import Connect, Operation
from toolgate.model.glob import name_matches
from toolgate.model.rule import RuleContext
from toolgate.model.word import Maybe, Word, maybe_any
from toolgate.rules.written_rules import read_host

THIS_MACHINE = ("localhost", "127.*", "::1")

_ADVICE = "install it from the official registry, or let the user decide."


@dataclass(frozen=True, slots=True)
class Options:
    """`trusted`: hosts, as globs, that packages may also come from."""

    trusted: tuple[str, ...] = ()


def check(source: Operation, options: Options, context: RuleContext) -> Iterator[Match]:
    place = source.target
    if source.get_flag("brought") is True and place is not None:
        yield from _check_downloaded_package(source, place, options, context)
    elif source.get_flag("runs") is True and place is not None:
        message = f"From now on, {place.display_text} runs the scripts of every package."
        yield Match(source, message, "set it for one command only, or let the user set it.")
    elif place is not None and (sure := _is_unknown_source(place, options.trusted)) is not False:
        when = "From now on, installs" if source.get_flag("lasts") is True else "Installs"
        yield Match(source, f"{when} from {place.display_text}, which is not a well-known registry.", _ADVICE, sure)


def _check_downloaded_package(source: Operation, file: Word, options: Options, context: RuleContext) -> Iterator[Match]:
    """Matches an archive that this call has downloaded, by the address that it came from."""
    commands = context.effects.commands_feeding(file.src - {source.origin.command})
    for connection in context.effects.of_kind(Connect):
        if (
            connection.origin.command in commands
            and (sure := _is_unknown_source(connection.target, options.trusted)) is not False
        ):
            server = connection.target.display_text
            message = f"Installs {file.display_text} from {server}, which is not a well-known registry."
            yield Match(source, message, _ADVICE, sure)
            return


def _is_unknown_source(place: Word, trusted: tuple[str, ...]) -> Maybe:
    named = read_host(place)
    if named is None:
        return None
    if maybe_any(name_matches(glob, named) for glob in (*THIS_MACHINE, *trusted)) is True:
        return False
    if place.starts_with("oci://") is True and find_destination(place).kind in ("known", "near"):
        return False
    return named not in KNOWN_HOSTS or place.starts_with("http://")
