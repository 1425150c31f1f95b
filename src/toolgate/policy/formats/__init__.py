"""What the readers of other designs' policy files share."""

import json
import re
from typing import Any, TypeVar

import msgspec

from toolgate.model.errors import PolicyError
from toolgate.rules.written_rules import compile_cached_pattern

T = TypeVar("T")


def parse_file(data: bytes, file: str, form: type[T]) -> T:
    """Returns the file in the given form; an error names the key and its line."""
    try:
        text = data.decode()
        table = json.loads(text)
    except UnicodeDecodeError as problem:
        raise PolicyError(file, "", f"not UTF-8 (byte {problem.start})", "save it as UTF-8") from None
    except json.JSONDecodeError as problem:
        raise PolicyError(file, "", f"not JSON: {problem.msg}", "fix the syntax there", problem.lineno) from None
    except RecursionError:
        raise PolicyError(file, "", "nested too deep", "write it plainer") from None
    try:
        return msgspec.convert(table, form)
    except msgspec.ValidationError as problem:
        what, _, where = str(problem).partition(" - at `$")
        key = where.strip("`.").replace("[...]", "")
        named = what.partition("field `")[2].rstrip("`") or key.rpartition(".")[2]
        full = key if named in key else f"{key}.{named}".strip(".")
        raise PolicyError(file, full, what, "see docs/policy.md", _find_line(text, named)) from None


def check_expression(pattern: str, file: str, key: str) -> str:
    """Returns a pattern that re2 accepts; any other raises an error that names it."""
    try:
        compile_cached_pattern(pattern)
    except ValueError as problem:
        raise PolicyError(file, key, f"{pattern!r} is not a re2 expression: {problem}", "fix it, or remove it") from None
    except ImportError:
        raise PolicyError(file, key, "google-re2 is not installed", "pip install google-re2") from None
    return pattern


def build_pattern_name(pattern: str) -> str:
    """Returns a name for the rule of a pattern without an `id`."""
    return re.sub(r"[^a-z0-9]+", "_", pattern.lower()).strip("_")[:40] or "pattern"


def _find_line(text: str, name: str) -> int | None:
    at: Any = text.find(json.dumps(name)) if name else -1
    return text.count("\n", 0, at) + 1 if at >= 0 else None
