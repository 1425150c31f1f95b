"""Calls that the arguments of a tool carry: operations in a list or a text, requests with a relative path, settings with their
path.

`{"operations": [{"deleteMany": {}}]}`, `{"method": "POST", "path": "/orders/_delete_by_query"}` and `{"type": "ALTER_TOPIC",
"config": {"retention.ms": "1"}}` name what they do in a key, in a path, or in the names around a value.
"""

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping

from toolgate.safeguards import Setting, find_weakened, list_settings

from .arguments import METHODS
from .data_keys import is_data_key
from .names import fold_key, split_words

_CARRYING_KEYS = frozenset(
    "payload params parameters input arguments args request requests body data variables operation operations actions commands"
    " command changes steps batch bulk calls compositerequest".split()
)
"""Arguments whose objects or JSON texts are calls or what calls are given."""
_NAMING_KEYS = frozenset("type kind action op operation method do verb".split())
"""What names an operation within one of the arguments above."""
_METHOD_KEYS = ("method", "httpmethod", "httpverb", "verb", "requestmethod")
_ROUTE_KEYS = ("path", "endpoint", "route", "resource", "url", "uri", "apipath")
_ROUTE_ENDINGS = ("apipath", "requestpath", "endpoint", "route", "resource")
_MAKING_METHODS = {"POST": "create", "PUT": "put", "PATCH": "update", "DELETE": "delete"}
_CHANGING_WORDS = frozenset(
    "update set put patch modify alter edit change configure enable disable toggle switch turn apply settings deploy".split()
)
_RECORDS = frozenset("entity entities memory memories note notes row rows record records cell cells document documents".split())
"""Objects whose fields are data, not settings."""
_DRY_KEYS = frozenset("dryrun whatif simulate validateonly previewonly planonly".split())
_MAX_OBJECTS = 10_000
_MAX_NAME = 60
_MAX_TEXT = 1_000_000  # characters of a text that is read as JSON


def parse_texts(arguments: Mapping[str, object]) -> Mapping[str, object]:
    """Returns the arguments with the JSON in texts that carry calls as objects: a request, or one operation a line."""
    requests = [each for key, value in arguments.items() if fold_key(key) in _CODE_KEYS for each in _find_requests(value)]
    return {**({"requests": requests} if requests else {}), **_parse_each(arguments)}


def _find_requests(code: object) -> Iterator[Mapping[str, object]]:
    """Yields the requests that code hands to a client, with the fields of the body as far as they are literal:
    `client.request({ method: 'PATCH', path: '/zones/1', body: { on: false } })`."""
    for found in _REQUEST.finditer(code[:_MAX_CODE]) if isinstance(code, str) else ():
        body = dict(_LITERAL_FIELD.findall(found["rest"].partition("body")[2]))
        yield {
            "method": found["method"],
            "path": found["path"],
            "body": {name: _LITERALS.get(value, value.strip("'\"`")) for name, value in body.items()},
        }


_REQUEST = re.compile(
    r"\brequest\s*\(\s*\{\s*method:\s*['\"](?P<method>[A-Z]+)['\"]\s*,\s*path:\s*['\"`](?P<path>[^'\"`]*)['\"`](?P<rest>[^;]{0,500})"
)
_LITERAL_FIELD = re.compile(r"['\"]?(\w+)['\"]?\s*:\s*(true|false|null|\d+|'[^'\\]*'|\"[^\"\\]*\")")
_LITERALS: Mapping[str, object] = {"true": True, "false": False, "null": None}
_CODE_KEYS = ("code", "script", "function", "source")
_MAX_CODE = 20_000  # characters


def _parse_each(arguments: Mapping[str, object]) -> Mapping[str, object]:
    return {
        key: _parse_text(value) if _carries(key) or (isinstance(value, str) and '"jsonrpc"' in value) else value
        for key, value in arguments.items()
    }


def is_dry_run(arguments: Mapping[str, object]) -> bool:
    """Returns whether an argument says that nothing is to be changed."""
    return any(
        (value is True and fold_key(key) in _DRY_KEYS)
        or (fold_key(key) == "mode" and isinstance(value, str) and fold_key(value) in _DRY_MODES)
        for key, value in arguments.items()
    )


_DRY_MODES = frozenset("preview dryrun simulate simulation plan validate check whatif".split())


def list_operations(arguments: Mapping[str, object]) -> Iterator[tuple[str, bool]]:
    """Yields the names of the operations that the objects of the arguments carry, each with whether it may be a field of data."""
    for key, value in arguments.items():
        for each in _list_objects(value) if _carries(key) or not isinstance(value, Mapping) else ():
            yield from _names_of_operation(each, is_data=not _carries(key))


def list_requests(arguments: Mapping[str, object]) -> Iterator[str]:
    """Yields each request with a method and a relative path, as the name that a tool for it would have."""
    for each in (arguments, *_list_objects([value for key, value in arguments.items() if _carries(key)])):
        if request := _name_of_request(each):
            yield request


def find_weakened_setting(tool: str, arguments: Mapping[str, object]) -> str:
    """Returns the safeguard that a call switches off; empty if there is none, or if the call changes nothing that exists."""
    if not _RECORDS.isdisjoint(split_words(tool)):
        return ""
    names = [tool, *(name for name, _ in list_operations(arguments)), *list_requests(arguments), *_named_actions(arguments)]
    if not any(_CHANGING_WORDS.intersection(split_words(name)) for name in names) or _is_for_development(arguments):
        return ""
    return find_weakened(_list_changed(tuple(names), arguments))


def _is_for_development(arguments: Mapping[str, object]) -> bool:
    """Returns whether an argument names an environment that only developers use: `env: "local"`."""
    return any(
        fold_key(key) in ("env", "environment", "stage", "target") and isinstance(value, str) and value.lower() in _DEVELOPMENT
        for key, value in arguments.items()
    )


_DEVELOPMENT = frozenset("local localhost dev development test testing ci sandbox".split())


def _named_actions(arguments: Mapping[str, object]) -> Iterator[str]:
    return (value for key, value in arguments.items() if fold_key(key) in _NAMING_KEYS and isinstance(value, str))


def _list_changed(outer: tuple[str, ...], arguments: Mapping[str, object]) -> Iterator[Setting]:
    for names, value in list_settings(arguments, outer):
        if not any(is_data_key(fold_key(name)) and name != "value" and not _carries(name) for name in names[len(outer) :]):
            yield names, value


def _carries(key: str) -> bool:
    return fold_key(key) in _CARRYING_KEYS


def _parse_text(value: object) -> object:
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "[") or len(value) > _MAX_TEXT:
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        pass
    try:
        return [json.loads(line) for line in value.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return value


def _list_objects(value: object) -> list[Mapping[str, object]]:
    """Lists the objects in a value, the outermost first."""
    waiting: deque[object] = deque((value,))
    found: list[Mapping[str, object]] = []
    while waiting and len(found) < _MAX_OBJECTS:
        each = waiting.popleft()
        if isinstance(each, Mapping):
            found.append(each)
            waiting += each.values()
        elif isinstance(each, list | tuple):
            waiting += each
    return found


def _names_of_operation(entries: Mapping[str, object], *, is_data: bool) -> Iterator[tuple[str, bool]]:
    """`{"deleteMany": {..}}`, `{"dropDatabase": 1}` and `{"type": "DROP_TOPIC"}`. The name of a field has another value."""
    for name, value in entries.items():
        if not is_data and (isinstance(value, Mapping) or (value == 1 and value is not True)):
            yield name, True
        elif isinstance(value, str) and fold_key(name) in _NAMING_KEYS and _is_name(value):
            yield value, False


def _is_name(text: str) -> bool:
    return len(text) <= _MAX_NAME and text.upper() not in METHODS and not any(char.isspace() for char in text)


def _name_of_request(entries: Mapping[str, object]) -> str:
    """Returns a request with a method and a relative path as the name of a tool: `POST /v1/refunds` is `create v1 refunds`."""
    folded = {fold_key(str(key)): value for key, value in entries.items()}
    method = next((each.upper() for key in _METHOD_KEYS if isinstance(each := folded.get(key), str)), "")
    route = next((each for key in _ROUTE_KEYS if isinstance(each := folded.get(key), str)), "") or next(
        (each for key, each in folded.items() if key.endswith(_ROUTE_ENDINGS) and isinstance(each, str)), ""
    )
    if method not in _MAKING_METHODS or not route or "://" in route:
        return ""
    steps = [step for step in route.partition("?")[0].split("/") if step]
    last = split_words(steps[-1]) if steps else ()
    if method == "POST" and steps and (len(steps[-1]) != len(steps[-1].lstrip("_:")) or len(last) > 1):
        return " ".join(last)  # an action: `_delete_by_query`, `:undelete`
    return " ".join((_MAKING_METHODS[method], *(word for step in steps for word in split_words(step))))
