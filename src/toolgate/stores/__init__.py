"""Opens stores of state. GROWS: a store is one module with `open_store(url, folder)`, and a line in this table.

Nothing is opened before it is used: a call that touches no state costs nothing. A store's module is imported with its first use.
"""

from importlib import import_module
from typing import cast

from toolgate.model.errors import StoreError
from toolgate.model.store import Store

STORES: dict[str, str] = {
    "memory": "memory",
    "postgres": "postgres",
    "postgresql": "postgres",
    "sqlite": "sqlite",
    "supervised": "supervised",
}
"""Scheme of the URL -> module. A test compares it with the existing modules."""


def find_store(url: str, folder: str) -> Store:
    """Returns the store that a URL names; without one, a file in `folder`. Opens nothing yet. Raises StoreError for an unknown
    scheme."""
    scheme = url.partition(":")[0] if url else "sqlite"
    if scheme not in STORES:
        known = ", ".join(sorted(STORES))
        raise StoreError("TOOLGATE_STORE_URL", f"{scheme!r} is no kind of store", f"there are {known}")
    try:
        module = import_module(f"{__name__}.{STORES[scheme]}")
    except ImportError as problem:
        raise StoreError(f"the {scheme} store", f"it needs {problem.name}", f"pip install 'toolgate[{STORES[scheme]}]'") from None
    return cast(Store, module.open_store(url, folder))
