"""Secrets in Kubernetes manifests: `kind: Secret` and the values below `data:`, which are base64 of anything."""

from toolgate.redaction.expression import Expression

from .forms import Hit

WORDS = ("kind:", 'kind":')
_KIND = Expression(r"""(?i)kind["']?:[ \t]*["']?secret["']?(?=\s|,|}|\Z)""")
_DATA = Expression(r"(?i)(?:^|[\s\"'{])(?:string)?data[\"']?:")
_VALUE = Expression(
    r"""(?:[\s{,"'])([\w.-]+)["']?:(?:[ \t]*(?:\||>[-+]?)\s+)?[ \t]*["']?([A-Za-z0-9+/]{10,}={0,3})["']?(?=\s|,|}|\Z)"""
)
_REACH_CHARACTERS = 2_000
_DOCUMENT_DIVIDER = Expression(r"\n---")


def probe(text: str, start: int, _end: int) -> Hit | None:
    """Returns one hit from the first value to the last; only their names are between them."""
    if _KIND.match(text, start) is None:
        return None
    low, high = max(0, start - _REACH_CHARACTERS), min(len(text), start + _REACH_CHARACTERS)
    for divider in _DOCUMENT_DIVIDER.finditer(text, low, high):
        if divider.start() < start:
            low = divider.end()
        else:
            high = divider.start()
            break
    data = _DATA.search(text, low, high)
    if data is None:
        return None
    values = [found for found in _VALUE.finditer(text, data.end() - 1, high) if found[1] not in _METADATA_KEYS]
    return Hit(values[0].start(2), values[-1].end(2), "kubernetes-secret") if values else None


_METADATA_KEYS = frozenset(("kind", "apiVersion", "namespace", "name", "type", "app", "release", "chart", "heritage"))
