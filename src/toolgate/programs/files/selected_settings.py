"""Single settings that `jq` and `yq` select from a known document: `jq -r '.paths.output // empty' build.json`."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from toolgate.documents import InvalidDocument, read_yaml
from toolgate.flows.issuers import secret_of_variable
from toolgate.model.effect import PrintedOutput, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word

_MAX_LENGTH, _MAX_VALUE = 64_000, 400  # characters
_FILTER = re.compile(
    r"\s*(?P<path>(?:\.[A-Za-z_]\w*|\.\"[^\"\\]*\"|\.?\[\s*(?:\"[^\"\\]*\"|\d{1,6})\s*\])+)\s*(?://\s*(?P<default>empty|\"[^\"\\]*\"|[\w.]+)\s*)?"
)
_STEP = re.compile(r"\.([A-Za-z_]\w*)|(?:\.|\[\s*)\"([^\"\\]*)\"|\[\s*(\d+)\s*\]")
_RAW_OPTIONS = frozenset(("-r", "--raw-output", "-er", "-re"))
_OPTIONS = _RAW_OPTIONS | {"-e", "-M", "--exit-status", "--unwrapScalar"}
_EVALUATING_VERBS = ("e", "eval")
_NOTHING = object()

Parse = Callable[[str], Any]


def select_from_json(argv: tuple[Word, ...], context: ExecutionContext) -> Word | None:
    """Returns what jq prints, if that is one known value of a known document."""
    is_raw = any(word.text in _RAW_OPTIONS for word in argv[1:])
    return _select(argv, context, json.loads, is_raw=is_raw)


def select_from_yaml(argv: tuple[Word, ...], context: ExecutionContext) -> Word | None:
    """Returns what yq prints, which prints texts without quotes."""
    words = (argv[0], *argv[2:]) if len(argv) > 1 and argv[1].text in _EVALUATING_VERBS else argv
    return _select(words, context, read_yaml, is_raw=True)


def _select(argv: tuple[Word, ...], context: ExecutionContext, parse: Parse, *, is_raw: bool) -> Word | None:
    options = [word.text for word in argv[1:] if word.starts_with("-") is not False]
    operands = [word for word in argv[1:] if word.starts_with("-") is False]
    found = _FILTER.fullmatch(operands[0].text or "") if operands and len(operands) < 3 and _OPTIONS.issuperset(options) else None
    texts = context.read_alternatives(operands[1]) if len(operands) > 1 else (context.stdin,)
    if found is None or len(texts) != 1 or not texts[0].text or len(texts[0].text) > _MAX_LENGTH:
        return None
    value = _find_value(found["path"], texts[0].text, parse)
    sources = texts[0].src | context.unknown_output("").src
    if (value is None or value is False) and found["default"] is not None:
        if found["default"] == "empty":
            return known_word("", sources)
        value = _read_literal(found["default"])
    if value is _NOTHING or isinstance(value, dict | list) or (isinstance(value, str) and len(value) > _MAX_VALUE):
        return None
    printed = value if isinstance(value, str) and is_raw else json.dumps(value, ensure_ascii=False, default=str)
    return known_word(f"{printed}\n", sources)


def replace_output(effects: Iterable[ReportedEffect], printed: Word | None) -> Iterator[ReportedEffect]:
    """Yields a program's effects with what it is known to print."""
    for effect in effects:
        if not isinstance(effect, PrintedOutput) or printed is None:
            yield effect
    if printed is not None:
        yield PrintedOutput(printed)


def _find_value(path: str, text: str, parse: Parse) -> Any:
    """Returns the value at a path; nothing for one of another shape, or one whose name is that of a secret."""
    try:
        value = parse(text)
    except (ValueError, RecursionError, InvalidDocument):
        return _NOTHING
    for name, key, index in _STEP.findall(path):
        if secret_of_variable(name or key) is not None:
            return _NOTHING
        if isinstance(value, dict) and not index:
            value = value.get(name or key)
        elif isinstance(value, list) and index:
            value = value[int(index)] if int(index) < len(value) else None
        elif value is not None:
            return _NOTHING
    return value


def _read_literal(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return _NOTHING
