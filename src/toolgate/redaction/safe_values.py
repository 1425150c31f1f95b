"""Values that are no secret in any context: placeholders, references, well-known values.

A value is safe only as a whole.
"""

from collections.abc import Callable
from functools import lru_cache

from .expression import Expression
from .literals import build_containment_test

REFERENCE = Expression(
    r"""(?x)
    \$\w+ | \$\{[^}]*\}? | \$\(.* | \$\[.* | %\w+% | %[-+#\ 0]?\d*[a-zA-Z] | @\w+@ | \{\w*\} | \{\{.* | <[^>]*>? | \[[^\]]*\]? | \#.*
    | (?:op|vault|awssm|aws|ssm|gcp|azkv|secret|secretref|keyring|env|file|ref|sops|doppler|keychain|bws|pass|akv|gsm):/?/?[\w./@:${}+-]+
    | !(?:Ref|Sub|GetAtt|ImportValue|secret|vault|env_var).*
    """
)
"""A reference that is resolved where it is used: a variable, a template field, the name of a stored secret."""

_PLACEHOLDER_TEXTS = (
    "example change_me changeme change-me change_this change_it changeit placeholder place_holder place-holder your_ your- yourapi yourkey "
    "yourtoken yourpass yoursecret mysecret my_secret my-secret mypassword my_password my-password mytoken my_token my-token myapi my_api "
    "my-api mykey my_key my-key xxxx *** ... … redacted dummy sample insert_ insert- replaceme replace_ replace- fixme todo fake notreal "
    "not_a_ not-a- lorem foobar testkey test_api test_key test-key testtoken test_token test-token testsecret test_secret test-secret testpass "
    "test_pass test-pass 0000000 1111111 qwerty deadbeef process.env os.environ getenv import.meta secrets. env. vars. "
    "config. settings. self. this. options. params. args."
)
"""In lower case; a value that contains one of these is a placeholder."""

_PASSWORD_WORD_LIST = (
    "password passwd pass pwd pw secret token user username admin root login test testing guest hidden masked removed redacted none null nil "
    "undefined true false empty default value string db_password dbpassword userpass user_password pass_word passphrase credentials "
    "credential basic bearer auth key apikey api_key api-key access_token auth_token x-oauth-basic x-access-token oauth2 p"
)
PASSWORD_WORDS = frozenset(_PASSWORD_WORD_LIST.split())
"""Words that people write instead of a password."""

OUR_PLACEHOLDER = Expression(r"\[REDACTED:[\w-]+:[0-9a-f]{8}\]|\[[A-Z0-9_]{2,40}[ _]REDACTED\]")
_DIGESTS = (
    "021b2ceedb571ccf 04720f8c5b48eb54 1dbab3955ee24509 1eb23f4ff31fee4a 2331a06e46b6014b 4278860ad7c8919f 5a2e3466d7aa6d95 "
    "6ada812c0c203722 71733bf44ea4212a 7fa6fe73624d5bcb 81b4f6c06b09cbed 826a83582efbd367 a667918ad80f14e8 afd2f205ef556be9 "
    "b0d0f6e9ac73ad77 b122867768cf1807 b1dba8e85ee052b5 e4576406f972acf1 e8e6b794c8c91613 f27f5358a7c61641 f345012650af327e "
    "fbd6dd347af31ed8 826e0fd9a88ef5e1 "
)
_KNOWN_DIGESTS = frozenset(_DIGESTS.split())
_KNOWN_LENGTHS = frozenset((11, 14, 20, 32, 36, 39, 40))
"""Keys in public documentation and demonstrations, as digests: their text would alarm every scanner."""

EXAMPLE_CLAIMS = ("eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9l", "eyJzdWIiOiJ0ZXN0", "eyJhbGciOiJub25l")
"""How example tokens or their claims begin: John Doe, 1234567890, of every documentation, the subject `test`, and no signature."""


def is_placeholder(value: str) -> bool:
    return (
        len(set(value)) < 3
        or _placeholder_test()(value.lower())
        or (not value.isalnum() and (REFERENCE.fullmatch(value) is not None or OUR_PLACEHOLDER.search(value) is not None))
    )


def is_well_known(value: str) -> bool:
    if len(value) not in _KNOWN_LENGTHS:
        return False
    from hashlib import blake2b  # slow to import, and rarely needed

    return blake2b(value.encode(errors="surrogatepass"), digest_size=8).hexdigest() in _KNOWN_DIGESTS


@lru_cache(1)
def _placeholder_test() -> Callable[[str], bool]:
    return build_containment_test(tuple(_PLACEHOLDER_TEXTS.split()))
