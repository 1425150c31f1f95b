"""Rows that a warehouse writes into an object store: `EXPORT DATA OPTIONS(uri='gs://..')`, `COPY INTO 's3://..' FROM t`."""

import re

from .statements import Statement

_STORE = re.compile(r"(?:s3|gs|gcs|azure|abfss?|wasbs?)://(?P<bucket>[^/]+)").match
_OF_OTHERS = re.compile(
    r"(?:^|[-_.@])(?:public|partners?|external|ext|agency|shared?|vendors?|third-?party|\w*dropbox|outside|clients?)(?=[-_.@]|$)"
).search
"""Matches the name of a bucket that others read."""


def find_shared_bucket(statement: Statement) -> str:
    """Returns the address of a bucket that others read, if a statement writes rows into it; empty otherwise."""
    target = statement.tokens[2] if len(statement.tokens) > 2 else None
    copies = statement.starts_with("COPY") and statement.words[1:2] == ["INTO"] and target is not None and target.kind == "string"
    if not copies and not statement.starts_with("EXPORT", "UNLOAD"):
        return ""
    addresses = (token.text for token in statement.tokens if token.kind == "string")
    address = next((text for text in addresses if _STORE(text)), "")
    found = _STORE(address)
    return address if found is not None and _OF_OTHERS(found["bucket"]) else ""
