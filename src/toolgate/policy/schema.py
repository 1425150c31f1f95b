"""Builds the JSON Schema of a layer's file from the forms that check it."""

from typing import Any

import msgspec

from .forms import FILES


def build_schema(layer: str) -> dict[str, Any]:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"toolgate: the {layer}'s policy",
        **msgspec.json.schema(FILES[layer]),
    }
