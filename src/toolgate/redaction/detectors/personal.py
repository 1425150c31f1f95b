"""Personal data: e-mail addresses, and on request telephone, card, social security and account numbers.

Numbers are found only if their check digits are valid (Luhn; ISO 7064 mod 97-10), or, without check digits, beside their name.
"""

from toolgate.redaction.expression import Expression

from .forms import Hit

EMAIL_MARKS = ("@",)

_LOCAL_PART_REVERSED = Expression(r"[A-Za-z0-9_+-][A-Za-z0-9._%+'-]{0,63}")  # reversed
_DOMAIN = Expression(
    r"@((?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,5}([A-Za-z]{2,24}))(?![A-Za-z0-9_-])(?!\.[A-Za-z0-9])(?![:/][A-Za-z0-9_.-]+/)"
)
_FILE_SUFFIXES = (
    "example test invalid localhost local internal lan png jpg jpeg gif svg webp ico js ts tsx jsx mjs cjs py rb go rs css scss html json md tgz zip gz lock toml yml "
    "yaml txt so dll h c cpp java sh service socket target timer mount slice scope swift kt php pdf xml map min"
)
_NOT_TOP_LEVEL = frozenset(_FILE_SUFFIXES.split())
"""Suffixes after a last dot that are no top-level domains."""
_SAFE_DOMAIN = Expression(
    r"(?i)(?:[\w-]+\.)*(?:example\.(?:com|org|net|edu)|users\.noreply\.github\.com|noreply\.[\w.-]+|schema\.org|w3\.org)"
)
_SAFE_LOCAL = Expression(r"(?i)no-?reply|do-?not-?reply|git|mailer-daemon|postmaster|.*\[bot\]|.*-bot|hg|svn")


def probe_email(text: str, start: int, _end: int) -> Hit | None:
    domain = _DOMAIN.match(text, start)
    if domain is None or domain[2].lower() in _NOT_TOP_LEVEL:
        return None
    local = _LOCAL_PART_REVERSED.match(text[max(0, start - 66) : start][::-1])
    if local is None:
        return None
    begins = start - local.end()
    if text[begins - 1 : begins] == "\\" and text[begins] in "nrt":  # an escape in quoted text
        begins += 1
    while begins < start and text[begins] in ".%+'-":
        begins += 1
    if begins == start or _is_account_name(text, begins):
        return None
    return Hit(begins, domain.end(1), "email")


def is_safe_address(address: str) -> bool:
    """Returns whether the address is nobody's: example domains, robots, addresses that receive no mail."""
    local, _, domain = address.rpartition("@")
    return _SAFE_DOMAIN.fullmatch(domain) is not None or _SAFE_LOCAL.fullmatch(local) is not None


def _is_account_name(text: str, start: int) -> bool:
    """Returns whether the text names an account (`https://user@host`, `user:password@host`); `mailto:` names a person."""
    before = text[max(0, start - 8) : start]
    if before.endswith(("://", "@")):
        return True
    return before.endswith(":") and not before.endswith("mailto:") and "://" in text[max(0, start - 160) : start]


_CARD = Expression(r"(?<![\w.-])(?:4\d{3}|5[1-5]\d\d|2[2-7]\d\d|6011|65\d\d|3[47]\d\d)(?:[ -]?\d{4,6}){2,3}\d{0,4}(?![\w-])")
_SSN = Expression(
    r"(?i)(?:ssn|social security(?: number| no\.?)?)\D{0,12}((?!000|666|9)\d{3}[- ]?(?!00)\d\d[- ]?(?!0000)\d{4})(?!\d)"
)
_PHONE = Expression(
    r"(?<![\w.+-])(?:\+[1-9]\d{0,2}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]?\d{2,4}){2,4}|\(\d{3}\) ?\d{3}[ .-]\d{4}|[2-9]\d{2}[.-][2-9]\d{2}[.-]\d{4})(?![\w-])"
)
_IBAN = Expression(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])")


def find_numbers(text: str, kinds: frozenset[str]) -> list[Hit]:
    """Returns the hits of the requested kinds: `card`, `ssn`, `phone`, `iban`."""
    found: list[Hit] = []
    if "card" in kinds:
        found += (Hit(*match.span(), "card") for match in _CARD.finditer(text) if _passes_luhn(match[0]))
    if "ssn" in kinds:
        found += (Hit(*match.span(1), "ssn") for match in _SSN.finditer(text))
    if "phone" in kinds:
        found += (Hit(*match.span(), "phone") for match in _PHONE.finditer(text) if 7 <= sum(map(str.isdigit, match[0])) <= 15)
    if "iban" in kinds:
        found += (Hit(*match.span(), "iban") for match in _IBAN.finditer(text) if _passes_mod97(match[0]))
    return found


def _passes_luhn(text: str) -> bool:
    digits = [int(char) for char in text if char.isdigit()][::-1]
    doubled = (digit * 2 - 9 if digit > 4 else digit * 2 for digit in digits[1::2])
    return 13 <= len(digits) <= 19 and (sum(digits[::2]) + sum(doubled)) % 10 == 0


def _passes_mod97(text: str) -> bool:
    packed = text.replace(" ", "")
    if not 15 <= len(packed) <= 34:
        return False
    return int("".join(str(int(char, 36)) for char in packed[4:] + packed[:4])) % 97 == 1
