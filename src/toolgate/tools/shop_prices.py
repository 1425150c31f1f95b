"""Prices that a call sets in a shop, at which customers buy from then on."""

import re
from collections.abc import Iterable

from .names import split_words

_SHOPS = frozenset(
    (
        *("shopify", "woocommerce", "magento", "bigcommerce", "prestashop", "shopware", "commercetools", "saleor", "medusa"),
        *("etsy", "ebay", "amazon", "walmart", "squarespace", "wix", "ecommerce", "shop", "store", "storefront", "marketplace"),
    )
)
_REHEARSALS = frozenset("dev development test tests sandbox staging local localhost mock demo".split())
_REPLACING_VERBS = frozenset("update set change replace patch edit adjust modify".split())
_PRICE_WORDS = frozenset("price prices pricing".split())
_SETS_PRICE = re.compile(r"(?s)\s*mutation\b.*\b(?:price|compareAtPrice)\s*:\s*(?:\{\s*amount\s*:\s*)?\"?\d").match
"""Matches a mutation of GraphQL that writes a price out."""
_IS_MUTATION = re.compile(r"\s*mutation\b").match
_GRANTS_DISCOUNT = re.compile(r"\b(?:discount|coupon|priceRule|promotion)\w*(?:Create|Activate|Update)\b").search
_UNSOLD_STATES = ("draft", "archived")


def sets_shop_price(server: str, tool: str, leaves: Iterable[tuple[str, object]]) -> bool:
    """Returns whether a tool of a shop's server is made for changing prices. A draft is sold to nobody, and a single product's
    update is daily work."""
    words, serves = split_words(tool), frozenset(split_words(server))
    given = list(leaves)
    if serves.isdisjoint(_SHOPS) or not serves.isdisjoint(_REHEARSALS):
        return False
    if any(isinstance(value, str) and _IS_MUTATION(value) and _GRANTS_DISCOUNT(value) for _, value in given):
        return True
    mutates = any(isinstance(value, str) and _IS_MUTATION(value) for _, value in given)
    if mutates and any(isinstance(value, str) and (_SETS_PRICE(value) or _is_price(key)) for key, value in given):
        return True
    if _REPLACING_VERBS.isdisjoint(words) or _PRICE_WORDS.isdisjoint(words):
        return False
    if any(key == "status" and value in _UNSOLD_STATES for key, value in given):
        return False
    return any(_is_price(key) and not isinstance(value, bool) and value is not None for key, value in given)


def _is_price(key: str) -> bool:
    """Returns whether a folded key holds a price: `price`, `saleprice`, `priceamount`."""
    return key.startswith(("price", "newprice")) or key.endswith("price")
