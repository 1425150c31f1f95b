"""Names of calls that open a database, and of those that only look like it."""

import re
from functools import lru_cache

_OPENING_NAME = re.compile(r"(?:connect|connection|engine|pool|client|database|open|from_?(?:url|uri|dsn))\w*$", re.IGNORECASE)
"""Matches names of calls that may open a database."""
_DATABASE_NAME = re.compile(rf"sqlite|duckdb|{_OPENING_NAME.pattern}", re.IGNORECASE)
_OTHER_NAME = re.compile(
    r"(?:^|\.)(?:(?:drop|delete|list|get|use|remove|close|dis|set_?max)\w*|create_?(?:database|table|index|collection)\w*)$",
    re.IGNORECASE,
)
"""Matches methods of what is open already, such as `drop_database`."""
_OPENS_FILE_OR_WORKERS = re.compile(
    r"(?:(?:io|os|codecs|gzip|bz2|lzma|wave|zipfile|tarfile|tempfile|pathlib|shelve|webbrowser|PIL|archive|aiofiles|fsspec|smart_open|fs|node:fs"
    r"|fs/promises|node:fs/promises|File|IO|Zlib)\.(?:.*\.)?)?(?:fd|p|url)?open(?:Sync|_async|AsBlob)?"
    r"|(?:.*\.)?(?:Thread|Process|Worker|Interpreter)\w*Pool\w*|(?:multiprocessing|concurrent|multiprocess|billiard|joblib)\..*"
)
"""Matches calls that open a file, or start workers of this process."""


@lru_cache(4096)
def is_opening(name: str) -> bool:
    """Returns whether a call of this name may open a database."""
    return _OPENING_NAME.search(name) is not None


@lru_cache(4096)
def names_database(name: str) -> bool:
    """Returns whether a call of this name opens a database, or belongs to a library of one that is a file."""
    return _DATABASE_NAME.search(name.removesuffix(".new")) is not None


@lru_cache(4096)
def opens_something_else(name: str) -> bool:
    """Returns whether a call opens a file or workers, or is a method of what is open already."""
    return _OTHER_NAME.search(name) is not None or _OPENS_FILE_OR_WORKERS.fullmatch(name) is not None
