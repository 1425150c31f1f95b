"""Terraform's configuration whose provider talks to a stand-in on this machine: what it applies and destroys is made again."""

import re

from toolgate.model.address import all_lead_here
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word

_FILES = tuple(
    f"{name}.tf"
    for name in (
        *("main", "provider", "providers", "versions", "override", "localstack", "localstack_providers_override"),
        *("provider_override", "providers_override", "backend_override", "main_override"),
    )
)
"""Files that usually hold the provider; the folder may be one whose name only the shell knows."""

_PROVIDER = re.compile(r'(?m)^[ \t]*provider[ \t]+"([\w-]+)"')
_RESOURCE = re.compile(r'(?m)^[ \t]*resource[ \t]+"([a-z0-9]+)')
_MODULE = re.compile(r'(?m)^[ \t]*(?:module[ \t]+"|provisioner[ \t]+")')
_ENDPOINTS = re.compile(r"\bendpoints[ \t]*\{([^}]*)\}")
_ADDRESS = re.compile(r'"(https?://[^"\s]+)"')
_HARMLESS_PROVIDERS = frozenset("aws random null local template archive time tls external".split())


def leads_to_stand_in(folder: Word | None, context: ExecutionContext) -> bool:
    """Returns whether the configuration in a folder names endpoints of this machine alone, or makes files and random values
    alone. `folder`: the value of `-chdir`."""
    base = context.cwd if folder is None else folder
    texts = [text.text or "" for name in _FILES for text in context.read_alternatives(base + known_word(f"/{name}"))]
    blocks = [block for text in texts for block in _ENDPOINTS.findall(text)]
    addresses = [address for block in blocks for address in _ADDRESS.findall(block)]
    providers = {name for text in texts for name in _PROVIDER.findall(text)}
    kinds = {kind for text in texts for kind in _RESOURCE.findall(text)}
    if kinds and kinds <= _HARMLESS_PROVIDERS - {"aws", "external"} and not any(map(_MODULE.search, texts)):
        return True
    return providers <= _HARMLESS_PROVIDERS and all_lead_here(addresses)
