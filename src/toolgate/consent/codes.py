"""The code that identifies a request to the person, and the sentence that answers it.

A code alone is never enough: it counts together with evidence that a person gave it. Only its hash is stored.
"""

import re
from typing import NamedTuple

ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # without characters that look alike
RANDOM_LETTERS = 7  # random letters; the eighth is a check letter
CODE_PREFIX = "tgc-"
# compiled where they are used: most calls contain no code
CODE_PATTERN = rf"\b{CODE_PREFIX}[{ALPHABET}]{{4}}-[{ALPHABET}]{{4}}\b"
_ANSWER_PATTERN = rf"\s*(?P<word>approve|deny)\s+(?P<code>{CODE_PATTERN})(?:\s+(?P<reach>once|session))?\s*[.!]?\s*"


class TypedAnswer(NamedTuple):
    """`approve CODE`, `approve CODE session`, `deny CODE`."""

    yes: bool
    code: str
    reach: str


def build_code(chance: bytes) -> str:
    """Returns a code from at least sixteen random bytes: one of 31^7."""
    number, text = int.from_bytes(chance, "big"), ""
    for _ in range(RANDOM_LETTERS):
        number, place = divmod(number, len(ALPHABET))
        text += ALPHABET[place]
    text += _check_letter(text)
    return f"{CODE_PREFIX}{text[:4]}-{text[4:]}"


def _check_letter(text: str) -> str:
    return ALPHABET[sum((n + 2) * ALPHABET.index(letter) for n, letter in enumerate(text)) % len(ALPHABET)]


def has_code(text: str) -> bool:
    """Returns whether the text contains a code. The check letter excludes chance matches."""
    if CODE_PREFIX not in text.lower():
        return False
    for found in re.findall(CODE_PATTERN, text, re.IGNORECASE):
        letters = found.lower().removeprefix(CODE_PREFIX).replace("-", "")
        if _check_letter(letters[:RANDOM_LETTERS]) == letters[RANDOM_LETTERS:]:
            return True
    return False


def hash_code(code: str, salt: str) -> str:
    """Returns the stored form of a code."""
    from hashlib import sha256  # slow to import, and rarely needed

    return f"{salt}${sha256(f'{salt}{code.lower()}'.encode()).hexdigest()}"


def is_matching_code(code: str, stored: str) -> bool:
    return hash_code(code, stored.partition("$")[0]) == stored


def parse_answer(prompt: str) -> TypedAnswer | None:
    """Returns the answer that is the whole prompt, or None: a tool's output may contain the sentence, but not alone."""
    found = re.fullmatch(_ANSWER_PATTERN, prompt, re.IGNORECASE)
    if found is None:
        return None
    return TypedAnswer(found["word"].lower() == "approve", found["code"].lower(), (found["reach"] or "once").lower())
