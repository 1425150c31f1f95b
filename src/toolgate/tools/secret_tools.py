"""Tools that show a secret: one in their name, or an item of a server that stores secrets."""

from itertools import pairwise

from .names import split_words

_SHOWING_VERBS = frozenset(
    "get read fetch reveal retrieve show view resolve copy decrypt unseal export access dump print".split()
)
_SECRET_NOUNS = frozenset("secret secrets credential credentials password passwords passphrase passphrases".split())
_COMPOUND = (("private", "key"), ("api", "key"), ("access", "token"), ("auth", "token"), ("bearer", "token"), ("access", "key"))
_SECRET_SERVERS = frozenset(
    "password onepassword bitwarden vaultwarden lastpass dashlane keepass keepassxc keychain doppler infisical".split()
)
_STORED_NOUNS = frozenset("item items entry entries value values field fields note kv data version variable variables".split())
_METADATA_NOUNS = frozenset(
    "policy policies metadata list names rotation usage count scanning alert alerts reset strength status".split()
)
"""With one of these words, the tool shows data about the secret, not its value."""


def shows_secrets(server: str, tool: str) -> bool:
    """Tell whether a call of this tool shows the value of a secret to the model."""
    words = split_words(tool)
    if _SHOWING_VERBS.isdisjoint(words) or not _METADATA_NOUNS.isdisjoint(words):
        return False
    if not _SECRET_NOUNS.isdisjoint(words) or any(pair in pairwise(words) for pair in _COMPOUND):
        return True
    keeper = frozenset(split_words(server))
    return not keeper.isdisjoint(_SECRET_SERVERS | {"vault", "secret", "secrets"}) and not _STORED_NOUNS.isdisjoint(words)
