"""The names of operations that the package declares, for telling a rule that can never match."""

import os
import tomllib

FILE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "model", "operations.toml")


def declared() -> tuple[str, ...]:
    """Empty where nothing is declared: then no name is called wrong."""
    try:
        with open(FILE, "rb") as file:
            table = tomllib.load(file)
    except FileNotFoundError:
        return ()
    return tuple(table)
