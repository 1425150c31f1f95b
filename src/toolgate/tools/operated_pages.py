"""What a call deletes or pays through a user interface or by code of a platform: clicks, requests of a page, and code in a
language that is not read.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Literal

from .arguments import find_leaves
from .data_keys import is_data_key
from .names import split_words

_CLICKING_WORDS = frozenset("click tap press submit dblclick touch activate select fill check".split())
_EXECUTING_WORDS = frozenset("evaluate eval execute exec run script javascript apex anonymous console invoke function".split())
_LABEL_KEYS = frozenset("selector element text label name xpath locator target css description ref title button role".split())
_CLOSING_WORDS = frozenset("close deactivate remove".split())
_STRONG_WORDS = frozenset("delete destroy terminate wipe erase purge".split())
_OWNED_OBJECTS = frozenset(
    (
        *("account", "accounts", "project", "organization", "organisation", "org", "workspace", "repository", "repo", "database"),
        *(
            "server",
            "cluster",
            "bucket",
            "tenant",
            "site",
            "domain",
            "store",
            "shop",
            "subscription",
            "team",
            "instance",
            "users",
        ),
        *("customers", "environment", "backup", "backups", "volume", "company", "membership", "droplet", "deployment"),
    )
)
_WHOLE_WORDS = frozenset("permanently forever irreversible irreversibly everything all".split())
_REQUESTED_DELETION = re.compile(
    r"\b(?:fetch|request|ajax|axios|\$http|XMLHttpRequest|open)\b[^;]{0,400}?['\"`]DELETE['\"`]|\b(?:axios|request|\$http)\s*\.\s*delete\s*\(",
    re.IGNORECASE,
)
_LOCAL_ADDRESS = re.compile(r"https?://(?:localhost|127\.0\.0\.1|\[::1\])(?=[:/'\"`\s])", re.IGNORECASE)
_ADDRESS = re.compile(r"\bhttps?://", re.IGNORECASE)
_CLICKED_IN_CODE = re.compile(
    r"(?:querySelector|getElementById|\$|getByText|getByRole|locator)\s*\(([^()]{1,200})\)[^;]{0,40}?\.\s*(?:click|submit)\s*\("
)
_CLICKED_ONE_BY_ONE = re.compile(
    r"(?:getByText|getByRole|locator|querySelectorAll)\s*\(([^()]{1,200})\)\s*(?:\.all\s*\(\)|\))[^;]{0,60}\{[^{}]{0,200}\.\s*click\s*\("
)
"""Matches what a loop clicks: `for (const b of await page.getByRole('button', {name: 'Delete'}).all()) { await b.click() }`."""
_PAYS = re.compile(
    r"\bpay\b.*\d|\b(?:pay|buy|order)\s+now\b|\b(?:place|confirm|submit)\s+(?:your\s+|the\s+)?(?:order|payment|purchase)\b|\bcomplete\s+(?:purchase|payment)\b",
    re.IGNORECASE,
)
"""Labels of the button that spends money."""
_SUBMITTED_DELETION = re.compile(
    r"(?:querySelector(?:All)?|\$)\s*\([^()]{0,100}action[^()]{0,40}/(?:destroy|delete|remove)\b[^()]{0,40}\)[^;]{0,120}?\.\s*submit\s*\("
)
_CALLED_METHOD = re.compile(r"\.\s*([A-Za-z_]\w{2,60})\s*\(")
_DML = re.compile(r"(?:^|[;{}\n])\s*delete\s+(?:\[\s*select\b|[A-Za-z_]\w*\s*;)", re.IGNORECASE)
_DELETING_METHODS = frozenset("delete destroy purge terminate wipe erase truncate expunge".split())
_MAX_TEXT = 20_000


_TYPING_WORDS = frozenset("fill type input enter form".split())
_CARD = re.compile(r"[3-6]\d{3}(?P<gap>[ -]?)\d{4}(?P=gap)\d{4}(?P=gap)\d{3,4}").fullmatch
"""Matches the number of a credit card."""
_CARD_FOR_TESTS = re.compile(r"4242|4000 ?00|4111|5555 ?5555|3782|3714|6011 ?1111|5105|4012 ?8888").match
"""Matches those with which payment providers have software tested."""


def _is_card(text: str) -> bool:
    return _CARD(text.strip()) is not None and _CARD_FOR_TESTS(text.strip().replace("-", " ")) is None


def find_act_of_page(tool: str, arguments: Mapping[str, object]) -> Literal["deletes", "pays"] | None:
    """Returns what a call does through a page that it operates, or by code that a platform runs."""
    words = frozenset(split_words(tool))
    texts = [
        (key, value)
        for key, value in find_leaves(arguments)
        if isinstance(value, str) and len(value) <= _MAX_TEXT and (not is_data_key(key) or key in _LABEL_KEYS)
    ]
    labels = [value for key, value in texts if key in _LABEL_KEYS]
    is_typed = words & _TYPING_WORDS and not _is_on_local_page(value for _, value in texts)
    if is_typed and any(isinstance(value, str) and _is_card(value) for _, value in find_leaves(arguments)):
        return "pays"
    clicks = words & _CLICKING_WORDS and not _is_on_local_page(value for _, value in texts)
    if clicks and any(map(names_deletion, labels)):
        return "deletes"
    if clicks and any(map(_PAYS.search, labels)):
        return "pays"
    if words & _EXECUTING_WORDS and any(_pays_by_code(value) for _, value in texts):
        return "pays"
    if words & _EXECUTING_WORDS and any(_deletes_by_code(value, key) for key, value in texts):
        return "deletes"
    return None


def _is_on_local_page(texts: Iterable[str]) -> bool:
    """Returns whether the call names a page of this machine, and no page of another one."""
    whole = " ".join(texts) + " "
    local = len(_LOCAL_ADDRESS.findall(whole))
    return local > 0 and local == len(_ADDRESS.findall(whole))


_LEAVES = re.compile(
    r"\W*(?:cancel|close|keep|dismiss|back|no)\b(?!\W+(?:(?:my|your|the|this)\s+)?(?:account|subscription|organi[sz]ation|membership)\b)",
    re.IGNORECASE,
)
"""Matches the button that leaves a dialog without doing what it asks."""


def names_deletion(label: str) -> bool:
    """Returns whether the label or the selector of an element says that it deletes something which others rely on."""
    words = frozenset(split_words(label))
    if _LEAVES.match(label):
        return False
    if words & _STRONG_WORDS and words & (_OWNED_OBJECTS | _WHOLE_WORDS):
        return True
    return bool(words & _CLOSING_WORDS and words & {"account", "organization", "workspace"})


_FILLED_AMOUNT = re.compile(
    r"\b(?:fill|type|sendKeys|value)\b[^;]{0,80}(?:amount|iban|card.?number|account.?number|recipient|wallet)", re.IGNORECASE
)
_PAYMENT_FIELD = re.compile(r"amount|iban|card.?number|account.?number|wallet", re.IGNORECASE)
_SUBMITTED = re.compile(r"\.\s*(?:click|submit|press)\s*\(")


def _pays_by_code(code: str) -> bool:
    """Returns whether code enters an amount or an account into a page, and submits it."""
    return (
        len({each.lower() for each in _PAYMENT_FIELD.findall(code)}) > 1
        and _FILLED_AMOUNT.search(code) is not None
        and _SUBMITTED.search(code) is not None
        and _LOCAL_ADDRESS.search(code) is None
    )


def _deletes_by_code(code: str, key: str) -> bool:
    if _REQUESTED_DELETION.search(code):
        return _LOCAL_ADDRESS.search(code) is None
    if _SUBMITTED_DELETION.search(code) or any(
        names_deletion(found[1]) for pattern in (_CLICKED_IN_CODE, _CLICKED_ONE_BY_ONE) for found in pattern.finditer(code)
    ):
        return True
    return key.endswith(("code", "script", "apex", "groovy")) and not _is_of_page(code) and _deletes_records(code)


def _is_of_page(code: str) -> bool:
    """Returns whether this is JavaScript, whose own objects have methods that delete."""
    return (
        re.search(r"=>|\bdocument\b|\bwindow\b|\bfunction\s*\(|\bconst\b|\blet\b|\bimport\b|\bdef\b|\brequire\b", code)
        is not None
    )


def _deletes_records(code: str) -> bool:
    """Returns whether code of a platform deletes records: `delete old;`, `Database.delete(old)`, `record.deleteMultiple()`."""
    return _DML.search(code) is not None or any(_is_deletion(name) for name in _find_methods(code))


def _find_methods(code: str) -> Iterable[str]:
    return (found[1] for found in _CALLED_METHOD.finditer(code))


def _is_deletion(method: str) -> bool:
    return not _DELETING_METHODS.isdisjoint(split_words(method)[:1])
