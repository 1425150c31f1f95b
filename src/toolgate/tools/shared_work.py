"""Acts on what others use at once: merged requests, steps of everybody's login, published posts, orders at an exchange."""

from collections.abc import Iterable

from toolgate.locality import is_in_development

from .data_keys import is_data_key

_REQUESTS = frozenset("pull mr pr request requests".split())
_BRANCHED_DATABASES = frozenset("supabase neon planetscale xata turso".split())
"""Databases with branches: a merge changes the main one."""
_IDENTITY_PROVIDERS = frozenset("auth okta keycloak cognito clerk workos entra".split())
_POSTS = frozenset("post posts page pages article articles newsletter video campaign".split())
_WRITING_VERBS = frozenset("create add update edit set insert".split())
_EXCHANGES = frozenset("kraken binance coinbase bybit okx kucoin bitfinex bitget alpaca ibkr tradier robinhood oanda".split())


_STORE_WORDS = frozenset("submission submissions release releases rollout track review edits".split())
_RELEASING_VERBS = frozenset("create add submit commit release start update promote".split())


_SOCIAL_NETWORKS = frozenset(
    "bluesky mastodon twitter linkedin threads reddit facebook instagram tiktok youtube medium devto hashnode substack "
    "hackernews discourse producthunt pinterest tumblr hootsuite buffer sprout".split()
)
_SPOKEN = frozenset("message post posts tweet toot status thread reply comment video article story pin skeet".split())
_SPEAKING_VERBS = frozenset("schedule create post publish send reply update add submit upload write".split())


def changes_shared_work(kind: str, server: frozenset[str], nouns: frozenset[str]) -> bool:
    """Returns whether an act of daily work changes what others use at once: a merge into a shared branch, a new step of
    everybody's login."""
    if kind == "merges":
        return bool(nouns & _REQUESTS or ("branch" in nouns and server & _BRANCHED_DATABASES))
    return kind == "deploys" and bool(server & _IDENTITY_PROVIDERS)


def find_public_act(server: frozenset[str], words: frozenset[str], leaves: Iterable[tuple[str, object]]) -> str | None:
    """Returns the kind of act of a call that puts a post before its readers, an order on a market, or a plan into effect."""
    values = list(leaves)
    if words & _POSTS and words & _WRITING_VERBS and any(key == "status" and value in _PUBLIC_STATES for key, value in values):
        return "publishes"
    if (server >= {"app", "store"} or server >= {"play", "console"}) and words & _STORE_WORDS and words & _RELEASING_VERBS:
        return "publishes"
    if server & _SOCIAL_NETWORKS and words & _SPOKEN and words & _SPEAKING_VERBS and not _is_draft(values):
        return "publishes"
    is_own = any(isinstance(value, str) and not is_data_key(key) and is_in_development(value) for key, value in values)
    if {"apply", "run"} <= words and not is_own:
        return "deploys"
    is_checked = "kraken" in server and any(key == "validate" and value is True for key, value in values)
    is_order = server & _EXCHANGES and words & {"order", "orders"} and words & {"add", "amend", "edit", "place"}
    return "pays" if is_order and not is_checked else None


def _is_draft(values: list[tuple[str, object]]) -> bool:
    return any((key in ("draft", "isdraft") and value is True) or value in ("draft", "private") for key, value in values)


_PUBLIC_STATES = ("published", "publish", "public", "live")
