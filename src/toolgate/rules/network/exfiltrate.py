"""Sending keys, tokens or password stores over the network.

A secret that left the machine has to be taken out of use everywhere. Programs that need one read it themselves.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Connect, Read
from toolgate.model.rule import Context
from toolgate.model.word import NOTHING, some


def check(connection: Connect, _options: None, context: Context) -> Iterator[Match]:
    sent = NOTHING.union(*(text.src for text in (connection.target, connection.sends, connection.shows) if text is not None))
    if not sent:
        return
    sources = context.effects.feeding(sent)
    reads = [effect for effect in context.effects.all if isinstance(effect, Read) and effect.origin.command in sources]
    sure = some(some((read.place.is_in("credentials"), read.place.reaches("credentials") and None)) for read in reads)
    if sure is not True and any(_is_a_private_key(read) for read in reads):
        yield Match(connection, f"This sends a private key to {connection.target.shown}.")
    elif sure is not True and any(read.place.is_in("personal") is True for read in reads):
        yield Match(connection, f"This sends what tells of this machine's users to {connection.target.shown}.")
    elif sure is not False and reads:
        yield Match(connection, f"This sends secrets of this machine to {connection.target.shown}.", sure=sure)


_KEYS = (".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".ppk", ".kdbx", ".p8")
_PUBLIC = ("cert", "chain", "ca.pem", "ca-bundle", "crt", "pub", "root")


def _is_a_private_key(read: Read) -> bool:
    """By its name: such files are kept anywhere. A certificate is for all to see."""
    name = (read.place.path or read.place.rest or read.place.word.tail).rpartition("/")[2].lower()
    return name.endswith(_KEYS) and not any(mark in name for mark in _PUBLIC)
