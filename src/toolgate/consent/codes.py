"""The code that names a request to the person, and the sentence that it is answered with.

A code alone is never enough: it counts together with a witness that a person gave it. Only its hash is kept.
"""

import re
from typing import NamedTuple

ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # nothing that looks like something else
DRAWN = 7  # letters; the eighth follows from them
PREFIX = "tgc-"
# compiled where they are used: most calls hold no code
SHAPE = rf"\b{PREFIX}[{ALPHABET}]{{4}}-[{ALPHABET}]{{4}}\b"
_SENTENCE = rf"\s*(?P<word>approve|deny)\s+(?P<code>{SHAPE})(?:\s+(?P<reach>once|session))?\s*[.!]?\s*"


class Said(NamedTuple):
    """`approve CODE`, `approve CODE session`, `deny CODE`."""

    yes: bool
    code: str
    reach: str


def code(chance: bytes) -> str:
    """From at least sixteen bytes of chance: one draw in 31^7."""
    number, text = int.from_bytes(chance, "big"), ""
    for _ in range(DRAWN):
        number, place = divmod(number, len(ALPHABET))
        text += ALPHABET[place]
    text += _check(text)
    return f"{PREFIX}{text[:4]}-{text[4:]}"


def _check(text: str) -> str:
    return ALPHABET[sum((n + 2) * ALPHABET.index(letter) for n, letter in enumerate(text)) % len(ALPHABET)]


def mentioned(text: str) -> bool:
    """Does a code stand in it? Nobody writes one by chance: what has its shape must fit its last letter too."""
    if PREFIX not in text.lower():
        return False
    for found in re.findall(SHAPE, text, re.IGNORECASE):
        letters = found.lower().removeprefix(PREFIX).replace("-", "")
        if _check(letters[:DRAWN]) == letters[DRAWN:]:
            return True
    return False


def kept(code: str, salt: str) -> str:
    """What is kept of a code."""
    from hashlib import sha256  # dear to import, and rarely asked

    return f"{salt}${sha256(f'{salt}{code.lower()}'.encode()).hexdigest()}"


def fits(code: str, held: str) -> bool:
    return kept(code, held.partition("$")[0]) == held


def said(prompt: str) -> Said | None:
    """The whole of a prompt, or nothing: what a tool brought back may hold the words, but not alone."""
    found = re.fullmatch(_SENTENCE, prompt, re.IGNORECASE)
    if found is None:
        return None
    return Said(found["word"].lower() == "approve", found["code"].lower(), (found["reach"] or "once").lower())
