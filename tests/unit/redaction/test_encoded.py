"""Secrets in encoded text: base64 (wrapped or not), logins of Docker and npm, percent-encoding; and text without any."""

import json
import textwrap
from base64 import b64encode
from random import Random

import pytest

from toolgate.redaction.finder import default_finder
from unit.redaction.planted import EMAIL, GITHUB, URL

LOGIN = "bob:" + "h0rse-b4ttery"


def base64(text: str | bytes) -> str:
    return b64encode(text.encode() if isinstance(text, str) else text).decode()


def percent_encode(text: str) -> str:
    return "".join(f"%{ord(char):02X}" for char in text)


def secrets(text: str) -> list[str]:
    """Returns the secrets that are found, as they are in the text."""
    return [text[hit.start : hit.end] for hit in default_finder().find(text) if hit.kind != "email"]


@pytest.mark.parametrize("width", [64, 76])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\n    ", "\\n"], ids=["lf", "crlf", "indented", "escaped"])
def test_a_secret_in_wrapped_base64_is_found_wherever_lines_break(width: int, line_end: str) -> None:
    for before in range(width):
        lines = textwrap.wrap(base64("x" * before + f" TOKEN={GITHUB} " + "y" * 90), width)
        text = '{"data": "' + line_end.join(lines) + '"}' if line_end == "\\n" else line_end.join(["", *lines, ""])
        assert secrets(text) == [line_end.join(lines)], before


@pytest.mark.parametrize("before", ["", "a", "ab", "DATABASE=", "{'url': '"])
def test_a_url_with_a_password_in_base64_is_found(before: str) -> None:
    encoded = base64(before + URL)
    assert secrets(f"value: {encoded}\n") == [encoded]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"auths": {"ghcr.io": {"auth": base64(LOGIN)}}}),
        f"_auth={base64(LOGIN)}",
        f"//registry.example/:_auth = {base64(LOGIN)}",
        f"registries:\n  - auth: {base64(LOGIN)}\n",
    ],
)
def test_a_login_in_base64_is_found(text: str) -> None:
    assert secrets(text) == [base64(LOGIN)]


def test_dockers_configuration_in_base64_is_found() -> None:
    encoded = base64(json.dumps({"auths": {"ghcr.io": {"auth": base64(LOGIN)}}}))
    assert secrets(f".dockerconfigjson: {encoded}\n") == [encoded]


@pytest.mark.parametrize("secret", [GITHUB, URL, f"token={GITHUB}"])
def test_a_secret_of_which_every_character_is_percent_encoded_is_found(secret: str) -> None:
    (found,) = secrets(f"https://x.example/?q={percent_encode(secret)}")
    assert found in percent_encode(secret)


CHANCE = Random(7)
BENIGN = {
    "an image": base64(b"\x89PNG\r\n\x1a\n" + CHANCE.randbytes(60_000)),
    "a wrapped image": "\n".join(textwrap.wrap(base64(CHANCE.randbytes(60_000)), 76)),
    "digests": "\n".join(CHANCE.randbytes(32).hex() for _ in range(500)),
    "integrity": "\n".join(f'"integrity": "sha512-{base64(CHANCE.randbytes(64))}"' for _ in range(500)),
    "a certificate": "-----BEGIN CERTIFICATE-----\n" + "\n".join(textwrap.wrap(base64(CHANCE.randbytes(1500)), 64)),
    "a source map": "//# sourceMappingURL=data:application/json;base64,"
    + base64(
        json.dumps(
            {
                "version": 3,
                "sources": ["https://x.example/a.js"] * 50,
                "sourcesContent": ["f = (user) => user.name"],
            }
        )
    ),
    "a page": base64("<html>" + '<a href="https://user.example/">home</a>' * 100),
    "minified": json.dumps({"a": {"b": ["https://x.example/" + "c" * 60] * 40}}, separators=(",", ":")),
    "an address": f"{base64(f'mail {EMAIL} about https://x.example/ and nothing else')}",
    "a path in another script": "https://zh.wikipedia.org/wiki/%E5%8D%8A%E5%AF%BC%E4%BD%93%E5%8D%8A%E5%AF%BC%E4%BD%93",
    "other auth": '"auth": "enabled", auth: required, auth: /api/v1/authenticate, "auth": "oauth2:bearer"',
}


@pytest.mark.parametrize("text", BENIGN.values(), ids=BENIGN)
def test_encoded_text_without_a_secret_is_left_unchanged(text: str) -> None:
    assert secrets(text) == []
