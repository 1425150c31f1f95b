"""Tools that show a secret: one in their name, or an item of a server that stores secrets."""

from collections.abc import Mapping
from itertools import pairwise

from .arguments import find_leaves
from .names import split_words

_SHOWING_VERBS = frozenset(
    "get read fetch reveal retrieve show view resolve copy decrypt unseal export access dump print download".split()
)
_SECRET_NOUNS = frozenset(
    "secret secrets credential credentials password passwords passphrase passphrases mnemonic seedphrase".split()
)
_COMPOUND = (
    ("private", "key"),
    ("seed", "phrase"),
    ("api", "key"),
    ("access", "token"),
    ("auth", "token"),
    ("bearer", "token"),
    ("access", "key"),
    ("role", "key"),
    ("config", "vars"),
)
_SECRET_SERVERS = frozenset(
    "password onepassword bitwarden vaultwarden lastpass dashlane keepass keepassxc keychain doppler infisical".split()
)
_PLATFORMS = frozenset("railway render heroku koyeb coolify northflank zeabur dokku".split())
"""Servers of platforms that list the variables of a service with their values."""
_STORED_NOUNS = frozenset(
    "item items entry entries value values field fields note kv data version variable variables resource".split()
)
_METADATA_NOUNS = frozenset(
    "policy policies metadata list names rotation usage count scanning alert alerts reset strength status".split()
)
"""With one of these words, the tool shows data about the secret, not its value."""
_DECRYPTING_KEYS = frozenset(
    "decrypt withdecryption reveal showsecrets showvalues unmask plaintext showsecret showpassword revealsecret revealpassword "
    "includesecret includesecrets includepassword includeplaintext decrypted".split()
)
_VALUE_SWITCHES = frozenset(
    "includevalue includevalues showvalue showvalues revealvalue withvalue withvalues returnvalue".split()
)
"""Arguments that show the value of an item, which a server for secrets keeps."""
_KEEPING_WORDS = frozenset("vault secret secrets keyring wallet credential credentials keystore".split())
_KIND_KEYS = frozenset("kind resource resourcetype resourcekind".split())


def shows_secrets(server: str, tool: str, arguments: Mapping[str, object]) -> bool:
    """Returns whether a call of this tool shows the value of a secret to the model."""
    words, keeper = split_words(tool), frozenset(split_words(server))
    keeps_secrets = not keeper.isdisjoint(_SECRET_SERVERS | _KEEPING_WORDS)
    if (keeps_secrets or not _SHOWING_VERBS.isdisjoint(words)) and _asks_for_secrets(arguments, keeps_secrets=keeps_secrets):
        return True
    if keeper & _PLATFORMS and {"variables", "vars"}.intersection(words) and {"list", *_SHOWING_VERBS}.intersection(words):
        return True
    if _SHOWING_VERBS.isdisjoint(words) or not _METADATA_NOUNS.isdisjoint(words):
        return False
    if not _SECRET_NOUNS.isdisjoint(words) or any(pair in pairwise(words) for pair in _COMPOUND):
        return True
    if keeper.isdisjoint(_SECRET_SERVERS | {"vault", "secret", "secrets"}):
        return False
    return not _STORED_NOUNS.isdisjoint(words) or any(
        isinstance(value, str) and not _SECRET_NOUNS.union(_STORED_NOUNS).isdisjoint(split_words(value)[:1])
        for key, value in find_leaves(arguments)
        if key in ("object", "type", *_KIND_KEYS)
    )


def _asks_for_secrets(arguments: Mapping[str, object], *, keeps_secrets: bool) -> bool:
    """Returns whether the arguments ask for decrypted values, or for a cluster's secret by its name or in full."""
    leaves = list(find_leaves(arguments))
    switches = _DECRYPTING_KEYS | _VALUE_SWITCHES if keeps_secrets else _DECRYPTING_KEYS
    if any(key in switches and value is True for key, value in leaves):
        return True
    is_secret = any(key in _KIND_KEYS and str(value).lower() in ("secret", "secrets") for key, value in leaves)
    return is_secret and any(key == "name" or (key == "output" and value in ("json", "yaml")) for key, value in leaves)
