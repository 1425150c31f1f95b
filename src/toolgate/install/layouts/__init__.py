"""Files that a design needs beside the registration. GROWS: a layout is one module with `pieces(command)`, and a line here."""

from importlib import import_module

LAYOUTS: dict[str, str] = {"guardrail": "guardrail"}
"""Name on the command line -> module."""


def build_layout_files(name: str, command: tuple[str, ...]) -> dict[str, str]:
    """Returns path inside the host's own folder -> text. A path that ends in a slash is a folder. Raises KeyError."""
    found: dict[str, str] = import_module(f"{__name__}.{LAYOUTS[name]}").pieces(command)
    return found
