"""The size of the machines that a call starts: a type's name, or a kind of accelerator and its number."""

import re
from collections.abc import Iterable

from toolgate.machine_names import names_largest_size

_ACCELERATOR = re.compile(r"\b(?:[abh]\d00|gb\d00|mi\d00x?|tpu)\b", re.IGNORECASE)
"""Matches accelerators of data centres, of which one costs some dollars an hour."""
_COUNT_KEYS = frozenset("gpucount gpus numgpus gpunum acceleratorcount numaccelerators".split())
_MANY_ACCELERATORS = 4


def rents_largest_machine(leaves: Iterable[tuple[str, object]]) -> bool:
    """Returns whether the arguments name machines that cost tens of dollars an hour."""
    values = list(leaves)
    if any(isinstance(value, str) and names_largest_size(value) for _, value in values):
        return True
    counts = (int(str(value)) for key, value in values if key in _COUNT_KEYS and str(value).isdecimal())
    is_large = any("gpu" in key and isinstance(value, str) and _ACCELERATOR.search(value) for key, value in values)
    return is_large and max(counts, default=0) >= _MANY_ACCELERATORS
