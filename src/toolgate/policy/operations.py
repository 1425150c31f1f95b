"""Lists the names of operations that the package declares, to recognise a rule that can never match."""

import os
import tomllib

OPERATIONS_FILE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "model", "operations.toml")


def list_declared() -> tuple[str, ...]:
    """Returns nothing where nothing is declared: then every name is accepted."""
    try:
        with open(OPERATIONS_FILE, "rb") as file:
            table = tomllib.load(file)
    except FileNotFoundError:
        return ()
    return tuple(table)
