"""Texts for the search for secrets: pages as tools print them, tokens made from other scanners' own patterns, and look-alikes.

Everything is random, from a seed; nothing here is, or was, a real secret.
"""

import base64
import random
import re
import string
from collections.abc import Iterator
from re import _constants as code  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

PAGE = 50_000
LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


def page(kind: str, seed: int, length: int = PAGE) -> str:
    dice = random.Random(f"{kind}{seed}")
    lines, size = [], 0
    for number in range(length):
        lines.append(_LINES[kind](dice, number))
        size += len(lines[-1])
        if size >= length:
            break
    return "".join(lines)[:length]


def random_text(dice: random.Random, alphabet: str, count: int) -> str:
    return "".join(dice.choices(alphabet, k=count))


def _commit(dice: random.Random, number: int) -> str:
    name = dice.choice(("Ann Lee", "Bob Kay", "Zo\u00eb May"))
    subject = dice.choice(("Fix the key lookup", "Add tests for auth", "Handle an empty password field", "Tidy token cache"))
    return (
        f"commit {random_text(dice, HEX, 40)}\nAuthor: {name} <{name.split()[0].lower()}{number}@corp{number % 9}.io>\n"
        f"Date:   Tue Nov {number % 28 + 1} 10:11:12 2026 +0100\n\n    {subject} (#{number})\n\n"
    )


def _npm(dice: random.Random, number: int) -> str:
    name = dice.choice(("lodash", "@types/node", "react", "left-pad", "key-tree-store"))
    return (
        f"npm http fetch GET 200 https://registry.npmjs.org/{name} {dice.randint(1, 900)}ms (cache miss)\n"
        f"npm sill placeDep ROOT {name}@{number % 9}.{number % 7}.1 OK for: app@1.0.0 want: ^{number % 9}.0.0\n"
        f"npm sill tarball sha512-{base64.b64encode(dice.randbytes(64)).decode()}\n"
    )


def _environment(dice: random.Random, number: int) -> str:
    return (
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\nHOME=/home/u\nLANG=C.UTF-8\nSHELL=/bin/bash\n"
        f"HOSTNAME={random_text(dice, HEX, 12)}\nTERM=xterm-256color\nPYTHON_VERSION=3.11.{number % 9}\nNODE_VERSION=20.11.0\n"
        f"GPG_KEY={random_text(dice, '0123456789ABCDEF', 40)}\nPYTHON_SHA256={random_text(dice, HEX, 64)}\nLESSOPEN=| /usr/bin/lesspipe %s\n"
        f"PWD=/home/u/project\nEDITOR=vim\nSECRET_KEY={random_text(dice, LETTERS, 32)}\nSHLVL=1\n"
    )


def _source(dice: random.Random, number: int) -> str:
    word = dice.choice(("token", "key", "user", "value", "access", "node", "author", "passwd"))
    return (
        f"def {word}_{number}(self, {word}, *, default=None):\n    if {word} is None or not self._{word}s:\n"
        f"        return default\n    for key, value in sorted(self._{word}s.items(), key=lambda each: each[{number % 2}]):\n"
        f'        yield self.parse({word}, "{word}-{number}"), value.strip("./"), {number}\n\n\n'
    )


def _minified_line(dice: random.Random, number: int) -> str:
    if number == 0:
        return "data:image/png;base64," + base64.b64encode(dice.randbytes(15_000)).decode()
    name = random_text(dice, string.ascii_letters, 2)
    return f"function {name}(e,t){{return e.{name}&&t[{number}]?void 0:n({number},e.key,t.token)}}"


def _adversarial(dice: random.Random, number: int) -> str:
    """Returns pages of marks without their tokens, names without their values, long runs after a name: some 3,600 near misses a
    page."""
    if number % 200 == 100:
        return "password" + "a" * 2000
    marks = ("gh" + "p_short", "AK" + "IA123", "sk" + "-x", "ey" + "J.x", "://a:b@", "token: ", "key=x ", "secret=", "x@y ")
    return f"{dice.choice(marks)} {number % 97} key "


_LINES = {
    "git log": _commit,
    "npm log": _npm,
    "environment": _environment,
    "source": _source,
    "minified": _minified_line,
    "adversarial": _adversarial,
}
ORDINARY = tuple(name for name in _LINES if name != "adversarial")


# ---- tokens from patterns


def matching_text(pattern: str, dice: random.Random) -> str:
    """Returns a text that the expression matches, if it consists of characters, choices and repeats."""
    return _sequence(parser.parse(pattern), dice)


def _sequence(parsed: Any, dice: random.Random) -> str:
    return "".join(_matching_part(operation, value, dice) for operation, value in parsed)


def _matching_part(operation: Any, value: Any, dice: random.Random) -> str:
    if operation is code.LITERAL:
        return chr(value)
    if operation is code.IN:
        return dice.choice(_members(value))
    if operation is code.BRANCH:
        return _sequence(dice.choice(value[1]), dice)
    if operation is code.SUBPATTERN:
        return _sequence(value[3], dice)
    if operation in (code.MAX_REPEAT, code.MIN_REPEAT):
        least, most, inner = value
        return "".join(_sequence(inner, dice) for _ in range(dice.randint(least, min(int(most), least + 20))))
    return "k" if operation in (code.ANY, code.NOT_LITERAL) else ""


def _members(items: Any) -> str:
    classes = {code.CATEGORY_DIGIT: string.digits, code.CATEGORY_WORD: LETTERS + "_", code.CATEGORY_SPACE: " "}
    members: set[str] = set()
    negated = False
    for operation, value in items:
        if operation is code.NEGATE:
            negated = True
        elif operation is code.LITERAL:
            members.add(chr(value))
        elif operation is code.RANGE:
            members.update(map(chr, range(value[0], value[1] + 1)))
        else:
            members.update(classes.get(value, LETTERS))
    return "".join(sorted(set(LETTERS) - members if negated else members)) or " "


def of_detect_secrets(seed: int = 1) -> Iterator[tuple[str, str]]:
    """Yields (plugin, text): four texts for each pattern of its plugins."""
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class

    dice = random.Random(seed)
    left_out = (
        "IPPublicDetector",
        "TelegramBotTokenDetector",
    )  # an address is no secret; theirs leaves out the mark that all have
    plugins: list[Any] = list(get_mapping_from_secret_type_to_class().values())
    for plugin in plugins:
        patterns = getattr(plugin, "denylist", ())
        for pattern in patterns if plugin.__name__ not in left_out and isinstance(patterns, list | tuple) else ():
            yield from ((plugin.__name__, f"x = {matching_text(pattern.pattern, dice)}\n") for _ in range(4))


ASSIGNMENTS = (
    '{0}="{1}"',
    "{0} = '{1}'",
    "{0}={1}",
    '"{0}": "{1}",',
    "{0}: {1}",
    "{0}: '{1}'",
    "{0} => '{1}'",
    "export {0}={1}",
    "{0} := `{1}`",
    'const {0}: string = "{1}";',
    "<{0}>{1}</{0}>",
    "--{0} {1}",
    "?{0}={1}&x=1",
    '\\"{0}\\": \\"{1}\\"',
    "{0} ?= {1}",
    'set("{0}", "{1}")',
    "$this->{0} = '{1}';",
    "{0}={1};Server=x",
    'String {0} = "{1}";',
    "- {0}: {1}",
)
NAMES = [
    "password",
    "DB_PASSWORD",
    "secret",
    "client_secret",
    "token",
    "auth_token",
    "api_key",
    "apiKey",
    "access_key",
    "AWS_SECRET_ACCESS_KEY",
    "private_key",
    "passphrase",
    "session_token",
    "webhook_secret",
    "jwt_secret",
    "encryption_key",
    "SLACK_SIGNING_SECRET",
    "x_api_key",
    "stripeKey",
    "credential",
]


def assignments(count: int, seed: int = 1) -> Iterator[tuple[str, str]]:
    """Yields (text, value) in the syntax of many languages."""
    dice = random.Random(seed)
    alphabets = (LETTERS, HEX, string.ascii_lowercase + string.digits, LETTERS + "+/", LETTERS + "_-")
    while count:
        value = random_text(dice, dice.choice(alphabets), dice.choice((12, 16, 20, 24, 32, 40, 64)))
        if re.search(r"\d", value):
            yield dice.choice(ASSIGNMENTS).format(dice.choice(NAMES), value), value
            count -= 1


def harmless_texts(seed: int = 1) -> Iterator[str]:
    """Yields texts that look like secrets: hashes, ids, locks, references, placeholders, code."""
    dice = random.Random(seed)

    def b64(count: int) -> str:
        return base64.b64encode(dice.randbytes(count)).decode()

    def uuid() -> str:
        return "-".join(random_text(dice, HEX, count) for count in (8, 4, 4, 4, 12))

    for _ in range(15):
        yield from (
            f'"integrity": "sha512-{b64(64)}"',
            f"commit {random_text(dice, HEX, 40)}",
            f"image: app@sha256:{random_text(dice, HEX, 64)}",
            uuid(),
            f"golang.org/x/sys v0.1.0 h1:{b64(32)}",
            f'checksum = "{random_text(dice, HEX, 64)}"',
            f'"hash": "{random_text(dice, HEX, 32)}"',
            f"data:image/png;base64,{b64(300)}",
            f'public_key = "{b64(32)}"',
            f"ssh-rsa {b64(279)} bob",
            f"--hash=sha256:{random_text(dice, HEX, 64)}",
            f"key_id: {random_text(dice, HEX, 16)}",
            f"cache-key: v1-deps-{random_text(dice, HEX, 16)}",
            f'"fingerprint": "{random_text(dice, HEX, 40)}"',
            f'csrf_token = "{random_text(dice, LETTERS, 32)}"',
            f'next_page_token: "{random_text(dice, LETTERS, 24)}"',
            f'client_id: "{uuid()}"',
            f'secret_name = "my-app-{random_text(dice, HEX, 6)}"',
            f"x-request-id: {uuid()}",
            f'primary_key: "{random_text(dice, LETTERS, 20)}"',
        )
    yield from HARMLESS.strip().split("\n")


HARMLESS = """
api_key = "YOUR_API_KEY"
token: <your-token>
password: "********"
secret: ${SECRET}
password = getpass.getpass()
password = os.environ["DB_PASSWORD_2"]
const token = await getToken(user2.id)
--mount=type=secret,id=mysecret,target=/root/.x
import { KeyManager1 } from "./key-manager-v2"
sorted(d, key=itemgetter(1))
KEY_F12 = 0x7B
ACCESS_TOKEN_EXPIRE_MINUTES = 30
public static final String TOKEN_TYPE_V2 = "token_type_v2"
authorization_endpoint: https://x.io/oauth2/v1
accessibility="button-1a2b3c"
Bearer <token>
curl -u "$USER:$PASS" https://x.io
https://user:password@example.com
amqp://guest:guest@localhost
my_secret_key_path = "/etc/keys/key1.pem"
kms_key_id = "arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab"
key: "item-1"
"key": "some-product-id-123"
i18n.key = "home.title.v2"
cacheKey = `user:${id}:v2`
foo@2x.png
npm i lodash@4.17.21
git@github.com:a/b.git
user@localhost
"token_uri": "https://oauth2.googleapis.com/token"
secret_version = "v1.20230401"
password_hash = "pbkdf2_sha256"
"""
