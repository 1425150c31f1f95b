"""The code that identifies a request to the person, and the sentence that answers it.

A code alone is never enough: it counts together with evidence that a person gave it. Only its hash is stored.
"""

import re
from typing import NamedTuple

ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # without characters that look alike
DRAWN = 7  # random letters; the eighth is a check letter
PREFIX = "tgc-"
# compiled where they are used: most calls contain no code
SHAPE = rf"\b{PREFIX}[{ALPHABET}]{{4}}-[{ALPHABET}]{{4}}\b"
_SENTENCE = rf"\s*(?P<word>approve|deny)\s+(?P<code>{SHAPE})(?:\s+(?P<reach>once|session))?\s*[.!]?\s*"


class Said(NamedTuple):
    """`approve CODE`, `approve CODE session`, `deny CODE`."""

    yes: bool
    code: str
    reach: str


def code(chance: bytes) -> str:
    """Returns a code from at least sixteen random bytes: one of 31^7."""
    number, text = int.from_bytes(chance, "big"), ""
    for _ in range(DRAWN):
        number, place = divmod(number, len(ALPHABET))
        text += ALPHABET[place]
    text += _check(text)
    return f"{PREFIX}{text[:4]}-{text[4:]}"


def _check(text: str) -> str:
    return ALPHABET[sum((n + 2) * ALPHABET.index(letter) for n, letter in enumerate(text)) % len(ALPHABET)]


def mentioned(text: str) -> bool:
    """Returns whether the text contains a code. The check letter excludes chance matches."""
    if PREFIX not in text.lower():
        return False
    for found in re.findall(SHAPE, text, re.IGNORECASE):
        letters = found.lower().removeprefix(PREFIX).replace("-", "")
        if _check(letters[:DRAWN]) == letters[DRAWN:]:
            return True
    return False


def kept(code: str, salt: str) -> str:
    """Returns the stored form of a code."""
    from hashlib import sha256  # slow to import, and rarely needed

    return f"{salt}${sha256(f'{salt}{code.lower()}'.encode()).hexdigest()}"


def fits(code: str, held: str) -> bool:
    return kept(code, held.partition("$")[0]) == held


def said(prompt: str) -> Said | None:
    """Returns the answer that is the whole prompt, or None: a tool's output may contain the sentence, but not alone."""
    found = re.fullmatch(_SENTENCE, prompt, re.IGNORECASE)
    if found is None:
        return None
    return Said(found["word"].lower() == "approve", found["code"].lower(), (found["reach"] or "once").lower())
