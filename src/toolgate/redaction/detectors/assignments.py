"""Assignments to a secret's name of a value that looks like one: `DB_PASSWORD=...`, `"apiKey": "..."`, `client_secret => '...'`.

The words, and the harmless names that contain one, are those of gitleaks' generic rule (8.30, MIT) and detect-secrets (1.5,
Apache-2.0), rewritten. They are the second tier: such a value is hidden from a model, but only causes a warning when written.
"""

import re
from functools import lru_cache
from itertools import pairwise
from math import log2

from toolgate.redaction import stopwords
from toolgate.redaction.expression import Expression
from toolgate.redaction.randomness import count_digits, entropy, has_counting_run, is_shuffled, is_varied, is_wordy
from toolgate.redaction.safe_values import PASSWORD_WORDS, is_placeholder, is_well_known

from .forms import Hit

WORDS = (
    "passw",
    "pwd",
    "passphrase",
    "passcode",
    "_pass",
    "pass=",
    "pass:",
    'pass"',
    "secret",
    "token",
    "key",
    "auth",
    "credential",
    "creds",
    "access",
    "api",
    "contrase",
    "salt",
)
KIND = "secret"
MAX_LENGTH = 250

ASSIGNMENT = Expression(
    r"""(?x)
    [ \t\w.-]{0,24}+ (?:["'`)\]}\s] | \\["'] | \[\d{0,4}\]){0,12}+
    (?: (?: :\s{0,2}+[\w.<>\[\]?*]{1,24}+\s{0,2}+(?==) )?                      # a type in between
        (?: =[=>]{0,2} | : (?: :{0,2}=? ) | , | > | -> | \|\|:? | \?{1,2}= | !==? )
        [\s=]{0,12}+
      | \(\s{0,2}+(?=\\?["'`]) )
    (?: Bearer[ ] | Basic[ ] | Token[ ] | [@bBfFrRuU]{1,2}(?=["']) | ["'`]{1,2}(?=["'`=][^\s"'`,;)\]}]) )?+
    (?: \\?"([^"\\\r\n]{4,300}) | \\?'([^'\\\r\n]{4,300}) | `([^`\r\n]{4,300}) | ([^\s"'`,;<>(){}\[\]|\\]{5,300}) )
    """
)
"""Matches after a name's word: the rest of the name, an assignment in any language, and the value (one of four groups)."""
_UNQUOTED_GROUP = 4
_FLAG_REVERSED = Expression(r"[\w-]*--(?![\w-])")  # a flag's name, reversed
_FLAG_VALUE = Expression(
    r"""[\w-]{0,24}[ \t]{1,3}(?:"([^"\n]{4,300})"|'([^'\n]{4,300})'|()([^\s"'`;|&<>()\[\]{},-][^\s"'`;|&<>()]{4,300}))"""
)
_NAME = Expression(r"[\w.-]{0,50}")


def probe(text: str, start: int, end: int) -> Hit | None:
    """Returns the secret value. `start` and `end`: the position of the word in the name."""
    found = ASSIGNMENT.match(text, end) or _match_after_flag(text, start, end)
    if found is None:
        return None
    group = found.lastindex or 0
    value, at, quoted = found[group], found.start(group), group != _UNQUOTED_GROUP
    if not quoted:
        value = value.rstrip(".:")
        if text.startswith(("(", "["), at + len(value)):
            return None
    length = len(value)
    if length < 6 or length > MAX_LENGTH or (value.isalpha() and (length < 10 or value.islower() or value.isupper())):
        return None
    name, between = _name_and_gap(text, start, at)
    if (_is_harmless_name(name) and not _is_password_name(name)) or (not quoted and "," in between and value.isidentifier()):
        return None
    if not is_likely(name, value, quoted, "," in between) or _is_type_or_call(text, start, between):
        return None
    return Hit(at, at + length, KIND)


def probe_quickly(text: str, _start: int, end: int) -> Hit | None:
    """Returns the value if it has a digit, without further checks: for text that contains hundreds of secrets already."""
    found = ASSIGNMENT.match(text, end)
    if found is None:
        return None
    group = found.lastindex or 0
    if len(found[group]) < 8 or not any(map(str.isdigit, found[group])):
        return None
    return Hit(*found.span(group), KIND)


def _match_after_flag(text: str, start: int, end: int) -> re.Match[str] | None:
    """Matches `--db-password x`: only after a flag does a blank assign a value."""
    before = text[start - 40 if start > 40 else 0 : start]
    if "--" not in before or _FLAG_REVERSED.match(before[::-1]) is None:
        return None
    return _FLAG_VALUE.match(text, end)


def _is_type_or_call(text: str, start: int, separator: str) -> bool:
    """Returns whether the word is part of a type's name (`AWS::ApiGateway::ApiKey`), or an object with a method
    (`api.port('...')`)."""
    begin = start - 60 if start > 60 else 0
    is_a_type = text.find("::", begin, start) >= 0 and text[begin:start].rpartition(" ")[2].count("::") > 1
    return is_a_type or ("(" in separator and "." in separator.partition("(")[0])


def _name_and_gap(text: str, start: int, value: int) -> tuple[str, str]:
    """Returns the whole name in lower case, and the text between its word and the value."""
    before = _NAME.match(text[start - 50 if start > 50 else 0 : start][::-1])
    length = before.end() if before else 0
    between = text[start:value]
    return (text[start - length : start] + between).rstrip("\"'`@= \t\r\n\\:,>(").lower(), between


@lru_cache(4096)
def is_likely(name: str, value: str, quoted: bool, listed: bool) -> bool:
    """Returns whether the value is likely a secret. `listed`: a comma is between name and value, so they may be neighbours only."""
    passwordlike = not listed and _is_password_name(name)
    length = len(value)
    if length < (6 if passwordlike else 10) or (_is_harmless_name(name) and not (passwordlike and quoted and length > 9)):
        return False
    if value.isalnum():
        if value.isdigit() or (value[:2] in ("0x", "0X") and length < 19):
            return False
    elif not _may_be_secret(name, value, quoted):
        return False
    if is_placeholder(value) or value.lower() in PASSWORD_WORDS or is_well_known(value):
        return False
    digits = count_digits(value)
    if not digits:
        return (passwordlike or (quoted and length > 19)) and _is_odd(value)
    if has_counting_run(value):
        return False
    mixed = digits * 5 >= length and (is_shuffled(value) or HEX.fullmatch(value) is not None)
    if mixed and len(set(value)) > 11:
        return True
    if not is_varied(value, 2.2 if passwordlike else min(3.2, 0.75 * log2(length))):
        return False
    if mixed:
        return True
    if passwordlike and length < 24:
        return length < 13 or not stopwords.has_stopword(value.lower())
    return not is_wordy(value) and not stopwords.has_stopword(value.lower())


def _may_be_secret(name: str, value: str, quoted: bool) -> bool:
    """Returns whether a value with punctuation is neither a path, a name, an address nor code."""
    if not value.isascii() or not value.isprintable() or _HARMLESS_VALUE.fullmatch(value):
        return False
    if " " in value or _SNAKE.fullmatch(value) or (not quoted and (_IDENTIFIER.fullmatch(value) or _ARGUMENT.match(value))):
        return False
    if _UUID.fullmatch(value):
        return _is_strong_name(name)
    return _PATH.fullmatch(value) is None or not (is_wordy(value) or not is_varied(value, 4.3))


def _is_odd(value: str) -> bool:
    """Returns whether a value without digits is no word: capitals in odd places, or punctuation."""
    if value.isalnum():
        switches = sum(first.islower() and second.isupper() for first, second in pairwise(value))
        return switches > 1 and not is_wordy(value) and not stopwords.has_stopword(value.lower())
    return len(value) > 7 and entropy(value) > 2.8 and not is_wordy(value) and not stopwords.has_stopword(value.lower())


@lru_cache(1024)
def _is_password_name(name: str) -> bool:
    return _PASSWORD_NAME.search(name) is not None


@lru_cache(1024)
def _is_strong_name(name: str) -> bool:
    return _STRONG_NAME.search(name) is not None


@lru_cache(1024)
def _is_harmless_name(name: str) -> bool:
    return _HARMLESS_NAME.search(name) is not None


_PASSWORD_NAME = Expression(r"passw|pwd|passphrase|passcode|_pass\b|\bpass\b|contrase")
_STRONG_NAME = Expression(
    r"passw|pwd|api[_-]?key|client[_-]?secret|access[_-]?token|auth[_-]?token|secret[_-]?key|private[_-]?key|app[_-]?secret"
)
_HARMLESS_NAME = Expression(
    r"""(?x)
    access(?:ibility|or|ed|es|_?time|_?log|_?level|_?mode|_?control|_?count|_?type|_?date) | access[_.-]?id | random[_.-]?access
    | api[_.-]?(?:id|name|version|group|path|docs?|spec) | rapid | capital | therapi | author(?!ization|_?token|_?key) | authentication-results
    | authenticat(?:or|ed|e)_? | x-ms-exchange-organization-auth | credentials?[_.-]?id | withcredentials
    | (?:bucket|foreign|hot|idx|natural|primary|pub(?:lic)?|schema|sequence|sort|partition|cache|group|row|map|dict|object|index|unique
        |composite|range|hash|lookup|short|i18n|translation|config|record|registry|reg|ssh-?pub|license_?plate)[_.-]?key(?!_?secret)
    | turkey | donkey | monkey | hockey | jockey | whiskey | keyring | keynote | keyerror | keyword | keyof | keyboard | keyframe | keying
    | key[_.-]?(?:alias|board|code|down|err|event|frame|func|hash|id|ids|index|length|len|level|list|mesh|name|names|pair|path|points?
        |press(?:ed)?|prefix|ref|ring|selector|sig(?:nature)?|size|space|stone|store(?!_?pass)|type|up|usage|version|word|vault|left|right
        |text|label|pattern|format|file)s?\b
    | keys?[_.-]?(?:to|for|in|of|by)\b | issuerkeyhash | keytab[_.-]?(?:file|path) | keyserver
    | secret[_.-]?(?:length|name|size|id\b|arn|path|ref|file|type|version) | usersecretsid | (?:csrf|xsrf)[_.-]?token
    | (?:credentials?|token|auth)[_.-]?(?:endpoint|ur[il]|type|name|expir\w*|count|limit|length|id\b|index|version|usage|method|mode|scheme
        |provider|domain|host)
    | (?<![a-z])(?:next|page|prev\w*|continuation|cancellation|pagination|sync|cursor|special|bos|eos|pad|unk|mask|sep|cls|max|min|num|n
        |total|input|output|prompt|completion|stop|reserved|added|extra|end|start|begin|lexer|parser|css|design)[_.-]?tokens?
    | tokenizer | tokeni[sz] | public[_.-]?token | (?:key|token|cred|password|secret)[_.-]?file | (?:sha|md)\d* | checksum | digest
    | fingerprint | integrity | thumbprint | etag | revision | commit | hash(?!ed?_?pass) | gpg | uuid | guid | io\.jsonwebtoken
    | (?:instance|group|provider|endpoint|policy|pair|point|token|key|client|user|account|object|access)[_.-]?ids?\Z | (?<![a-z])ids?\Z
    | placeholder | example | _policy | policy_ | cover(?:age)?_?key | bearer_?format
    | password[_.-]?(?:length|strength|policy|hint|field|label|reset|min|max|age|expir\w*|type|rules?|regex|pattern|input|changed?|updated)
    """
)
"""Names that contain such a word, but name no secret."""

_SNAKE = Expression(r"_{0,2}[A-Za-z]{1,14}\d{0,2}(?:[_.-][A-Za-z]{1,14}\d{0,2})+")
_IDENTIFIER = Expression(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+[!?]?")
_ARGUMENT = Expression(r"[A-Za-z_]\w{0,30}=[^=]")
_HARMLESS_VALUE = Expression(
    r"""(?ix)
    [a-z]*[_.-][a-z_.-]* | [\d.,:_/+\-eE]+ | v?\d+(?:\.\d+){1,3}(?:[-+.\w]*)? | \d{4}-\d\d-\d\d.* | (?:[\w+-]+:)?//.* | https?:.*
    | (?:sha\d*|md5)[-:~].* | [\w.-]+/[\w.-]+:[\w.-]+ | arn:aws.* | aws4-.* | urn:.* | projects/.* | \w+\(.* | --?\w.* | [\w.]+\[.* | \*+ | @[\w/.-]+
    | [\w-]+(?:\.[\w-]+)*\.(?:py|js|ts|json|ya?ml|txt|md|pem|key|crt|pub|html?|css|png|jpe?g|svg|com|org|net|io|dev|local|go|rs|java|rb|php
        |sh|toml|cfg|ini|conf|xml|csv|log|lock|war|jar|zip|gz)(?:[:?\#/].*)?
    | .*[_.-]?(?:key|token|secret|password)(?:[_.-]?(?:id|name|[a-z]?\d{0,2}))? | [^{]*\{[\w.:!\[\]]*\}.* | [^(]*\(\?.* | [^\[]*\[\^.*
    """
)
_UUID = Expression(r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_PATH = Expression(r"(?:\.{0,2}|~|[A-Z]:\\?)/[\w./ @+-]*|[\w.@+-]+(?:/[\w.@+-]+)+\.\w{1,6}")
HEX = Expression(r"[0-9a-f]+|[0-9A-F]+")
